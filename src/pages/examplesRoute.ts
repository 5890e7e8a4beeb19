import type { ExecuteDocument } from '../graphql/graphql.js';
import { jsonResponse } from '../http/response.js';
import type { Route } from '../http/route.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { byName } from './exampleBlock.js';
import { lookUpAs } from './lookUpAs.js';
import { exampleRequests } from './workedExamples.js';

/** `/docs/examples`: the examples on what the caller may change, for the pages whose visitor brings a token. */
export const examplesRoute = (mutations: readonly PreparedMutation[], execute: ExecuteDocument): Route => ({
  path: '/docs/examples',
  operation: 'examples',
  methods: ['GET'],
  async handle(_request, { actor, scope }) {
    if (!actor) throw new Error('a request passed the router without an actor');
    const lookUp = lookUpAs(
      async () => actor,
      execute,
      () => scope,
    );
    return jsonResponse({ examples: byName(await exampleRequests(mutations, lookUp)) });
  },
});
