import type { Attack } from './attack.js';
import { AttackClient, graphqlBody } from './client.js';

const requests = 500;
const body = graphqlBody('{ viewer { person { id } } }');

/** No attack either: a script that sends everything at once. */
export const burst: Attack = {
  title: `one honest client sends ${requests} small queries at once`,
  async strike(target) {
    const client = new AttackClient(target, requests);
    await Promise.all(Array.from({ length: requests }, () => client.send({ token: target.token, body })));
  },
};
