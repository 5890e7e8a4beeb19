import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import type { Actor } from '../policies/access.js';
import { graphqlTypes, requireAcceptable, restTypes, streamType } from './accept.js';
import type { RateLimit } from './limits/rateLimit.js';
import { eachPiece, type LiveBody } from './liveBody.js';
import { type Location, locator } from './locator.js';
import type { Mask } from './masking.js';
import { type NoPage, rejections } from './rejections.js';
import type { RequestHead } from './requestHead.js';
import { addVary } from './response.js';
import type { Handler, RequestContext, Route } from './route.js';

interface RouterOptions {
  routes: Route[];
  /** Finds the person of the request's token. Fails with 401. */
  authenticate: (request: RequestHead, context: RequestContext) => Promise<Actor>;
  /** Counts requests, whether or not they pass the checks. */
  limit?: RateLimit | undefined;
  mask: Mask;
  publicUrl?: string | undefined;
  noPage: NoPage;
  /** The page about the paths below one that is not a page itself, such as the root of the API. */
  guide: string;
  /** Responds if no route does. */
  graphql: Handler;
}

interface Router {
  handle: Handler;
  /** How a request fails before it gets a slot, if that is known already. */
  refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined;
}

/**
 * Checks every request in the same order: path (404), method (405), Accept (406), token (401), rate limit (429), scope
 * (403). Then its route handles it.
 */
export function router(options: RouterOptions): Router {
  const { routes, authenticate, mask, publicUrl, limit, noPage, guide, graphql } = options;
  const { routesOf, locate, nearestTo } = locator(routes, guide);
  const isGraphql = (path: string) => routesOf(path).some(({ handle }) => !handle);
  const refused = rejections({ isGraphql, nearestTo, noPage, publicUrl });

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

  function refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined {
    return limit?.refusal(request, context, () => {
      const { route } = locate(request);
      note(context, route);
      if (context.client?.token !== undefined) return route !== undefined && !route.public;
      return request.method !== 'OPTIONS' && !(route?.public && (route.unlimited || route.isFile));
    });
  }

  const handle: Handler = async (request, context) => {
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
      return refused(mask(thrown, context), location, request, context);
    }
  };
  return { handle, refusal };
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
