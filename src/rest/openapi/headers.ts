import type { JsonSchema } from './jsonSchema.js';

const text = { type: 'string' };

/** Headers that a caller may send with every operation. Without examples, which viewers would send every time. */
export const requestHeaders: Record<string, JsonSchema> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes it safe to retry a request: the change is made only once, and every retry gets the response to the first ' +
      'request. Send a new random value with each change, and the same value with its retries. 1 to 255 printable ASCII ' +
      'characters, bare or quoted.',
    schema: { ...text, minLength: 1 },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your id for the request. The response and the log include it. If it is missing or invalid, the server generates one.',
    schema: { ...text, pattern: '^[\\w.:/+=-]{1,128}$' },
  },
};

/** Headers of responses. Each response refers to those that it has. */
const responseHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': {
    description: 'Id of the request. The log and problems have the same one.',
    required: true,
    schema: text,
    example: '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54',
  },
  'RateLimit-Policy': {
    description:
      'The limits that count this request, each with its name: `q` requests, or milliseconds of work, in `w` seconds.',
    schema: text,
    example: '"token";q=600;w=60, "work";q=60000;w=60',
  },
  RateLimit: {
    description:
      'What is left of each limit: `r` requests, or milliseconds of work, in the next `t` seconds. Then its window ' +
      'starts again.',
    schema: text,
    example: '"token";r=599;t=60, "work";r=59990;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before you send the request again.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  Connection: {
    description: 'The server closes the connection after this response.',
    schema: text,
    example: 'close',
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    schema: text,
    example: 'Bearer',
  },
  Deprecation: {
    description: 'The path is deprecated since this time, in seconds since 1970 (RFC 9745).',
    schema: text,
    example: '@1800000000',
  },
  Sunset: {
    description: 'The path may be gone from this time on (RFC 8594).',
    schema: text,
    example: 'Wed, 01 Sep 2027 00:00:00 GMT',
  },
  'Idempotency-Replayed': {
    description: 'Set to `true` if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { ...text, const: 'true' },
    example: 'true',
  },
};

/** The headers that every response has. */
export const everyResponse = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** The description of a header. One that only the error catalogue knows gets a general description. */
export const headerNamed = (name: string): JsonSchema =>
  responseHeaders[name] ?? { description: 'Described on the page of the error.', schema: text };
