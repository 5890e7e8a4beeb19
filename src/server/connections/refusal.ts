import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { graphqlTypeFor } from '../../http/accept.js';
import { corsHeaders } from '../../http/cors.js';
import { graphqlResponse, problemResponse } from '../../http/problem.js';
import { type HttpResponse, withCommonHeaders } from '../../http/response.js';
import type { Identity } from '../../telemetry/requestRecord.js';

export interface RefusalOptions {
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
}

/** With which GraphQL can be refused before anything looks at the request; the others are of HTTP itself. */
const graphqlCodes: ReadonlySet<unknown> = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

/** The response to a request that does not reach the gateway, with everything that an response of the gateway has. */
export function refusal(
  error: GraphQLError,
  { requestId }: Identity,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): HttpResponse {
  const isGraphql = graphqlCodes.has(error.extensions.code) && /^\/graphql\/?(\?|$)/.test(req?.url ?? '');
  const response = isGraphql
    ? graphqlResponse(error, requestId, graphqlTypeFor(req?.headers.accept ?? null))
    : problemResponse(error, requestId, publicUrl);
  return withCommonHeaders(response, { requestId, responseHeaders: corsHeaders(corsOrigins, req?.headers.origin) });
}
