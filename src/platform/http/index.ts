export {
  /** Requires a token that may write, and all that the request does. */
  requireScopes,
} from './grants.js';
export {
  /** Names as GraphQL spells them. */
  graphqlSpelling,
  /** Reads a value as an input type and collects the invalid fields: unknown, missing, null, of the wrong type or out of bounds. */
  readInput,
  /** A list may have this many times as many items as distinct items. */
  repeats,
  /** Names as REST spells them. */
  restSpelling,
} from './input.js';
export {
  /** Parses JSON strictly: also rejects values that JSON.parse would silently change or drop (RFC 7493), and deep nesting. */
  parseJson,
  /** Reads a JSON body of at most `limit` bytes. */
  readJson,
} from './json.js';
export type { RequestHead } from './request.js';
export {
  /** The media type of a GraphQL response that the client prefers. */
  graphqlTypeFor,
  /** Whether a request comes from this machine. */
  isLocal,
  /** Whether the host name of a URL can only mean this machine. */
  isLoopback,
  /** Throws 406 unless `Accept` allows the response to this kind of operation. */
  requireGraphqlType,
  /** Of the response to a subscription. */
  streamType,
} from './request.js';
export type { HttpResponse, LiveBody, Mask } from './response.js';
export {
  /** A response that is sent again and again: it is compressed once. */
  cachedResponse,
  /** What every response gets around the handlers: common headers, CORS, compression of pages. */
  dressed,
  /** The same body, with each of its pieces made within `step`. */
  eachPiece,
  /** The failure with its fields as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
  inRestNames,
  /** A response in JSON. */
  jsonResponse,
  /** Passes expected failures on. */
  masking,
  /** The problem document of a failure as REST spells it. */
  restProblem,
  /** `pathToFile` -> `path_to_file`; also for type and enum names. */
  snakeCase,
} from './response.js';
export type { Check, Handler, ReadBody, RequestContext, Route } from './router.js';
export {
  /** The checks that a route needs, for the order in which the product puts them. */
  checks,
  /** Checks every request in the same order: path (404), method (405), Accept (406), token (401), rate limit (429), scope (403). */
  router,
} from './router.js';
export {
  /** A route for public content that never changes. */
  contentRoute,
  /** `/healthz` returns 200 while the process runs; `/readyz` returns 503 while it stops or the database does not respond. */
  healthRoutes,
  /** Redirects browsers from a path for programs to the page about it. */
  leadsTo,
  /** Whether the database responds. */
  responds,
  /** The media types of contents. */
  types,
} from './routes.js';
export {
  /** Unless a setting says otherwise. */
  sendingDefaults,
} from './send.js';
export {
  /** Node's server in front of the gateway. */
  NodeServer,
} from './server.js';
