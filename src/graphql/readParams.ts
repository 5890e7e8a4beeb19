import type { GraphQLParams } from 'graphql-yoga';
import { failure } from '../errors/failures.js';
import { parseJson } from '../http/input/parseJson.js';
import { readJson } from '../http/input/readJson.js';
import type { RequestHead } from '../http/requestHead.js';
import type { OperationContext } from './plugin.js';

/** Reads the parameters of a POST from its body, with the checks of every JSON body; those of a GET from its URL. */
export async function readParams(
  request: RequestHead,
  bodyLimit: number,
  context: OperationContext,
): Promise<GraphQLParams> {
  if (request.method === 'GET') return readSearch(new URL(request.url).searchParams);
  const body = await readJson(request, bodyLimit, context);
  if (Array.isArray(body)) context.batchSize = body.length;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as GraphQLParams;
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** An empty `operationName` is none, as GraphQL over HTTP says. */
function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search]
    .filter(([name, value]) => name !== 'operationName' || value !== '')
    .map(([name, value]) =>
      (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseJson(value)] : [name, value],
    );
  return Object.fromEntries(given);
}
