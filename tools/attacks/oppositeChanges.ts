import type { Attack } from './attack.js';
import { flood } from './client.js';

const clients = 32;
const files = ['i1', 'i3', 'i5', 'i7', 'i9'];

const bodyOf = (number: number) => {
  const ids = number % 2 === 0 ? files : files.toReversed();
  const fields = ids.map(
    (id, index) =>
      `a${index}: deleteResourceHubFile(input: {fileId: "${id}"}) { file { id } } ` +
      `b${index}: recoverResourceHubFile(input: {fileId: "${id}"}) { file { id } }`,
  );
  return JSON.stringify({ query: `mutation { ${fields.join(' ')} }` });
};

export const oppositeChanges: Attack = {
  title: `one token deletes and recovers the same five files in each request, in opposite orders, ${clients} at once`,
  strike: (target) => flood(target, clients, (number) => ({ token: target.writeToken, body: bodyOf(number) })),
};
