import type { GraphQLError } from 'graphql';
import { failure } from '../failures/index.js';
import type { RateLimit } from '../limits/index.js';
import { jsonTypes, type RequestHead, readAccept, requireAcceptable, requireReadPreconditions } from './request.js';
import {
  type Authenticated,
  type CallerContext,
  type RequestContext,
  requireScopes,
  requireSurface,
  type Surface,
} from './requestContext.js';
import {
  addVary,
  compression,
  cors,
  corsHeaders,
  type Handler,
  type HttpResponse,
  isPreflight,
  type LiveBody,
  type Mask,
  problemResponse,
  withCommonHeaders,
} from './response.js';

/** A path and what a request to it needs. The router checks that in the order of docs/errors.md, "Order of checks". */
interface AnyRoute {
  path: string;
  /** What a request to it does, for the log and the metrics; its path if omitted. */
  operation?: string;
  methods: readonly string[];
  /** Matches only requests that prefer HTML, as browsers do. Other routes of the path handle the rest. */
  accepts?: 'text/html';
  /** The page about this path, which is not a page itself: browsers are redirected to it. */
  leadsTo?: string;
  /** Ignores rate limits: neither counts the request nor reports what is left. */
  unlimited?: boolean;
  /** The media types that it may respond with, of which `Accept` must allow one; JSON if omitted. */
  types?: readonly string[];
  /** The response to a request that is rejected; a problem if omitted. */
  rejected?: (error: GraphQLError, request: RequestHead, requestId: string) => HttpResponse;
}

/** One that anybody may ask. */
export interface PublicRoute extends AnyRoute {
  public: true;
  handle: (request: RequestHead, context: RequestContext) => HttpResponse | Promise<HttpResponse>;
}

/** One that needs a token. */
export interface CallersRoute extends AnyRoute {
  public?: undefined;
  /** Where a token is used that is sent to it. */
  surface: Surface;
  /** How a request says which state it expects, if not by `If-Match`. */
  precondition?: string;
  /** What it changes: tokens that may not are rejected before the body is read. */
  scopes?: readonly string[];
  handle: (request: RequestHead, context: CallerContext) => HttpResponse | Promise<HttpResponse>;
}

export type Route = PublicRoute | CallersRoute;

interface Location {
  path: string;
  /** The address without the trailing slash, if the request has one too many. */
  redirect: string | undefined;
  /** The routes of the path for this client, whatever their methods. */
  candidates: Route[];
  route: Route | undefined;
}

function locator(routes: Route[]) {
  const byPath = new Map(routes.map(({ path }) => [path, routes.filter((route) => route.path === path)]));
  const routesOf = (path: string) => byPath.get(path) ?? [];
  /** The routes for this client: programs do not find routes that are only for browsers. */
  const routesFor = (request: RequestHead, path: string) =>
    routesOf(path).filter(({ accepts }) => !accepts || wantsPage(request));

  /** The path without its trailing slash, if that is a route (`/docs/` becomes `/docs`), and its routes. */
  function locate(request: RequestHead): Location {
    const { pathname, search } = new URL(request.url);
    const shorter = pathname.replace(/(?<=.)\/$/, '');
    const path = routesFor(request, shorter).length > 0 ? shorter : pathname;
    const candidates = routesFor(request, path);
    const route = candidates.find(({ methods }) => methods.includes(request.method));
    const redirect = path === pathname ? undefined : path + search;
    return { path, redirect, candidates, route };
  }

  return { routesOf, locate };
}

/** Whether to respond with a page. A client that names JSON gets JSON, even if it accepts pages too. */
function wantsPage(request: RequestHead): boolean {
  const accept = request.headers.get('accept') ?? '';
  return ['GET', 'HEAD'].includes(request.method) && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}

/** The page for a browser that opens a path that does not exist or does not support GET. */
type NoPage = (error: GraphQLError, path: string) => HttpResponse;

/** The failures of the router itself, before it knows the caller. */
const routingCodes: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** The response to a request that a check or its route rejected: the route's own, a problem, or a page. */
function rejections({ noPage, publicUrl }: Pick<RouterOptions, 'noPage' | 'publicUrl'>) {
  return (
    error: GraphQLError,
    { path, route, candidates }: Location,
    request: RequestHead,
    { record, requestId }: RequestContext,
  ): HttpResponse => {
    record.addErrors([error]);
    const rejected = candidates.find((candidate) => candidate.rejected)?.rejected;
    if (rejected) return rejected(error, request, requestId);
    const isPage = !route && routingCodes.has(error.extensions.code) && wantsPage(request);
    return isPage ? noPage(error, path) : problemResponse(error, requestId, publicUrl);
  };
}

/** One check of a request before it is known who sent it. Throws what it is refused with. */
export type Check = (request: RequestHead, location: Location) => void;
/** One of a request that counts. */
type CallersCheck = (request: RequestHead, route: CallersRoute, context: CallerContext) => void;

/** The checks that a route needs, for the order in which the product puts them. */
export const checks = {
  /** The path exists: 404. */
  path: (_request, { path, candidates }) => {
    if (candidates.length === 0) throw failure('NOT_FOUND', { path });
  },
  /** It supports the method: 405. */
  method: (request, { path, candidates, route }) => {
    if (route) return;
    const allow = [...new Set(candidates.flatMap(({ methods }) => methods))];
    const origin = isPreflight(request) ? (request.headers.get('origin') ?? undefined) : undefined;
    throw failure('METHOD_NOT_ALLOWED', { target: path, method: request.method, allow, origin });
  },
  /** The client accepts what the route responds with: 406. */
  accept: ({ headers }, { route }) => requireAcceptable(headers.get('accept'), route?.types ?? jsonTypes),
} satisfies Record<string, Check>;

/** The same for its caller. */
export const callersChecks = {
  /** The token may be used here, and change what the route does: 403. */
  scope: (_request, { surface, scopes }, { grants }) => {
    requireSurface(grants, surface);
    if (scopes) requireScopes(grants, scopes);
  },
  /** It is bound to nothing that the route would ignore: 400. */
  precondition: (request, { precondition }) => requireReadPreconditions(request, precondition),
} satisfies Record<string, CallersCheck>;

interface RouterOptions {
  routes: Route[];
  /** Before each piece of a body that goes on: gives it the time of a request. */
  begin?: (context: RequestContext) => void;
  /** Before a response, whatever it says: whoever sent the request still may. Throws what it is refused with. */
  confirm?: (context: RequestContext) => Promise<void> | undefined;
  corsOrigins?: readonly string[];
  /** The checks of a request that is no public page's, in order. */
  checks: readonly Check[];
  /** After them: who sent it. */
  authenticate: (request: RequestHead, context: RequestContext) => Promise<Authenticated>;
  /** Counts requests, whether or not they pass the checks: over the limit is 429. */
  limit?: RateLimit | undefined;
  /** The checks of a request that counts no more. */
  checksOnceCounted: readonly CallersCheck[];
  mask: Mask;
  publicUrl?: string | undefined;
  noPage: NoPage;
}

export interface Router {
  handle: Handler;
  /** Whether a request may get as far as to what needs a seat: what is refused before, and public content, needs none. */
  needsSeat(request: RequestHead, context: RequestContext): boolean;
  /** How a request fails before it gets a seat, if that is known already. */
  refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined;
  /** The response to a request that gets no seat. */
  reject(error: GraphQLError, request: RequestHead, context: RequestContext): HttpResponse;
}

/** Runs the checks and the count, and has the route handle what passes them. */
export function router(options: RouterOptions): Router {
  const { routes, mask, limit, corsOrigins = [], begin = () => {}, confirm = () => undefined } = options;
  const { routesOf, locate } = locator(routes);
  const rejected = rejections(options);

  function refusal(request: RequestHead, context: RequestContext): GraphQLError | undefined {
    return limit?.refusal(context, () => {
      const { route } = locate(request);
      note(context, route);
      if (context.client.token !== undefined) return route !== undefined && !route.public;
      return request.method !== 'OPTIONS' && !(route?.public && route.unlimited);
    });
  }

  function needsSeat({ method, headers }: RequestHead, { client, req }: RequestContext): boolean {
    if (client.token === undefined || limit?.isOver(client)) return false;
    const accepted = readAccept(headers.get('accept'));
    return routesOf((req.url ?? '').replace(/\?.*/s, '')).some(
      (route) =>
        !route.public && route.methods.includes(method) && accepted.preferred(route.types ?? jsonTypes) !== undefined,
    );
  }

  const respond: Handler = async (request, context) => {
    const location = locate(request);
    const { path, redirect, route } = location;
    const routesOfPath = routesOf(path);
    note(context, routesOfPath[0]);
    noteVary(context, routesOfPath);
    try {
      if (redirect && route?.public) return { status: 308, headers: { Location: redirect } };
      const response = await handled(request, location, context);
      await confirm(context);
      return response.live ? { ...response, live: inTime(response.live, context) } : response;
    } catch (thrown) {
      const error = await confirmed(thrown, context);
      const surface = route?.public ? undefined : route?.surface;
      return rejected(mask(error, { ...context, surface }), location, request, context);
    }
  };

  /** Checks and counts a request, one for a public page for its address, one for a file of a page or a health check not at all. */
  async function handled(request: RequestHead, location: Location, context: RequestContext): Promise<HttpResponse> {
    const { route } = location;
    if (route?.public) {
      if (limit && !route.unlimited) await limit.count(context, async () => undefined);
      return route.handle(request, context);
    }
    const check = async () => {
      for (const one of options.checks) one(request, location);
      return options.authenticate(request, context);
    };
    const known = await (limit ? limit.count(context, check) : check());
    if (!route) throw new Error('a request without a route passed the checks');
    const charge = limit && ((points: number) => limit.charge(context, known.actor, points));
    const caller = { ...context, ...known, surface: route.surface, charge };
    for (const one of options.checksOnceCounted) one(request, route, caller);
    return route.handle(request, caller);
  }

  /** Why a request fails: what it was refused with, unless its caller may not ask at all. */
  async function confirmed(thrown: unknown, context: RequestContext): Promise<unknown> {
    try {
      await confirm(context);
      return thrown;
    } catch (refusal) {
      return refusal;
    }
  }

  /** A body that goes on: each of its pieces has the time of a request. */
  const inTime = (live: LiveBody, context: RequestContext): LiveBody => ({
    next: () => {
      begin(context);
      return live.next();
    },
    close: () => live.close(),
  });

  const dressed = cors(corsOrigins, compression(respond));
  const handle: Handler = async (request, context) => withCommonHeaders(await dressed(request, context), context);

  function reject(error: GraphQLError, request: RequestHead, context: RequestContext): HttpResponse {
    Object.assign(context.responseHeaders, corsHeaders(corsOrigins, request.headers.get('origin')));
    return withCommonHeaders(rejected(error, locate(request), request, context), context);
  }

  return { handle, needsSeat, refusal, reject };
}

/** The responses of some paths depend on `Accept`. */
function noteVary(context: RequestContext, candidates: Route[]): void {
  if (candidates.length === 0 || candidates.some(({ accepts }) => accepts)) addVary(context, 'Accept');
}

function note({ record }: RequestContext, route: Route | undefined): void {
  if (!route) return;
  record.route = route.path;
  record.operation = route.operation ?? route.path;
}
