import type { GraphQLError } from 'graphql';
import { failure, readOnlyToken } from '../errors.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypes, requireAcceptable, restTypes } from './accept.js';
import { problemResponse } from './problem.js';
import type { RateLimit } from './rateLimit.js';
import type { RequestContext, Route, Step } from './route.js';

interface Options {
  routes: Route[];
  /** The person behind the request's token; fails with 401. */
  authenticate: (request: Request) => Promise<Actor>;
  /** Counts who comes in, and who does not. */
  limit?: RateLimit | undefined;
  mask: (error: unknown) => GraphQLError;
  publicUrl?: string | undefined;
}

/**
 * The way in, the same for every path: known path (404), method (405), Accept (406), token (401), rate limit
 * (429), scope (403), then the handler.
 */
export function useRouter({ routes, authenticate, mask, publicUrl, limit }: Options): Step {
  const routesOf = (path: string) => routes.filter((route) => route.path === path);

  function find(request: Request, path: string): Route {
    const candidates = routesOf(path);
    if (candidates.length === 0) throw failure('NOT_FOUND', `Nothing answers at ${path}`);
    const route = candidates.find(
      ({ methods, accepts }) => methods.includes(request.method) && (!accepts || wantsPage(request)),
    );
    if (route) return route;
    const allowed = [...new Set(candidates.flatMap(({ methods }) => methods))].join(', ');
    throw failure('METHOD_NOT_ALLOWED', `${path} answers ${allowed}`, {}, { Allow: allowed });
  }

  async function enter(request: Request, path: string, context: RequestContext): Promise<Route> {
    const route = find(request, path);
    if (route.public) return route;
    requireAcceptable(request.headers.get('accept'), route.handle ? restTypes : graphqlTypes);
    context.actor = await authenticate(request);
    return route;
  }

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      const path = url.pathname;
      try {
        const counted = limit && !routesOf(path).some(({ unlimited }) => unlimited);
        const way = () => enter(request, path, serverContext);
        const route = counted ? await limit(request, serverContext, way) : await way();
        if (route.scope === 'write' && !serverContext.actor?.canWrite) throw readOnlyToken();
        if (route.handle) endResponse(await route.handle(request, serverContext));
      } catch (thrown) {
        const error = mask(thrown);
        const isGraphql = routesOf(path).some(({ handle }) => !handle);
        // Who refuses JSON gets a problem nevertheless: there is nothing else to say it in.
        if (isGraphql && error.extensions.code !== 'NOT_ACCEPTABLE') serverContext.refusal = error;
        else endResponse(problemResponse(error, serverContext.requestId, publicUrl));
      }
    },
    onResponse({ request, response }) {
      const { pathname } = new URL(request.url);
      if (routesOf(pathname).some(({ accepts }) => accepts)) response.headers.append('Vary', 'Accept');
    },
  };
}

/** Whoever names JSON gets JSON, also when a page would do. */
function wantsPage(request: Request): boolean {
  const accept = request.headers.get('accept') ?? '';
  return /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}
