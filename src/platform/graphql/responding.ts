import { type ExecutionResult, GraphQLError } from 'graphql';
import {
  failure,
  headersOf,
  isErrorCode,
  refusesRequest,
  shortened,
  statusOf,
  withoutStack,
} from '../failures/index.js';
import { type HttpResponse, type RequestHead, readAccept, requireAcceptable } from '../http/index.js';
import { noCost, type OperationContext, type QueryCost } from './operation.js';

/** Its clients, which are older than the other type, read `errors` only from a response with 200. */
const plainJson = 'application/json';
const jsonTypes = [plainJson, 'application/graphql-response+json'] as const;
export const streamType = 'text/event-stream';
export const responseTypes = [...jsonTypes, streamType];

/** Throws 406 unless `Accept` allows the response to an operation. It must name a stream: a client that expects none would wait for its end. */
export function requireType(accept: string | null, isSubscription: boolean): void {
  if (!isSubscription) requireAcceptable(accept, jsonTypes);
  else if (!readAccept(accept).names(streamType))
    throw failure('NOT_ACCEPTABLE', { types: [streamType], isSubscription });
}

/** The media type that the client prefers; Yoga itself ignores qualities. A client that asks for a stream gets its failures with their status. */
export function typeFor(accept: string | null): string {
  const accepted = readAccept(accept);
  return accepted.preferred(jsonTypes) ?? jsonTypes[accepted.quality(streamType) > 0 ? 1 : 0];
}

/** The response to a request that was rejected before its operation was read. */
export function rejected(error: GraphQLError, { headers }: RequestHead, requestId: string): HttpResponse {
  const { http, ...extensions } = error.extensions;
  const { status = 500 } = (http ?? {}) as { status?: number };
  const type = `${typeFor(headers.get('accept'))}; charset=utf-8`;
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensions, requestId } }] });
  return { status, headers: { ...headersOf(error), 'Content-Type': type }, body };
}

/** Messages of the parser and of validation quote the document. */
const longestMessage = 4_000;

/** The error as clients see it, with the request id. */
export function shownError({ message, locations, path, extensions }: GraphQLError, requestId: string): object {
  const { http: _, ...shown } = extensions;
  return { message: shortened(message, longestMessage), locations, path, extensions: { ...shown, requestId } };
}

/**
 * Turns an error of Yoga or graphql-js, which has found something wrong with a request, into a failure of the catalogue
 * that quotes its message. One with a code of its own is a plugin's, and stays as that words it.
 */
export function catalogued(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions;
  if (code === 'BAD_REQUEST' && (http as { status?: number } | undefined)?.status === 405) {
    return failure('METHOD_NOT_ALLOWED', { target: 'A GraphQL mutation', method: 'GET', allow: ['POST'] });
  }
  if (isErrorCode(code) || (typeof code === 'string' && statusOf(error))) return error;
  const { message, extensions } = failure('BAD_REQUEST', { problem: error.message });
  const status = http ?? { ...(extensions.http as object), spec: true };
  if (typeof code === 'string') return copyOf(error, error.message, { ...error.extensions, http: status });
  return copyOf(error, message, { ...extensions, http: status });
}

const copyOf = ({ nodes, source, positions, path }: GraphQLError, message: string, extensions: object) =>
  withoutStack(
    () => new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions: { ...extensions } }),
  );

type ReportedCost = Pick<QueryCost, 'complexity' | 'depth' | 'aliases'>;

const reported = ({ complexity, depth, aliases }: ReportedCost) => ({ complexity, depth, aliases });

/** From a result to the response: errors of the catalogue, the media type, and for `GraphQL-Cost: report` the cost. */
export function respond(
  result: ExecutionResult,
  { headers }: RequestHead,
  { requestId, record, cost }: OperationContext,
  limits: ReportedCost,
): HttpResponse {
  const type = typeFor(headers.get('accept'));
  const errors = result.errors ?? [];
  record.addErrors(errors);
  const isPartial = result.data !== null && result.data !== undefined;
  const wantsCost = headers.get('graphql-cost')?.trim().toLowerCase() === 'report';
  const shown = {
    ...result,
    ...(errors.length > 0 && { errors: errors.map((error) => shownError(error, requestId)) }),
    ...(wantsCost && {
      extensions: { ...result.extensions, cost: { ...reported(cost ?? noCost), limits: reported(limits) } },
    }),
  };
  const body = JSON.stringify(shown);
  const outcome = isPartial ? 200 : highestStatus(errors);
  return {
    status: type !== plainJson || errors.some(keepsStatus) ? outcome : 200,
    outcome,
    headers: { ...Object.assign({}, ...errors.map(headersOf)), 'Content-Type': `${type}; charset=utf-8` },
    body,
  };
}

const highestStatus = (errors: readonly GraphQLError[]): number =>
  Math.max(200, ...errors.map((error) => statusOf(error) ?? 200));

/** Whether a well-formed request has it, which graphql-js and Yoga say of theirs. */
const isOfSpec = ({ extensions: { http } }: GraphQLError) => (http as { spec?: boolean } | undefined)?.spec === true;

/** Whether a plugin refuses the request as a whole, in words of its own. */
const isOwnRefusal = ({ path, extensions: { code } }: GraphQLError) => !path && !isErrorCode(code);

/** Whether a client that accepts plain JSON learns it by the status, as GraphQL over HTTP wants of what is no request. */
const keepsStatus = (error: GraphQLError) => (refusesRequest(error) || isOwnRefusal(error)) && !isOfSpec(error);
