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
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The answer with the headers that every answer has, and those that steps put into `responseHeaders`. */
export function withCommonHeaders(
  answer: Answer,
  { responseHeaders, requestId }: Pick<RequestContext, 'responseHeaders' | 'requestId'>,
): Answer {
  const headers: Record<string, string> = { ...alwaysSent };
  for (const [name, value] of Object.entries(responseHeaders)) headers[name.toLowerCase()] = value;
  const { vary } = headers;
  for (const [name, value] of Object.entries(answer.headers)) headers[name.toLowerCase()] = value;
  if (vary && headers.vary !== vary) headers.vary += `, ${vary}`;
  headers['x-request-id'] = requestId;
  return { ...answer, headers };
}

export const commonHeaders =
  (next: Handle): Handle =>
  async (request, context) =>
    withCommonHeaders(await next(request, context), context);
