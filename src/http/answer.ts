import type { Handle, RequestContext } from './route.js';

/** An answer, which is always complete. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export const jsonAnswer = (value: unknown): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

/** The security headers. Answers that may be kept say so themselves. */
const alwaysSent = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** The answer with the headers that every answer has, and those that steps put into `responseHeaders`. */
export function withCommonHeaders(
  answer: Answer,
  { responseHeaders, requestId }: Pick<RequestContext, 'responseHeaders' | 'requestId'>,
): Answer {
  const headers = { ...alwaysSent, ...responseHeaders, ...answer.headers, 'X-Request-Id': requestId };
  if (!responseHeaders.Vary || !answer.headers.Vary) return { ...answer, headers };
  return { ...answer, headers: { ...headers, Vary: `${answer.headers.Vary}, ${responseHeaders.Vary}` } };
}

export const commonHeaders =
  (next: Handle): Handle =>
  async (request, context) =>
    withCommonHeaders(await next(request, context), context);

/** Says that the answer depends on a header of the request. */
export function addVary({ responseHeaders }: Pick<RequestContext, 'responseHeaders'>, name: string): void {
  responseHeaders.Vary = responseHeaders.Vary ? `${responseHeaders.Vary}, ${name}` : name;
}
