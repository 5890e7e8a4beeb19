import type { JsonSchema } from './jsonSchema.js';

const text = { type: 'string' };

/** Headers a caller may send with every operation. No examples: Swagger UI would send them, the same key every time. */
export const requestHeaders: Record<string, JsonSchema> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A new random value for each change you want, the same one for every retry of it: a change whose answer was lost ' +
      'can be sent again and still happens once. The answer of a retry is that of the first request. 1 to 255 printable ' +
      'ASCII characters, bare or quoted.',
    schema: { ...text, minLength: 1 },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your own id of the request, taken over into the answer and the log if it is one; else the server makes one.',
    schema: { ...text, pattern: '^[\\w.:/+=-]{1,128}$' },
  },
};

/** Headers of answers; which answer has which is said there. */
const responseHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': {
    description: 'Id of the request, as in the log and in the problem.',
    required: true,
    schema: text,
    example: '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54',
  },
  'RateLimit-Policy': {
    description: 'The limits that count this request: how many requests (q) in how many seconds (w).',
    schema: text,
    example: '"token";q=600;w=60',
  },
  RateLimit: {
    description: 'What is left of each limit: requests (r), and seconds until it is full again (t).',
    schema: text,
    example: '"token";r=599;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is worth sending again.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  Connection: {
    description: 'The server closes the connection after this response.',
    schema: text,
    example: 'close',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: text,
    example: 'Bearer',
  },
  'Idempotency-Replayed': {
    description:
      'Says true when the answer is that of an earlier request with the same Idempotency-Key; nothing was done again.',
    schema: { ...text, const: 'true' },
    example: 'true',
  },
};

/** The headers that every answer has. */
export const everyAnswer = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** What is said of a header; a new one of the error catalogue is at least named. */
export const headerNamed = (name: string): JsonSchema =>
  responseHeaders[name] ?? { description: 'Explained on the page of the error.', schema: text };
