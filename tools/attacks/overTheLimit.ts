import type { Attack } from './attack.js';
import { flood, graphqlBody } from './client.js';

const connections = 200;
const body = graphqlBody('{ viewer { person { id } } }');

export const overTheLimit: Attack = {
  title: `one token asks on ${connections} connections without a pause, far over its limit`,
  strike: (target) => flood(target, connections, () => ({ token: target.token, body }), 0),
};
