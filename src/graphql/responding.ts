import type { ExecutionResult, GraphQLError } from 'graphql';
import { headersOf } from '../errors/problem.js';
import { graphqlTypeFor } from '../http/accept.js';
import type { RequestHead } from '../http/requestHead.js';
import type { HttpResponse } from '../http/response.js';
import { catalogued, shownError } from './errors.js';
import { jsonInTurns } from './jsonInTurns.js';
import type { OperationContext } from './plugin.js';
import { type QueryLimits, reportedCost } from './queryLimits.js';

/** Most operations that clients put into a batch unless they are told otherwise. A larger one gets a single response. */
const usualBatch = 10;

/** From a result to the response: errors of the catalogue, the cost for clients that ask for it, and the media type. */
export async function respond(
  result: ExecutionResult,
  { headers }: RequestHead,
  { batchSize = 0, requestId, record, cost, isLong }: OperationContext,
  limits: QueryLimits,
): Promise<HttpResponse> {
  const type = graphqlTypeFor(headers.get('accept'));
  const errors = result.errors?.map(catalogued) ?? [];
  record?.addErrors(errors);
  const notAcceptable = errors.find(({ extensions }) => extensions.code === 'NOT_ACCEPTABLE');
  if (notAcceptable) throw notAcceptable;
  const isPartial = result.data !== null && result.data !== undefined;
  const wantsCost = headers.get('graphql-cost')?.trim().toLowerCase() === 'report';
  const shown = {
    ...result,
    ...(errors.length > 0 && { errors: errors.map((error) => shownError(error, requestId)) }),
    ...(wantsCost && { extensions: { ...result.extensions, cost: reportedCost(limits, cost) } }),
  };
  const body = isLong ? await jsonInTurns(shown) : JSON.stringify(shown);
  // Clients that send batches show no other response to their users than one for each operation.
  const isBatch = batchSize > 0 && batchSize <= usualBatch;
  return {
    status: isPartial ? 200 : statusOf(errors, type),
    headers: { ...Object.assign({}, ...errors.map(headersOf)), 'Content-Type': `${type}; charset=utf-8` },
    body: isBatch ? `[${Array(batchSize).fill(body).join(',')}]` : body,
  };
}

/** The highest of the errors. A client that accepts plain JSON gets 200 for an invalid document. */
const statusOf = (errors: readonly GraphQLError[], type: string): number =>
  Math.max(
    200,
    ...errors.map(({ extensions }) => {
      const { status = 200, spec } = (extensions.http ?? {}) as { status?: number; spec?: boolean };
      return spec && type === 'application/json' ? 200 : status;
    }),
  );
