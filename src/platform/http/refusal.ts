import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { failure } from '../failures/index.js';
import type { Identity } from '../telemetry/index.js';
import { graphqlTypeFor } from './request.js';
import { corsHeaders, graphqlResponse, type HttpResponse, problemResponse, withCommonHeaders } from './response.js';

/** The failure of what Node's parser could not read, or what did not come in time. */
export function clientFailure({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): GraphQLError {
  if (code === 'HPE_INVALID_EOF_STATE')
    return failure('MALFORMED_REQUEST', { problem: 'it ends before it is complete' });
  if (code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT');
  return failure('MALFORMED_REQUEST', { problem: (reason ?? message).replace(/\.$/, '') });
}

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
