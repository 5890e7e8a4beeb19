import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isUnavailable } from '../database/query/unavailable.js';
import { failure } from '../errors/failures.js';
import { loggedIdentity } from '../telemetry/requestRecord.js';
import type { RequestContext } from './route.js';

/** An error as clients may see it. */
export type Mask = (error: unknown, context: RequestContext) => GraphQLError;

/** Several fields fail with the same error if one query loads them all. */
const logged = new WeakSet<object>();

/** Passes expected failures on. Logs any other error, once, and replaces it by a 503 or 500 without details. */
export const masking =
  (logger: Logger): Mask =>
  (error, context) => {
    if (error instanceof GraphQLError) {
      if (!error.originalError) return error;
      if (error.originalError instanceof GraphQLError) return error;
    }
    const cause = error instanceof GraphQLError ? error.originalError : error;
    const isLogged = cause instanceof Error && logged.has(cause);
    if (!isLogged) logger.error({ ...loggedIdentity(context), err: cause }, 'unexpected error');
    if (cause instanceof Error) logged.add(cause);
    const masked = failure(isUnavailable(cause) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR');
    return error instanceof GraphQLError && error.path
      ? new GraphQLError(masked.message, { path: error.path, extensions: masked.extensions })
      : masked;
  };
