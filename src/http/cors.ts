import { costHeader } from './limits/queryLimits.js';
import type { Step } from './route.js';

const accepted = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', costHeader, 'X-Request-Id'],
  ...['traceparent', 'tracestate'],
];
const exposed = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'Idempotency-Replayed', 'Allow'];
const preflightSeconds = '7200';

/** The headers with which web pages of these origins (`*` for all) may read an answer. */
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
export function useCors(origins: readonly string[]): Step {
  if (origins.length === 0) return {};
  return {
    onRequest({ request, serverContext: { responseHeaders, record }, endResponse }) {
      Object.assign(responseHeaders, corsHeaders(origins, request.headers.get('origin')));
      if (!('Access-Control-Allow-Origin' in responseHeaders)) return;
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
