import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import { isAlwaysProblem } from '../errors/problem.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypes, requireAcceptable, restTypes } from './accept.js';
import type { RateLimit } from './limits/rateLimit.js';
import { nearestPath } from './nearestPath.js';
import { problemResponse } from './problem.js';
import type { RequestContext, Route, Step } from './route.js';

interface RouterOptions {
  routes: Route[];
  /** Finds the person of the request's token. Fails with 401. */
  authenticate: (request: Request) => Promise<Actor>;
  /** Counts requests that need a token, whether or not they pass the checks. */
  limit?: RateLimit | undefined;
  mask: (error: unknown) => GraphQLError;
  publicUrl?: string | undefined;
  /** What a browser gets for a path that does not exist, or that takes no GET. */
  noPage: (error: GraphQLError, path: string, nearest: string | undefined) => Response;
  /** The page that says what is below a path, such as the root of the API, that is none itself. */
  guide: string;
}

/**
 * Checks every request in the same order: path (404), method (405), Accept (406), token (401), rate limit (429), scope
 * (403). Then its route handles it.
 */
export function useRouter({ routes, authenticate, mask, publicUrl, limit, noPage, guide }: RouterOptions): Step {
  const routesOf = (path: string) => routes.filter((route) => route.path === path);
  const memorable = [...new Set(routes.filter(({ isFile }) => !isFile).map(({ path }) => path))];

  function nearestTo(path: string): string | undefined {
    const folder = path.replace(/\/?$/, '/');
    return nearestPath(path, memorable) ?? (memorable.some((each) => each.startsWith(folder)) ? guide : undefined);
  }

  /** The path without the slash at its end, if that is a route: `/docs/` is `/docs`. */
  function pathOf(pathname: string): string {
    const shorter = pathname.replace(/(?<=.)\/$/, '');
    return routesOf(shorter).length > 0 ? shorter : pathname;
  }

  function find(request: Request, path: string): Route {
    const candidates = routesOf(path);
    if (candidates.length === 0) throw failure('NOT_FOUND', { path, nearest: nearestTo(path) });
    const route = match(request, path);
    if (route) return route;
    const open = candidates.filter(({ accepts }) => !accepts || wantsPage(request));
    const allow = [...new Set(open.flatMap(({ methods }) => methods))];
    throw failure('METHOD_NOT_ALLOWED', { target: path, method: request.method, allow });
  }

  const match = (request: Request, path: string) =>
    routesOf(path).find(({ methods, accepts }) => methods.includes(request.method) && (!accepts || wantsPage(request)));

  async function check(request: Request, path: string, context: RequestContext): Promise<Route> {
    const route = find(request, path);
    requireAcceptable(request.headers.get('accept'), route.handle ? restTypes : graphqlTypes);
    context.actor = await authenticate(request);
    return route;
  }

  /** Counts a request unless its route is public. Public routes other than health checks report what is left. */
  async function checkAndCount(request: Request, path: string, context: RequestContext): Promise<Route> {
    const candidate = match(request, path);
    const runChecks = () => check(request, path, context);
    if (!candidate?.public) return limit ? limit.count(request, context, runChecks) : runChecks();
    if (!candidate.unlimited) await limit?.show(request, context);
    return candidate;
  }

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      const path = pathOf(url.pathname);
      note(serverContext, routesOf(path)[0]);
      try {
        if (path !== url.pathname && match(request, path)?.public) {
          return endResponse(new Response(null, { status: 308, headers: { Location: path + url.search } }));
        }
        const route = await checkAndCount(request, path, serverContext);
        if (route.scope === 'write' && !serverContext.actor?.canWrite) throw failure('READ_ONLY_TOKEN');
        if (route.handle) endResponse(await route.handle(request, serverContext));
      } catch (thrown) {
        const error = mask(thrown);
        const isGraphql = routesOf(path).some(({ handle }) => !handle);
        // A client that accepts no GraphQL response gets a problem instead.
        if (isGraphql && !isAlwaysProblem(error)) serverContext.refusal = error;
        else {
          serverContext.record?.addErrors([error]);
          const isPage = wantsPage(request) && routingCodes.has(error.extensions.code) && !match(request, path);
          endResponse(
            isPage ? noPage(error, path, nearestTo(path)) : problemResponse(error, serverContext.requestId, publicUrl),
          );
        }
      }
    },
    onResponse({ request, response }) {
      const { pathname } = new URL(request.url);
      const candidates = routesOf(pathOf(pathname));
      if (candidates.length === 0 || candidates.some(({ accepts }) => accepts))
        response.headers.append('Vary', 'Accept');
    },
  };
}

function note({ record }: RequestContext, route: Route | undefined): void {
  if (!record || !route) return;
  record.route = route.path;
  record.operation = route.operation ?? route.path;
}

/** The failures of the router itself, before it knows whose request it is. */
const routingCodes: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Whether to answer with a page. A client that names JSON gets JSON, even if it accepts pages too. */
function wantsPage(request: Request): boolean {
  const accept = request.headers.get('accept') ?? '';
  return ['GET', 'HEAD'].includes(request.method) && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}
