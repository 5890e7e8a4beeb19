import { processRegularResult } from 'graphql-yoga';
import { graphqlTypeFor } from './accept.js';
import type { Step } from './route.js';

/** Most operations that clients put into a batch unless they are told otherwise. A larger one gets a single answer. */
const usualSize = 10;

/** Refuses a batch once for each operation in it: clients that send batches show no other answer to their users. */
export const useRefusedBatch = (): Step => ({
  onResultProcess({ request, serverContext: { batchSize = 0 }, setResultProcessor }) {
    if (batchSize === 0 || batchSize > usualSize) return;
    setResultProcessor(repeated(batchSize), graphqlTypeFor(request.headers.get('accept')));
  },
});

const repeated =
  (count: number) =>
  async (...given: Parameters<typeof processRegularResult>): Promise<Response> => {
    const { status, headers, body } = processRegularResult(...given);
    const answer = await new Response(body).text();
    return new Response(`[${Array(count).fill(answer).join(',')}]`, { status, headers });
  };
