import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { failure } from '../failures/index.js';
import type { Identity } from '../telemetry/index.js';
import { corsHeaders, type HttpResponse, problemResponse, withCommonHeaders } from './response.js';

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

/** The response to what is no request, with everything that a response of the gateway has. */
export function refusal(
  error: GraphQLError,
  { requestId }: Identity,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): HttpResponse {
  return withCommonHeaders(problemResponse(error, requestId, publicUrl), {
    requestId,
    responseHeaders: corsHeaders(corsOrigins, req?.headers.origin),
  });
}
