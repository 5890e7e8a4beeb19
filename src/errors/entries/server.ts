import { entry, inSeconds } from '../entry.js';

const unavailableSeconds = 5;

/** The limits of one caller, and what one who is over it has done. */
const limits = {
  token: 'Too many requests.',
  address: 'Too many requests without a valid token.',
  work: 'The requests of this token have cost too much work.',
  concurrency: 'Too many requests or unread responses at the same time.',
  streams: 'Too many streams of this token are open.',
  outcomes: 'The outcomes that are kept for the idempotency keys of this token are too long together.',
  queue: 'Too much is still to be sent to this webhook.',
};

export type LimitName = keyof typeof limits;

/** The server cannot serve any request at the moment. */
export const serverErrors = {
  RATE_LIMITED: entry<{ retryAfter: number; limit: LimitName }>({
    status: 429,
    title: 'Too many requests',
    meaning:
      'The token, or the address of a request without a valid token, has sent more requests than a limit allows: in a ' +
      'window of time, or at the same time. Or the requests of the token have cost more work than it allows in that ' +
      'window. Nothing was changed.',
    remedy:
      'Wait for the number of seconds in the Retry-After header. The RateLimit header of every response shows how much ' +
      'of each limit remains.',
    detail: ({ retryAfter, limit }) => `${limits[limit]} Try again in ${inSeconds(retryAfter)}.`,
    headers: ({ retryAfter }) => ({ 'Retry-After': String(retryAfter) }),
    example: { retryAfter: 30, limit: 'token' },
    members: {
      retryAfter: { type: 'integer', description: 'Seconds to wait before you retry.' },
      limit: {
        type: 'string',
        description:
          'The limit that was exceeded: `token` and `address` count requests in a window, `work` counts the work of the ' +
          'token in the window, and `concurrency` counts requests that run, and responses that are not read, at the same time. ' +
          '`streams` counts the open subscriptions of the token. `outcomes` counts the bytes that are kept for idempotency keys of the ' +
          'token. `queue` counts what `sendWebhook` has yet to send.',
        enum: ['token', 'address', 'work', 'concurrency', 'streams', 'outcomes', 'queue'] satisfies LimitName[],
      },
    },
  }),
  INTERNAL_SERVER_ERROR: entry({
    status: 500,
    title: 'Something went wrong on the server',
    meaning: 'The server failed in an unexpected way. The cause is in its log, not in the response.',
    remedy: 'Try again later. If the error persists, report the request id to the operator of the server.',
    detail: () => 'Something went wrong on the server. Its log shows the cause under the request id.',
    example: {},
  }),
  NOT_CONFIGURED: entry<{ setting: string }>({
    status: 501,
    title: 'The server is not set up for this',
    meaning:
      'The operator of the server has not set what this needs, such as the key of webhooks. A copy of a database, as for ' +
      'tests, then sends nothing to anybody. Nothing was changed.',
    remedy: 'Ask the operator of the server to set what the detail names.',
    detail: ({ setting }) => `This server sends no webhooks: it needs the setting ${setting}.`,
    example: { setting: 'WEBHOOK_KEY' },
    occurs: 'graphql',
  }),
  SERVICE_UNAVAILABLE: entry<{ overloaded?: true; streams?: true }>({
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'The server cannot reach something that it depends on, such as its database, or got no reply in time. If the ' +
      'request was a change, it may or may not have been made. Or the server is overloaded and rejected this request ' +
      'before doing anything; the detail says so.',
    remedy:
      'Try again after the number of seconds in the Retry-After header. Send changes with an Idempotency-Key, so that ' +
      'retries make the change only once.',
    detail: ({ overloaded, streams }) => {
      let problem = 'The database is unavailable.';
      if (overloaded) problem = 'The server is overloaded, and nothing was changed.';
      if (streams) problem = 'The server has as many streams open as it may.';
      return `${problem} Try again in ${inSeconds(unavailableSeconds)}.`;
    },
    headers: () => ({ 'Retry-After': String(unavailableSeconds) }),
    example: {},
  }),
};
