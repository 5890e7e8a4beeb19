import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import { isAlwaysProblem } from '../errors/problem.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypeFor, graphqlTypes, requireAcceptable, restTypes, streamType } from './accept.js';
import type { RateLimit } from './limits/rateLimit.js';
import { eachPiece, type LiveBody } from './liveBody.js';
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

/** Where a request leads. */
interface Location {
  path: string;
  /** The address without the trailing slash, if the request has one too many. */
  redirect: string | undefined;
  /** The routes of the path for this client, whatever their methods. */
  candidates: Route[];
  route: Route | undefined;
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

  /** The path without its trailing slash, if that is a route (`/docs/` becomes `/docs`), and its routes. */
  function locate(request: RequestHead): Location {
    const { pathname, search } = new URL(request.url);
    const shorter = pathname.replace(/(?<=.)\/$/, '');
    const path = routesFor(request, shorter).length > 0 ? shorter : pathname;
    const candidates = routesFor(request, path);
    const route = candidates.find(({ methods }) => methods.includes(request.method));
    return { path, redirect: path === pathname ? undefined : path + search, candidates, route };
  }

  async function check(request: RequestHead, location: Location, context: RequestContext): Promise<Route> {
    const { path, candidates, route } = location;
    if (candidates.length === 0) throw failure('NOT_FOUND', { path, nearest: nearestTo(path) });
    if (!route) {
      const allow = [...new Set(candidates.flatMap(({ methods }) => methods))];
      throw failure('METHOD_NOT_ALLOWED', { target: path, method: request.method, allow });
    }
    requireAcceptable(request.headers.get('accept'), route.handle ? restTypes : [...graphqlTypes, streamType]);
    context.actor = await authenticate(request, context);
    return route;
  }

  /** Counts a request; one for a public page for its address, one for a file of a page or a health check not at all. */
  async function checkAndCount(request: RequestHead, location: Location, context: RequestContext): Promise<Route> {
    const { route } = location;
    const runChecks = () => check(request, location, context);
    if (!route?.public) return limit ? limit.count(request, context, runChecks) : runChecks();
    if (!limit || route.unlimited) return route;
    if (!route.isFile) return limit.count(request, context, async () => route);
    await limit.show(request, context);
    return route;
  }

  /** The response to a request that a check or its route rejected. */
  function refuse(
    error: GraphQLError,
    { path, route }: Location,
    request: RequestHead,
    context: RequestContext,
  ): HttpResponse {
    context.record?.addErrors([error]);
    const isGraphql = routesOf(path).some(({ handle }) => !handle);
    // A client that accepts no GraphQL response gets a problem instead.
    if (isGraphql && !isAlwaysProblem(error)) {
      return graphqlResponse(error, context.requestId, graphqlTypeFor(request.headers.get('accept')));
    }
    const isPage = !route && routingCodes.has(error.extensions.code) && wantsPage(request);
    return isPage ? noPage(error, path, nearestTo(path)) : problemResponse(error, context.requestId, publicUrl);
  }

  function refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined {
    return limit?.refusal(request, context, () => {
      const { route } = locate(request);
      note(context, route);
      if (context.client?.token !== undefined) return route !== undefined && !route.public;
      return request.method !== 'OPTIONS' && !(route?.public && (route.unlimited || route.isFile));
    });
  }

  const answer: Handler = async (request, context) => {
    const location = locate(request);
    const { path, redirect, route: found } = location;
    const routesOfPath = routesOf(path);
    note(context, routesOfPath[0]);
    noteVary(context, routesOfPath);
    Object.assign(context.responseHeaders, found?.headers);
    try {
      if (redirect && found?.public) return { status: 308, headers: { Location: redirect } };
      const route = await checkAndCount(request, location, context);
      if (route.scope === 'write' && !context.actor?.canWrite) throw failure('READ_ONLY_TOKEN');
      try {
        const response = await (route.handle ?? graphql)(request, context);
        return limit && response.live ? { ...response, live: chargedFor(response.live, limit, context) } : response;
      } finally {
        limit?.charge(context);
      }
    } catch (thrown) {
      return refuse(mask(thrown), location, request, context);
    }
  };
  return { answer, refusal };
}

/** Of a body that goes on, each piece is charged. */
const chargedFor = (live: LiveBody, limit: RateLimit, context: RequestContext): LiveBody =>
  eachPiece(live, async (make) => {
    const piece = await make();
    limit.charge(context);
    return piece;
  });

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
