import { parse } from 'graphql';
import type { ExecuteDocument } from '../graphql/graphql.js';
import type { RequestContext } from '../http/route.js';
import type { LookUp } from './workedExamples.js';

type Actor = NonNullable<RequestContext['actor']>;

/** Runs queries as the person of a token. Fails if the token is no longer valid. */
export function lookUpAs(
  token: string,
  authenticate: (authorization: string) => Promise<Actor>,
  execute: ExecuteDocument,
): LookUp {
  const request = { method: 'POST', url: 'http://localhost/', headers: new Headers() };
  return async (query) => {
    const actor = await authenticate(`Bearer ${token}`);
    const { data } = await execute(parse(query), {}, request, { requestId: '', responseHeaders: {}, actor });
    return data ?? {};
  };
}
