import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import { isAlwaysProblem } from '../errors/problem.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypeFor, graphqlTypes, requireAcceptable, restTypes } from './accept.js';
import type { RateLimit } from './limits/rateLimit.js';
import { nearestPath } from './nearestPath.js';
import { graphqlResponse, problemResponse } from './problem.js';
import type { RequestHead } from './requestHead.js';
import { addVary, type HttpResponse } from './response.js';
import type { Handler, RequestContext, Route } from './route.js';

interface RouterOptions {
  routes: Route[];
  /** Finds the person of the request's token. Fails with 401. */
  authenticate: (request: RequestHead, context: RequestContext) => Promise<Actor>;
  /** Counts requests, whether or not they pass the checks. */
  limit?: RateLimit | undefined;
  mask: (error: unknown) => GraphQLError;
  publicUrl?: string | undefined;
  /** The page for a browser that opens a path that does not exist or does not support GET. */
  noPage: (error: GraphQLError, path: string, nearest: string | undefined) => HttpResponse;
  /** The page about the paths below one that is not a page itself, such as the root of the API. */
  guide: string;
  /** Responds if no route does. */
  graphql: Handler;
}

interface Router {
  answer: Handler;
  /** How a request fails before it gets a place, if that is known already. */
  refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined;
}

/**
 * Checks every request in the same order: path (404), method (405), Accept (406), token (401), rate limit (429), scope
 * (403). Then its route handles it.
 */
export function router(options: RouterOptions): Router {
  const { routes, authenticate, mask, publicUrl, limit, noPage, guide, graphql } = options;
  const byPath = new Map(routes.map(({ path }) => [path, routes.filter((route) => route.path === path)]));
  const routesOf = (path: string) => byPath.get(path) ?? [];
  /** The routes for this client: programs do not find routes that are only for browsers. */
  const routesFor = (request: RequestHead, path: string) =>
    routesOf(path).filter(({ accepts }) => !accepts || wantsPage(request));
  const memorable = [...new Set(routes.filter(({ isFile, leadsTo }) => !isFile && !leadsTo).map(({ path }) => path))];

  function nearestTo(path: string): string | undefined {
    const folder = path.replace(/\/?$/, '/');
    return nearestPath(path, memorable) ?? (memorable.some((each) => each.startsWith(folder)) ? guide : undefined);
  }

  /** The path without its trailing slash, if that is a route: `/docs/` becomes `/docs`. */
  function pathOf(request: RequestHead, pathname: string): string {
    const shorter = pathname.replace(/(?<=.)\/$/, '');
    return routesFor(request, shorter).length > 0 ? shorter : pathname;
  }

  function find(request: RequestHead, path: string): Route {
    const candidates = routesFor(request, path);
    if (candidates.length === 0) throw failure('NOT_FOUND', { path, nearest: nearestTo(path) });
    const route = match(request, path);
    if (route) return route;
    const allow = [...new Set(candidates.flatMap(({ methods }) => methods))];
    throw failure('METHOD_NOT_ALLOWED', { target: path, method: request.method, allow });
  }

  const match = (request: RequestHead, path: string) =>
    routesFor(request, path).find(({ methods }) => methods.includes(request.method));

  async function check(request: RequestHead, path: string, context: RequestContext): Promise<Route> {
    const route = find(request, path);
    requireAcceptable(request.headers.get('accept'), route.handle ? restTypes : graphqlTypes);
    context.actor = await authenticate(request, context);
    return route;
  }

  /** Counts a request; one for a public page for its address, one for a file of a page or a health check not at all. */
  async function checkAndCount(request: RequestHead, path: string, context: RequestContext): Promise<Route> {
    const candidate = match(request, path);
    const runChecks = () => check(request, path, context);
    if (!candidate?.public) return limit ? limit.count(request, context, runChecks) : runChecks();
    if (!limit || candidate.unlimited) return candidate;
    if (!candidate.isFile) return limit.count(request, context, async () => candidate);
    await limit.show(request, context);
    return candidate;
  }

  /** The response to a request that a check or its route rejected. */
  function refuse(error: GraphQLError, path: string, request: RequestHead, context: RequestContext): HttpResponse {
    context.record?.addErrors([error]);
    const isGraphql = routesOf(path).some(({ handle }) => !handle);
    // A client that accepts no GraphQL response gets a problem instead.
    if (isGraphql && !isAlwaysProblem(error)) {
      return graphqlResponse(error, context.requestId, graphqlTypeFor(request.headers.get('accept')));
    }
    const isPage = wantsPage(request) && routingCodes.has(error.extensions.code) && !match(request, path);
    return isPage ? noPage(error, path, nearestTo(path)) : problemResponse(error, context.requestId, publicUrl);
  }

  function refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined {
    const route = match(request, pathOf(request, new URL(request.url).pathname));
    if (!route || route.public) return undefined;
    note(context, route);
    return limit?.refusal(request, context);
  }

  const answer: Handler = async (request, context) => {
    const { pathname, search } = new URL(request.url);
    const path = pathOf(request, pathname);
    const candidates = routesOf(path);
    note(context, candidates[0]);
    noteVary(context, candidates);
    try {
      if (path !== pathname && match(request, path)?.public) {
        return { status: 308, headers: { Location: path + search } };
      }
      const route = await checkAndCount(request, path, context);
      if (route.scope === 'write' && !context.actor?.canWrite) throw failure('READ_ONLY_TOKEN');
      try {
        return await (route.handle ?? graphql)(request, context);
      } finally {
        limit?.charge(context);
      }
    } catch (thrown) {
      return refuse(mask(thrown), path, request, context);
    }
  };
  return { answer, refusal };
}

/** The responses of some paths depend on `Accept`. */
function noteVary(context: RequestContext, candidates: Route[]): void {
  if (candidates.length === 0 || candidates.some(({ accepts }) => accepts)) addVary(context, 'Accept');
}

function note({ record }: RequestContext, route: Route | undefined): void {
  if (!record || !route) return;
  record.route = route.path;
  record.operation = route.operation ?? route.path;
}

/** The failures of the router itself, before it knows the caller. */
const routingCodes: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Whether to respond with a page. A client that names JSON gets JSON, even if it accepts pages too. */
function wantsPage(request: RequestHead): boolean {
  const accept = request.headers.get('accept') ?? '';
  return ['GET', 'HEAD'].includes(request.method) && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}
