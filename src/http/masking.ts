import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { failure } from '../errors/failures.js';

/** Error codes of Prisma, Node and PostgreSQL for a database that cannot be reached. */
const unreachable = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'ECONNREFUSED',
  'ECONNRESET',
  '57P01',
  '57P03',
  '53300',
]);

/** Several fields fail with the same error if one query loads them all. */
const logged = new WeakSet<object>();

/** Passes expected failures on. Logs any other error, once, and replaces it by a 503 or 500 without details. */
export const masking = (logger: Logger) =>
  function mask(error: unknown): GraphQLError {
    if (error instanceof GraphQLError) {
      if (!error.originalError) return error;
      if (error.originalError instanceof GraphQLError) return error;
    }
    const cause = error instanceof GraphQLError ? error.originalError : error;
    const isLogged = cause instanceof Error && logged.has(cause);
    if (!isLogged) logger.error({ err: cause }, 'unexpected error');
    if (cause instanceof Error) logged.add(cause);
    const isUnreachable = unreachable.has(String((cause as { code?: unknown } | undefined)?.code));
    const masked = failure(isUnreachable ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR');
    return error instanceof GraphQLError && error.path
      ? new GraphQLError(masked.message, { path: error.path, extensions: masked.extensions })
      : masked;
  };
