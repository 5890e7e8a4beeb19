import type { LiveBody } from './liveBody.js';
import type { Handler, RequestContext } from './route.js';

/** A response, which is complete unless its body goes on. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** In place of a body: one that goes on. */
  live?: LiveBody;
  /** The body, compressed, of a response that is kept. */
  compressed?: () => Promise<Uint8Array>;
}

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

export const commonHeaders =
  (next: Handler): Handler =>
  async (request, context) =>
    withCommonHeaders(await next(request, context), context);

/** Says that the response depends on a header of the request. */
export function addVary({ responseHeaders }: Pick<RequestContext, 'responseHeaders'>, name: string): void {
  responseHeaders.Vary = responseHeaders.Vary ? `${responseHeaders.Vary}, ${name}` : name;
}
