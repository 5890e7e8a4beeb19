import { GraphQLError } from 'graphql';
import { isErrorCode } from '../errors/catalogue.js';
import { failure, withoutStack } from '../errors/failures.js';
import { shortened } from '../errors/quoted.js';

/** Messages of the parser and of validation quote the document. */
const longestMessage = 4_000;

/** The error as clients see it, with the request id. */
export function shownError({ message, locations, path, extensions }: GraphQLError, requestId: string): object {
  const { http: _, ...shown } = extensions;
  return { message: shortened(message, longestMessage), locations, path, extensions: { ...shown, requestId } };
}

/** Turns an error of Yoga or graphql-js into a failure of the catalogue, which quotes its message. */
export function catalogued(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions;
  if (code === 'BAD_REQUEST' && (http as { status?: number } | undefined)?.status === 405) {
    return failure('METHOD_NOT_ALLOWED', { target: 'A GraphQL mutation', method: 'GET', allow: ['POST'] });
  }
  if (isErrorCode(code)) return error;
  const { message, extensions } = failure('BAD_REQUEST', { problem: error.message });
  return copyOf(error, message, { ...extensions, http: http ?? { ...(extensions.http as object), spec: true } });
}

const copyOf = ({ nodes, source, positions, path }: GraphQLError, message: string, extensions: object) =>
  withoutStack(
    () => new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions: { ...extensions } }),
  );
