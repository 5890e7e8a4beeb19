import type { Attack } from './attack.js';
import { aliased, flood } from './client.js';

const people = aliased(4, 'potentialSubscribers { isSubscribed person { id fullName email title } }');

const bodyOf = (number: number) =>
  JSON.stringify({
    query: `mutation { reopenGoal(input: {id: "wide${1 + (number % 2_000)}"}) { goal { ${people} } } }`,
  });

export const longChanges: Attack = {
  title: 'one token makes changes whose responses are 12,000 people, with a key each',
  strike: (target) =>
    flood(target, 30, (number) => ({
      token: target.writeToken,
      body: bodyOf(number),
      headers: { 'idempotency-key': `key-${number}` },
    })),
};

export const longChangesWithoutKey: Attack = {
  title: 'the same without a key',
  strike: (target) => flood(target, 30, (number) => ({ token: target.writeToken, body: bodyOf(number) })),
};
