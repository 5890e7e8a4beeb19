import type { Step } from './route.js';

const sent = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id', 'traceparent', 'tracestate'];
const exposed = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Idempotency-Replayed', 'Allow'];
const preflightSeconds = '7200';

/**
 * Lets pages of these origins (`*`: of all) call both surfaces with a token; off without any. Cookies are never asked
 * for, and a preflight is answered without a token and without any SQL.
 */
export function useCors(origins: readonly string[]): Step {
  if (origins.length === 0) return {};
  const allowedOf = (origin: string) => ['*', origin].find((allowed) => origins.includes(allowed));
  return {
    onRequest({ request, serverContext: { responseHeaders }, endResponse }) {
      responseHeaders.Vary = 'Origin';
      const origin = request.headers.get('origin');
      const allowed = origin === null ? undefined : allowedOf(origin);
      if (!allowed) return;
      responseHeaders['Access-Control-Allow-Origin'] = allowed;
      responseHeaders['Access-Control-Expose-Headers'] = exposed.join(', ');
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return;
      const headers = {
        'Access-Control-Allow-Methods': 'GET, HEAD, POST',
        'Access-Control-Allow-Headers': sent.join(', '),
        'Access-Control-Max-Age': preflightSeconds,
      };
      endResponse(new Response(null, { status: 204, headers }));
    },
  };
}
