import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isTimeout, isUnavailable } from '../database/query/unavailable.js';
import { failure, tooManyOfOne } from '../errors/failures.js';
import { loggedIdentity } from '../telemetry/requestRecord.js';
import type { RequestContext } from './route.js';

/** An error as clients may see it. */
export type Mask = (error: unknown, context: RequestContext) => GraphQLError;

/** Several fields fail with the same error if one query loads them all. */
const logged = new WeakSet<object>();

/**
 * Passes expected failures on. Logs any other error, once, and replaces it by a 503 or 500 without details. A request that
 * ran out of time while it waited because its company uses much is its own fault: 429, and no line in the log.
 */
export const masking =
  (logger: Logger): Mask =>
  (error, context) => {
    if (error instanceof GraphQLError) {
      if (!error.originalError) return error;
      if (error.originalError instanceof GraphQLError) return error;
    }
    const cause = error instanceof GraphQLError ? error.originalError : error;
    const { limitedWaits = 0, isChange } = context.scope ?? {};
    if (limitedWaits > 0 && !isChange && isTimeout(cause)) return at(error, tooManyOfOne());
    const isLogged = cause instanceof Error && logged.has(cause);
    if (!isLogged) logger.error({ ...loggedIdentity(context), err: cause }, 'unexpected error');
    if (cause instanceof Error) logged.add(cause);
    return at(error, failure(isUnavailable(cause) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR'));
  };

/** The failure of the field, if any, that failed with an error. */
const at = (error: unknown, { message, extensions }: GraphQLError) =>
  new GraphQLError(message, { path: error instanceof GraphQLError ? error.path : undefined, extensions });
