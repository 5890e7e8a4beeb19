import { processRegularResult } from 'graphql-yoga';
import { graphqlTypeFor, streamType } from '../http/accept.js';
import { catalogued, shownError } from './errors.js';
import type { Plugin } from './plugin.js';
import { type QueryLimits, reportedCost } from './queryLimits.js';

/** Most operations that clients put into a batch unless they are told otherwise. A larger one gets a single response. */
const usualBatch = 10;

/** From a result to the response: errors of the catalogue, the cost for clients that ask for it, and the media type. */
export const useResponding = (limits: QueryLimits): Plugin => ({
  onResultProcess({ request, result, serverContext, setResult, setResultProcessor }) {
    const type = graphqlTypeFor(request.headers.get('accept'));
    const { batchSize = 0, requestId, record, cost, live } = serverContext;
    if (live) {
      setResultProcessor(() => new Response(null), streamType);
      return;
    }
    // Clients that send batches show no other response to their users than one for each operation.
    const isBatch = batchSize > 0 && batchSize <= usualBatch;
    setResultProcessor(isBatch ? repeated(batchSize) : processRegularResult, type);
    if (Array.isArray(result) || Symbol.asyncIterator in result) return;
    const errors = result.errors?.map(catalogued);
    if (errors) record?.addErrors(errors);
    const notAcceptable = errors?.find(({ extensions }) => extensions.code === 'NOT_ACCEPTABLE');
    if (notAcceptable) Object.assign(serverContext, { notAcceptable });
    const isPartial = result.data !== null && result.data !== undefined;
    const wantsCost = request.headers.get('graphql-cost')?.trim().toLowerCase() === 'report';
    setResult({
      ...result,
      ...(errors && { errors: errors.map((error) => shownError(error, requestId, isPartial)) }),
      ...(wantsCost && { extensions: { ...result.extensions, cost: reportedCost(limits, cost) } }),
    });
  },
});

const repeated =
  (count: number) =>
  async (...given: Parameters<typeof processRegularResult>): Promise<Response> => {
    const { status, headers, body } = processRegularResult(...given);
    const response = await new Response(body).text();
    return new Response(`[${Array(count).fill(response).join(',')}]`, { status, headers });
  };
