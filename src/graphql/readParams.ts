import type { GraphQLParams } from 'graphql-yoga';
import { failure } from '../errors/failures.js';
import { parseJson } from '../http/input/parseJson.js';
import { readJson } from '../http/input/readJson.js';
import type { RequestHead } from '../http/requestHead.js';
import type { OperationContext } from './plugin.js';

/** Reads the parameters of a POST from its body, with the checks of every JSON body. */
export async function readBody(request: RequestHead, bodyLimit: number, context: OperationContext) {
  const body = await readJson(request, bodyLimit, context);
  if (Array.isArray(body)) context.batchSize = body.length;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as GraphQLParams;
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** Reads the parameters of a GET. An empty `operationName` is none, as GraphQL over HTTP says. */
export function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search]
    .filter(([name, value]) => name !== 'operationName' || value !== '')
    .map(([name, value]) =>
      (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseJson(value)] : [name, value],
    );
  return Object.fromEntries(given);
}
