import { parse } from 'graphql';
import type { ExecuteDocument } from '../graphql/graphql.js';
import type { RequestContext } from '../http/route.js';
import type { LookUp } from '../rest/storedMutation.js';

type Actor = NonNullable<RequestContext['actor']>;

const request = { method: 'POST', url: 'http://localhost/', headers: new Headers() };

/** Runs queries as a caller, each with a scope of its own or that of a request. */
export const lookUpAs =
  (actor: () => Promise<Actor>, execute: ExecuteDocument, scopeOf: () => RequestContext['scope']): LookUp =>
  async (query) => {
    const scope = scopeOf();
    const context = { requestId: '', responseHeaders: {}, actor: await actor(), ...(scope && { scope }) };
    const { data } = await execute(parse(query), {}, request, context);
    return (data ?? {}) as object;
  };
