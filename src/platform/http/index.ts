/**
 * Reads a value as an input type and collects the invalid fields: unknown, missing, null, of the wrong type or out of
 * bounds. Stops when there are more than a response lists. The returned value has GraphQL's names. Use it only if there
 * are no errors.
 */
export { graphqlSpelling, readInput, restSpelling } from './input.js';
/**
 * Parses JSON strictly: also rejects values that JSON.parse would silently change or drop (RFC 7493), and deep nesting.
 * Throws MALFORMED_JSON with the `line` and `column` of the problem, counted from 1.
 */
/**
 * Reads a JSON body of at most `limit` bytes. Throws, in this order, 415 (media type, encoding), 413 (size) or 400
 * (syntax). Reads the body within `receiveBody`, once the headers are in order.
 */
export { parseJson, readJson } from './json.js';
export type { RequestHead } from './request.js';
/** The media type of a GraphQL response that the client prefers. Yoga itself ignores qualities. */
/**
 * Whether a request comes from this machine. Its host name must be local, because an attacker can make another name
 * resolve to 127.0.0.1 (DNS rebinding), and no proxy may have forwarded it, because its client may be anywhere.
 */
/** Whether the host name of a URL can only mean this machine. */
/** Throws 406 if the `Accept` header rejects every response type. A missing or unreadable header accepts all. */
/** Throws 406 unless the `Accept` header names the type of streams: who does not would wait for an end that never comes. */
/** Of the response to a subscription. */
export {
  graphqlTypeFor,
  graphqlTypes,
  isLocal,
  isLoopback,
  requireAcceptable,
  requireStream,
  streamType,
} from './request.js';
export type { HttpResponse, LiveBody, Mask } from './response.js';
/**
 * Lets web pages of these origins (`*` for all) call both surfaces with a token. Without origins, CORS is off. Cookies
 * are never allowed, and a preflight needs no token and no SQL.
 */
/** The same body, with each of its pieces made within `step`. */
/**
 * Passes expected failures on. Logs any other error, once, and replaces it by a 503 or 500 without details. A request that
 * ran out of time while it waited because its company uses much is its own fault: 429, and no line in the log.
 */
export { commonHeaders, cors, eachPiece, jsonResponse, masking } from './response.js';
export type { Handler, ReadBody, RequestContext, Route } from './router.js';
/**
 * Checks every request in the same order: path (404), method (405), Accept (406), token (401), rate limit (429), scope
 * (403). Then its route handles it.
 */
export { router } from './router.js';
/**
 * Compresses pages, some of which have 200 kB, and kept responses. API responses are left to the proxy in front: they are
 * short, and their callers wait for them.
 */
/** A route for public content that never changes. Loads it at the first request and caches it. */
/** `/healthz` returns 200 while the process runs; `/readyz` returns 503 while it stops or the database does not respond. */
/** A response that is sent again and again: it is compressed once. */
/** Redirects browsers from a path for programs to the page about it. For programs, nothing changes. */
/** Whether the database responds. */
export { compression, contentRoute, healthRoutes, keptResponse, leadsTo, responds, types } from './routes.js';
/** Node's server in front of the gateway. Whatever comes over a socket gets a response of the error catalogue. */
export { NodeServer } from './server.js';
