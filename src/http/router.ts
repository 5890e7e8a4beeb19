import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import { isAlwaysProblem } from '../errors/problem.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypes, requireAcceptable, restTypes } from './accept.js';
import type { RateLimit } from './limits/rateLimit.js';
import { problemResponse } from './problem.js';
import type { RequestContext, Route, Step } from './route.js';

interface RouterOptions {
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
export function useRouter({ routes, authenticate, mask, publicUrl, limit }: RouterOptions): Step {
  const routesOf = (path: string) => routes.filter((route) => route.path === path);

  function find(request: Request, path: string): Route {
    const candidates = routesOf(path);
    if (candidates.length === 0) throw failure('NOT_FOUND', { path });
    const route = match(request, path);
    if (route) return route;
    const allow = [...new Set(candidates.flatMap(({ methods }) => methods))];
    throw failure('METHOD_NOT_ALLOWED', { target: path, method: request.method, allow });
  }

  const match = (request: Request, path: string) =>
    routesOf(path).find(({ methods, accepts }) => methods.includes(request.method) && (!accepts || wantsPage(request)));

  async function enter(request: Request, path: string, context: RequestContext): Promise<Route> {
    const route = find(request, path);
    requireAcceptable(request.headers.get('accept'), route.handle ? restTypes : graphqlTypes);
    context.actor = await authenticate(request);
    return route;
  }

  /** What is public is not counted; a health check does not even ask for what is left. */
  async function admit(request: Request, path: string, context: RequestContext): Promise<Route> {
    const open = match(request, path);
    const way = () => enter(request, path, context);
    if (!open?.public) return limit ? limit.count(request, context, way) : way();
    if (!open.unlimited) await limit?.show(request, context);
    return open;
  }

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      const path = url.pathname;
      try {
        const route = await admit(request, path, serverContext);
        if (route.scope === 'write' && !serverContext.actor?.canWrite) throw failure('READ_ONLY_TOKEN');
        if (route.handle) endResponse(await route.handle(request, serverContext));
      } catch (thrown) {
        const error = mask(thrown);
        const isGraphql = routesOf(path).some(({ handle }) => !handle);
        // Who refuses JSON gets a problem nevertheless: there is nothing else to say it in.
        if (isGraphql && !isAlwaysProblem(error)) serverContext.refusal = error;
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
