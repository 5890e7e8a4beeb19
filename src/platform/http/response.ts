import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { lazy } from '../caching/index.js';
import { failure, headersOf, problemOf, problemType } from '../failures/index.js';
import { ReadTooMuch } from '../limits/index.js';
import { isLocked, isUnavailable, reasonOf } from '../postgres/index.js';
import type { DatabaseOutage } from '../telemetry/index.js';
import type { RequestHead } from './request.js';
import type { RequestContext, Surface } from './requestContext.js';

const capital = /[A-Z]/;

/** `pathToFile` -> `path_to_file`; also for type and enum names. */
export const snakeCase = (name: string) =>
  capital.test(name) ? name.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase() : name;

/** The same value with every key in snake_case, at any depth. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  const cased: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) cased[snakeCase(key)] = snakeCased(entry);
  return cased;
}

/** A response, which is complete unless its body goes on. */
export interface HttpResponse {
  status: number;
  /** What operators see in its place: the status of the failure, where its media type has 200 for all. */
  outcome?: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** In place of a body: one that goes on. */
  live?: LiveBody;
  /** The body, compressed, of a response that is kept. */
  compressed?: () => Promise<Uint8Array>;
}

/** Responds to a request of either surface. A step that does not respond passes the request to the next one. */
export type Handler = (request: RequestHead, context: RequestContext) => Promise<HttpResponse>;

export const jsonResponse = (value: unknown): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

/** The security headers. Responses that may be cached say so themselves. */
const alwaysSent = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** The response with the headers that every response has, and those that steps put into `responseHeaders`. */
export function withCommonHeaders(
  response: HttpResponse,
  { responseHeaders, requestId }: Pick<RequestContext, 'responseHeaders' | 'requestId'>,
): HttpResponse {
  const headers = { ...alwaysSent, ...responseHeaders, ...response.headers, 'X-Request-Id': requestId };
  if (!responseHeaders.Vary || !response.headers.Vary) return { ...response, headers };
  return { ...response, headers: { ...headers, Vary: `${response.headers.Vary}, ${responseHeaders.Vary}` } };
}

/** Says that the response depends on a header of the request. */
export function addVary({ responseHeaders }: Pick<RequestContext, 'responseHeaders'>, name: string): void {
  responseHeaders.Vary = responseHeaders.Vary ? `${responseHeaders.Vary}, ${name}` : name;
}

/** The pieces of a body that goes on. */
export interface LiveBody {
  /** The next piece, which is asked for when the client has taken the one before; undefined at the end. Never rejects. */
  next(): Promise<string | undefined>;
  /** Called once, when the response has ended or its client is gone, also while a piece is awaited. */
  close(): void;
}

/** A failure as `application/problem+json` (RFC 9457), with its members in snake_case. */
export function problemResponse(error: GraphQLError, requestId: string, publicUrl?: string): HttpResponse {
  const problem = problemOf(error, requestId, publicUrl);
  const headers = { ...headersOf(error), 'Content-Type': problemType };
  return { status: problem.status, headers, body: JSON.stringify(snakeCased(problem)) };
}

/** `isPartial` of an error beside data, which says what was changed. */
export type Mask = (error: unknown, context: Failing, isPartial?: boolean) => GraphQLError;

/** What is known about a request that fails, perhaps before its route is. */
type Failing = Pick<RequestContext, 'record' | 'scope'> & { surface?: Surface | undefined };

/** Several fields fail with the same error if one query loads them all. */
const logged = new WeakSet<object>();

const causeOf = (error: unknown): unknown => (error instanceof GraphQLError ? (error.originalError ?? error) : error);

/** Whether somebody has thrown it as what the caller is told. What graphql-js finds wrong with a result has no code. */
const isExpected = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError &&
  causeOf(error) instanceof GraphQLError &&
  (error.path === undefined || error.extensions.code !== undefined);

/**
 * Passes expected failures on. Any other is 503 or 500 without details, and is logged once. After a change is committed,
 * each is 500 and says so: none may be taken for a refusal.
 */
export function masking(logger: Logger, outage?: DatabaseOutage): Mask {
  function log(cause: unknown, { record: { identity, change } }: Failing): void {
    const isLogged = cause instanceof Error && logged.has(cause);
    if (!isLogged) logger.error({ ...identity, ...change, err: cause }, 'unexpected error');
    if (cause instanceof Error) logged.add(cause);
  }

  const masked: Mask = (error, context) => {
    if (isExpected(error)) {
      if (error.extensions.code === 'SERVICE_UNAVAILABLE') context.record.problem ??= error.message;
      return error;
    }
    const cause = causeOf(error);
    const isChange = context.scope.isChange;
    // A document of ours is not its caller's to shorten.
    const isCallers = context.surface !== 'rest';
    if (cause instanceof ReadTooMuch && isCallers && !cause.mayHaveChanged) {
      return at(error, failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'characters', maximum: cause.maximum }] }));
    }
    if (isUnavailable(cause)) {
      context.record.problem ??= reasonOf(cause);
      if (outage?.explains(cause)) outage.onFailure(cause);
      if (isLocked(cause)) return at(error, failure('SERVICE_UNAVAILABLE', { locked: true }));
      return at(error, failure('SERVICE_UNAVAILABLE', isChange ? { unconfirmed: true } : {}));
    }
    log(cause, context);
    if (!(cause instanceof ReadTooMuch)) return at(error, failure('INTERNAL_SERVER_ERROR', context.record.change));
    return at(error, failure('SERVICE_UNAVAILABLE', cause.mayHaveChanged ? { unconfirmed: true } : {}));
  };

  return (error, context, isPartial = false) => {
    const { change } = context.record;
    const shown = masked(error, context);
    if (isPartial || !change?.changed || shown.extensions.changed === true) return shown;
    log(causeOf(error), context);
    return at(error, failure('INTERNAL_SERVER_ERROR', change));
  };
}

/** The failure of the field, if any, that failed with an error. */
const at = (error: unknown, { message, extensions }: GraphQLError) =>
  new GraphQLError(message, { path: error instanceof GraphQLError ? error.path : undefined, extensions });

const accepted = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'GraphQL-Cost', 'X-Request-Id', 'Last-Event-ID'],
  ...['traceparent', 'tracestate', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
];
const exposed = [
  ...['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Idempotency-Replayed', 'Goalpost-Changed'],
  ...['Allow', 'WWW-Authenticate'],
];
const preflightSeconds = '7200';

/** The headers that let web pages of these origins (`*` for all) read a response. */
export function corsHeaders(origins: readonly string[], origin: string | null | undefined): Record<string, string> {
  if (origins.length === 0) return {};
  const allowed = origin ? ['*', origin].find((candidate) => origins.includes(candidate)) : undefined;
  if (!allowed) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': exposed.join(', '),
  };
}

/** Whether a browser asks whether a web page of another origin may send something. */
export const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method');

/** Lets web pages of these origins (`*` for all) call every surface with a token, and never with cookies. */
export function cors(origins: readonly string[], next: Handler): Handler {
  return async (request, context) => {
    const { responseHeaders, record } = context;
    Object.assign(responseHeaders, corsHeaders(origins, request.headers.get('origin')));
    if (!isPreflight(request) || !('Access-Control-Allow-Origin' in responseHeaders)) return next(request, context);
    record.operation = 'preflight';
    const headers = {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST',
      'Access-Control-Allow-Headers': accepted.join(', '),
      'Access-Control-Max-Age': preflightSeconds,
    };
    return { status: 204, headers };
  };
}

/** Compresses bytes in a separate thread. */
const gzipped = promisify<Uint8Array, Buffer>(gzip);

const acceptsGzip = ({ headers }: RequestHead): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '');

/** A response that is sent again and again: it is compressed once. */
export function cachedResponse(response: HttpResponse): HttpResponse {
  if (response.body === undefined) return response;
  const body = Buffer.from(response.body);
  return { ...response, body, compressed: lazy(() => gzipped(body)) };
}

/** Compresses pages and kept responses. Those of the API are short, and left to the proxy in front. */
export const compression =
  (next: Handler): Handler =>
  async (request, context) => {
    const response = await next(request, context);
    const { headers, body, compressed } = response;
    if (!compressed && !headers['Content-Type']?.startsWith('text/html')) return response;
    addVary(context, 'Accept-Encoding');
    if (body === undefined || !acceptsGzip(request)) return response;
    const zipped = await (compressed?.() ?? gzipped(Buffer.from(body)));
    return { ...response, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: zipped };
  };
