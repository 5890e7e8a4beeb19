import type { GraphQLError } from 'graphql';
import { failure } from '../../errors/failures.js';

/** The failure of what Node's parser could not read, or what did not come in time. */
export function clientFailure({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): GraphQLError {
  if (code === 'HPE_INVALID_EOF_STATE')
    return failure('MALFORMED_REQUEST', { problem: 'it ends before it is complete' });
  if (code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT');
  return failure('MALFORMED_REQUEST', { problem: (reason ?? message).replace(/\.$/, '') });
}
