import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { graphqlTypeFor } from './accept.js';
import { corsHeaders } from './cors.js';
import { type CompleteAnswer, graphqlAnswer, problemAnswer } from './problem.js';
import { alwaysSent } from './responseHeaders.js';
import type { Identity } from './telemetry/requestRecord.js';

interface RefusalOptions {
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
}

/** The answer to a request that does not reach the gateway, with everything that an answer of the gateway has. */
export function refusal(
  error: GraphQLError,
  { requestId }: Identity,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): CompleteAnswer {
  const isGraphql = error.extensions.code === 'SERVICE_UNAVAILABLE' && /^\/graphql(\?|$)/.test(req?.url ?? '');
  const { status, headers, body } = isGraphql
    ? graphqlAnswer(error, requestId, graphqlTypeFor(req?.headers.accept ?? null))
    : problemAnswer(error, requestId, publicUrl);
  const cors = corsHeaders(corsOrigins, req?.headers.origin);
  return { status, headers: { ...alwaysSent, ...headers, ...cors, 'X-Request-Id': requestId }, body };
}
