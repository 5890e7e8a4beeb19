import type { Handler } from './route.js';

const accepted = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'GraphQL-Cost', 'X-Request-Id', 'Last-Event-ID'],
  ...['traceparent', 'tracestate'],
];
const exposed = [
  ...['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Idempotency-Replayed', 'Allow'],
  ...['Deprecation', 'Sunset'],
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

/**
 * Lets web pages of these origins (`*` for all) call both surfaces with a token. Without origins, CORS is off. Cookies
 * are never allowed, and a preflight needs no token and no SQL.
 */
export function cors(origins: readonly string[], next: Handler): Handler {
  if (origins.length === 0) return next;
  return async (request, context) => {
    const { responseHeaders, record } = context;
    Object.assign(responseHeaders, corsHeaders(origins, request.headers.get('origin')));
    const isAllowed = 'Access-Control-Allow-Origin' in responseHeaders;
    if (!isAllowed || request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) {
      return next(request, context);
    }
    if (record) record.operation = 'preflight';
    const headers = {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST',
      'Access-Control-Allow-Headers': accepted.join(', '),
      'Access-Control-Max-Age': preflightSeconds,
    };
    return { status: 204, headers };
  };
}
