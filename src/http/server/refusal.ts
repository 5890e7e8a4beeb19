import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { graphqlTypeFor } from '../accept.js';
import { type Answer, withCommonHeaders } from '../answer.js';
import { corsHeaders } from '../cors.js';
import { graphqlAnswer, problemAnswer } from '../problem.js';
import type { Identity } from '../telemetry/requestRecord.js';

export interface RefusalOptions {
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
}

/** The answer to a request that does not reach the gateway, with everything that an answer of the gateway has. */
export function refusal(
  error: GraphQLError,
  { requestId }: Identity,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): Answer {
  const isGraphql = error.extensions.code === 'SERVICE_UNAVAILABLE' && /^\/graphql\/?(\?|$)/.test(req?.url ?? '');
  const answer = isGraphql
    ? graphqlAnswer(error, requestId, graphqlTypeFor(req?.headers.accept ?? null))
    : problemAnswer(error, requestId, publicUrl);
  return withCommonHeaders(answer, { requestId, responseHeaders: corsHeaders(corsOrigins, req?.headers.origin) });
}
