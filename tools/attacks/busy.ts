import type { Attack } from './attack.js';
import { aliased, flood, graphqlBody } from './client.js';

const body = graphqlBody(`{ resourceHubDocument(id: "long") { ${aliased(10, 'content')} } }`);

/** No attack: what the others are compared with. */
export const busy: Attack = {
  title: 'ten clients read responses of 10 MB, and one works',
  strike: (target) => flood(target, 10, () => ({ token: target.token, body }), 1_000),
};
