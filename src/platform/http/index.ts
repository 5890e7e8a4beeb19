export {
  /** Requires a token that may write, and all that the request does. */
  requireScopes,
} from './grants.js';
export {
  /** Parses JSON strictly: also rejects values that JSON.parse would silently change or drop (RFC 7493), and deep nesting. */
  parseJson,
  /** Reads a JSON body of at most `limit` bytes. */
  readJson,
} from './json.js';
export type { RequestHead } from './request.js';
export {
  /** Whether a request comes from this machine. */
  isLocal,
  /** Whether the host name of a URL can only mean this machine. */
  isLoopback,
  /** Reads an `Accept` header: which types it allows, and which the client prefers. */
  readAccept,
  /** Throws 406 if an `Accept` header rejects every one of these types. */
  requireAcceptable,
} from './request.js';
export type { HttpResponse, LiveBody, Mask } from './response.js';
export {
  /** A response that is sent again and again: it is compressed once. */
  cachedResponse,
  /** A response in JSON. */
  jsonResponse,
  /** Passes expected failures on. */
  masking,
  /** `pathToFile` -> `path_to_file`; also for type and enum names. */
  snakeCase,
  /** The same value with every key in snake_case, at any depth. */
  snakeCased,
} from './response.js';
export type { Check, Handler, ReadBody, RequestContext, Route } from './router.js';
export {
  /** The checks that a route needs, for the order in which the product puts them. */
  checks,
  /** Runs the checks of a request and counts it, in the order that the product gives, and has its route respond. */
  router,
} from './router.js';
export {
  /** A route for public content that never changes, whose type is that of its extension. */
  contentRoute,
  /** `/healthz` returns 200 while the process runs; `/readyz` returns 503 unless the gateway is ready for requests. */
  healthRoutes,
  /** Redirects browsers from a path for programs to the page about it. */
  leadsTo,
} from './routes.js';
export {
  /** Unless a setting says otherwise. */
  sendingDefaults,
} from './send.js';
export {
  /** Node's server in front of the gateway. */
  NodeServer,
} from './server.js';
