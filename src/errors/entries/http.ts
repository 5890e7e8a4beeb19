import { entry } from '../entry.js';

const either = new Intl.ListFormat('en', { type: 'disjunction' });

/** The request breaks the rules of HTTP, or is in no format that the server reads or writes. */
export const httpErrors = {
  METHOD_NOT_ALLOWED: entry<{ target: string; method: string; allow: readonly string[] }>({
    status: 405,
    title: 'The method is not allowed',
    meaning:
      'The path exists, but it does not support this HTTP method. GraphQL runs queries with GET or POST, and mutations ' +
      'with POST only.',
    remedy: 'Use a method listed in the Allow header.',
    detail: ({ target, method, allow }) => `${target} does not support ${method}. Use ${either.format(allow)}.`,
    headers: ({ allow }) => ({ Allow: allow.join(', ') }),
    example: { target: '/api/external/v1/reopen_goal', method: 'GET', allow: ['POST'] },
    graphqlExample: { target: 'A GraphQL mutation', method: 'GET', allow: ['POST'] },
    occurs: 'method',
  }),
  NOT_ACCEPTABLE: entry<{ types: readonly string[]; isSubscription?: boolean }>({
    status: 406,
    title: 'The response is not available in that format',
    meaning:
      'The Accept header excludes every format in which the server can respond, or it does not name the one of ' +
      'subscriptions. Nothing was changed.',
    remedy: 'Send Accept: application/json, or omit the header. For a subscription, send Accept: text/event-stream.',
    detail: ({ types, isSubscription }) =>
      isSubscription
        ? `A subscription needs the header Accept: ${types.join(', ')}.`
        : `The Accept header excludes every available type: ${types.join(', ')}.`,
    example: { types: ['application/json'] },
    graphqlExample: { types: ['application/json', 'application/graphql-response+json', 'text/event-stream'] },
    alwaysProblem: true,
  }),
  PAYLOAD_TOO_LARGE: entry<{ limit: number }>({
    status: 413,
    title: 'The request body is too large',
    meaning:
      'The body is larger than the server accepts. The server stops reading it and closes the connection. ' +
      'Nothing was changed.',
    remedy: 'Send a smaller body: shorter texts, or fewer ids per request.',
    detail: ({ limit }) => `The request body is larger than ${limit} bytes.`,
    headers: () => ({ Connection: 'close' }),
    example: { limit: 1_048_576 },
  }),
  UNSUPPORTED_MEDIA_TYPE: entry<{ isEncoded?: boolean }>({
    status: 415,
    title: 'The request body must be JSON',
    meaning:
      'The Content-Type header is missing, names a type other than JSON or a charset other than UTF-8, or the ' +
      'body is compressed. Nothing was changed.',
    remedy: 'Send Content-Type: application/json, without Content-Encoding.',
    detail: ({ isEncoded }) =>
      isEncoded
        ? 'The request body is compressed. Send it uncompressed, without Content-Encoding.'
        : 'The request body must be JSON in UTF-8. Send it with Content-Type: application/json.',
    // Only for a compressed body: from this header a client concludes that the media type is fine (RFC 7694).
    headers: ({ isEncoded }): Record<string, string> => (isEncoded ? { 'Accept-Encoding': 'identity' } : {}),
    example: {},
  }),
  MALFORMED_REQUEST: entry<{ problem: string }>({
    status: 400,
    title: 'The request is not valid HTTP',
    meaning:
      'The request line, a header or the framing of the body breaks the rules of HTTP: the target is not a URL, the ' +
      'Host header is not a valid host or occurs twice, or the body ends early. Nothing was changed.',
    remedy: "Let an HTTP client build the request from the server's address.",
    detail: ({ problem }) => `The request is not valid HTTP: ${problem}.`,
    headers: () => ({ Connection: 'close' }),
    example: { problem: 'the Host header is not a valid host' },
    alwaysProblem: true,
  }),
  REQUEST_TIMEOUT: entry({
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The client did not send the whole request in time. Nothing was changed.',
    remedy: 'Send the whole request without pauses.',
    detail: () => 'The request did not arrive completely in time. Send it without pauses.',
    headers: () => ({ Connection: 'close' }),
    example: {},
    alwaysProblem: true,
  }),
  HEADERS_TOO_LARGE: entry({
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and the headers are larger than the server accepts. Nothing was changed.',
    remedy: 'Send fewer or shorter headers. Send a long GraphQL query with POST.',
    detail: () => 'The request line and the headers are larger than 16 KiB together.',
    headers: () => ({ Connection: 'close' }),
    example: {},
    alwaysProblem: true,
  }),
};
