import { parse } from 'graphql';
import type { ExecuteDocument } from '../graphql/graphql.js';
import type { RequestContext } from '../http/route.js';
import type { LookUp } from '../rest/storedMutation.js';

type Actor = NonNullable<RequestContext['actor']>;

const request = { method: 'POST', url: 'http://localhost/', headers: new Headers() };

/** Runs queries as a caller. */
export const lookUpAs =
  (actor: () => Promise<Actor>, execute: ExecuteDocument): LookUp =>
  async (query) => {
    const context = { requestId: '', responseHeaders: {}, actor: await actor() };
    const { data } = await execute(parse(query), {}, request, context);
    return (data ?? {}) as object;
  };
