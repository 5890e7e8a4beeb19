import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { failure } from '../errors/failures.js';
import { graphqlTypeFor } from './accept.js';
import { corsHeaders } from './cors.js';
import { type CompleteAnswer, graphqlAnswer, problemAnswer } from './problem.js';
import { currentRequest } from './requestId.js';
import { alwaysSent } from './responseHeaders.js';

interface RefusalOptions {
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
}

/** The answer to a request that does not reach the gateway, with everything that an answer of the gateway has. */
export function refusal(
  error: GraphQLError,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): CompleteAnswer {
  const requestId = currentRequest.getStore()?.requestId ?? '';
  const isGraphql = error.extensions.code === 'SERVICE_UNAVAILABLE' && /^\/graphql(\?|$)/.test(req?.url ?? '');
  const { status, headers, body } = isGraphql
    ? graphqlAnswer(error, requestId, graphqlTypeFor(req?.headers.accept ?? null))
    : problemAnswer(error, requestId, publicUrl);
  const cors = corsHeaders(corsOrigins, req?.headers.origin);
  return { status, headers: { ...alwaysSent, ...headers, ...cors, 'X-Request-Id': requestId }, body };
}

/** The failure behind what Node's parser cannot read, or what did not come in time. */
export function unreadable({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): GraphQLError {
  if (code === 'HPE_INVALID_EOF_STATE')
    return failure('MALFORMED_REQUEST', { problem: 'it ends before it is complete' });
  if (code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT');
  return failure('MALFORMED_REQUEST', { problem: (reason ?? message).replace(/\.$/, '') });
}
