import type { Step } from './route.js';

const accepted = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id', 'traceparent', 'tracestate'];
const exposed = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Idempotency-Replayed', 'Allow'];
const preflightSeconds = '7200';

/**
 * Lets web pages of these origins (`*` for all) call both surfaces with a token. Without origins, CORS is off. Cookies
 * are never allowed, and a preflight needs no token and no SQL.
 */
export function useCors(origins: readonly string[]): Step {
  if (origins.length === 0) return {};
  const allowedOf = (origin: string) => ['*', origin].find((allowed) => origins.includes(allowed));
  return {
    onRequest({ request, serverContext: { responseHeaders, record }, endResponse }) {
      responseHeaders.Vary = 'Origin';
      const origin = request.headers.get('origin');
      const allowed = origin === null ? undefined : allowedOf(origin);
      if (!allowed) return;
      responseHeaders['Access-Control-Allow-Origin'] = allowed;
      responseHeaders['Access-Control-Expose-Headers'] = exposed.join(', ');
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return;
      if (record) record.operation = 'preflight';
      const headers = {
        'Access-Control-Allow-Methods': 'GET, HEAD, POST',
        'Access-Control-Allow-Headers': accepted.join(', '),
        'Access-Control-Max-Age': preflightSeconds,
      };
      endResponse(new Response(null, { status: 204, headers }));
    },
  };
}
