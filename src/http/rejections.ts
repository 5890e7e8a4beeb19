import type { GraphQLError } from 'graphql';
import { isAlwaysProblem } from '../errors/problem.js';
import { graphqlTypeFor } from './accept.js';
import { type Location, wantsPage } from './locator.js';
import { graphqlResponse, problemResponse } from './problem.js';
import type { RequestHead } from './requestHead.js';
import type { HttpResponse } from './response.js';
import type { RequestContext } from './route.js';

/** The page for a browser that opens a path that does not exist or does not support GET. */
export type NoPage = (error: GraphQLError, path: string, nearest: string | undefined) => HttpResponse;

interface Rejecting {
  isGraphql: (path: string) => boolean;
  nearestTo: (path: string) => string | undefined;
  noPage: NoPage;
  publicUrl: string | undefined;
}

/** The failures of the router itself, before it knows the caller. */
const routingCodes: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** The response to a request that a check or its route rejected: GraphQL's, a problem, or a page. */
export function rejections({ isGraphql, nearestTo, noPage, publicUrl }: Rejecting) {
  return (
    error: GraphQLError,
    { path, route }: Location,
    request: RequestHead,
    context: RequestContext,
  ): HttpResponse => {
    context.record?.addErrors([error]);
    // A client that accepts no GraphQL response gets a problem instead.
    if (isGraphql(path) && !isAlwaysProblem(error)) {
      return graphqlResponse(error, context.requestId, graphqlTypeFor(request.headers.get('accept')));
    }
    const isPage = !route && routingCodes.has(error.extensions.code) && wantsPage(request);
    return isPage ? noPage(error, path, nearestTo(path)) : problemResponse(error, context.requestId, publicUrl);
  };
}
