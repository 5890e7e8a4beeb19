import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { failure, quoted } from '../failures/index.js';
import { parseRequestJson, type RequestHead, readJson } from '../http/index.js';
import type { OperationContext } from './operation.js';

/** The parameters of a request, with the text of its document. Throws what it is refused with. */
export async function paramsOf(
  request: RequestHead,
  bodyLimit: number,
  operation: OperationContext,
): Promise<GraphQLParams & { query: string }> {
  const params = withoutNulls(await readParams(request, bodyLimit, operation));
  if (params.query === undefined) throw missingQuery(params);
  requireTypes(params);
  return params;
}

/** Reads the parameters of a POST from its body, with the checks of every JSON body; those of a GET from its URL. */
async function readParams(request: RequestHead, bodyLimit: number, context: OperationContext): Promise<GraphQLParams> {
  if (request.method === 'GET') return readSearch(new URL(request.url).searchParams);
  const body = await readJson(request, bodyLimit, context);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as GraphQLParams;
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** Null is missing, and so is an empty `operationName`. */
function withoutNulls(given: GraphQLParams): GraphQLParams {
  const isGiven = ([name, value]: [string, unknown]) => value !== null && (name !== 'operationName' || value !== '');
  return Object.fromEntries(Object.entries(given).filter(isGiven));
}

/** Says which parameter is missing, rather than which is unknown. */
function missingQuery(params: GraphQLParams): GraphQLError {
  if (params.extensions?.persistedQuery) return failure('PERSISTED_QUERY_NOT_SUPPORTED');
  const other = Object.keys(params).find((name) => !parameters.has(name));
  if (other === undefined) return failure('BAD_REQUEST', {});
  return failure('BAD_REQUEST', { problem: `The parameter "query" is missing. ${quoted(other)} is not a parameter.` });
}

function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search].map(([name, value]) =>
    (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseRequestJson(value)] : [name, value],
  );
  return Object.fromEntries(given);
}

const parameters = new Set(['query', 'variables', 'operationName', 'extensions']);
const expected: Record<string, string | undefined> = {
  query: 'a string',
  variables: 'empty or an object',
  extensions: 'empty or an object',
};

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Throws 400 for what is no parameter, and for one of another type. `operationName` is checked with its document. */
function requireTypes(params: GraphQLParams): asserts params is GraphQLParams & { query: string } {
  for (const [name, value] of Object.entries(params)) {
    if (!parameters.has(name))
      throw failure('BAD_REQUEST', { problem: `Unexpected parameter ${quoted(name)} in the request body.` });
    const wanted = expected[name];
    const kind = kindOf(value);
    if (wanted && !wanted.endsWith(kind))
      throw failure('BAD_REQUEST', { problem: `Expected "${name}" param to be ${wanted}, but given ${kind}.` });
  }
}
