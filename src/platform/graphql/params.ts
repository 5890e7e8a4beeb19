import type { GraphQLParams } from 'graphql-yoga';
import { failure, quoted } from '../failures/index.js';
import { parseRequestJson, type RequestHead, readJson } from '../http/index.js';
import type { OperationContext } from './operation.js';
import { type PersistedDocuments, persistedText } from './parsing.js';

interface ParamsOptions {
  bodyLimit: number;
  persisted: PersistedDocuments | undefined;
}

/** The parameters of a request, with the text of its document. Throws what it is refused with. */
export async function paramsOf(
  request: RequestHead,
  { bodyLimit, persisted }: ParamsOptions,
  operation: OperationContext,
): Promise<GraphQLParams & { query: string }> {
  const given = await readParams(request, bodyLimit, operation);
  const text = persistedText(given, persisted);
  const params = text === undefined ? given : withText(given, text);
  requireTypes(params);
  return params;
}

/** The parameters with the document in the place of what names it. */
const withText = ({ operationName, variables, extensions }: GraphQLParams, query: string): GraphQLParams => ({
  query,
  ...(operationName !== undefined && { operationName }),
  ...(variables !== undefined && { variables }),
  ...(extensions !== undefined && { extensions }),
});

/** Reads the parameters of a POST from its body, with the checks of every JSON body; those of a GET from its URL. */
async function readParams(request: RequestHead, bodyLimit: number, context: OperationContext): Promise<GraphQLParams> {
  if (request.method === 'GET') return withQuery(readSearch(new URL(request.url).searchParams));
  const body = await readJson(request, bodyLimit, context);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return withQuery(body as GraphQLParams);
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** Says which parameter is missing, rather than which is unknown. Null is missing, and so is an empty `operationName`. */
function withQuery(given: GraphQLParams): GraphQLParams {
  const isGiven = ([name, value]: [string, unknown]) => value !== null && (name !== 'operationName' || value !== '');
  const params: GraphQLParams = Object.fromEntries(Object.entries(given).filter(isGiven));
  if ('query' in params && 'documentId' in params)
    throw failure('BAD_REQUEST', { problem: 'Send either query or documentId, not both.' });
  if ('query' in params || 'documentId' in params || 'extensions' in params) return params;
  const [other] = Object.keys(params).filter((name) => name !== 'variables' && name !== 'operationName');
  if (other === undefined) throw failure('BAD_REQUEST', {});
  throw failure('BAD_REQUEST', { problem: `The parameter "query" is missing. ${quoted(other)} is not a parameter.` });
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
  if (params.query === undefined) throw failure('BAD_REQUEST', {});
}
