import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import { failure, quoted } from '../failures/index.js';
import {
  type Handler,
  type Mask,
  parseRequestJson,
  type RequestContext,
  type RequestHead,
  type Route,
  readJson,
} from '../http/index.js';
import { createExecution, type ExecutionOptions, useExecution } from './execution.js';
import { responseTypes, streamType } from './mediaTypes.js';
import type { Once, OperationContext } from './operation.js';
import {
  DocumentCache,
  type PersistedDocuments,
  useNoPersistedDocuments,
  useParsing,
  usePersistedDocuments,
} from './parsing.js';
import { rejected, respond } from './responding.js';
import { type SubscriptionOptions, useSubscriptions } from './subscriptions.js';
import { type QueryLimits, useValidation } from './validation.js';

/** Reads the parameters of a POST from its body, with the checks of every JSON body; those of a GET from its URL. */
async function readParams(request: RequestHead, bodyLimit: number, context: OperationContext): Promise<GraphQLParams> {
  if (request.method === 'GET') return withQuery(readSearch(new URL(request.url).searchParams));
  const body = await readJson(request, bodyLimit, context);
  if (Array.isArray(body)) context.batchSize = body.length;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return withQuery(body as GraphQLParams);
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** Says which parameter is missing, rather than which is unknown: `q` was perhaps meant to be the query. One that is null is. */
function withQuery(given: GraphQLParams): GraphQLParams {
  const params: GraphQLParams = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  if ('query' in params && 'documentId' in params)
    throw failure('BAD_REQUEST', { problem: 'Send either query or documentId, not both.' });
  if ('query' in params || 'documentId' in params || 'extensions' in params) return params;
  const [other] = Object.keys(params).filter((name) => name !== 'variables' && name !== 'operationName');
  if (other === undefined) throw failure('BAD_REQUEST', {});
  throw failure('BAD_REQUEST', { problem: `The parameter "query" is missing. ${quoted(other)} is not a parameter.` });
}

/** An empty `operationName` is none, as GraphQL over HTTP says. */
function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search]
    .filter(([name, value]) => name !== 'operationName' || value !== '')
    .map(([name, value]) =>
      (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseRequestJson(value)] : [name, value],
    );
  return Object.fromEntries(given);
}

interface GraphqlOptions<Changed> extends ExecutionOptions<Changed>, SubscriptionOptions {
  schema: GraphQLSchema;
  mask: Mask;
  bodyLimit: number;
  limits: QueryLimits;
  persisted?: PersistedDocuments | undefined;
}

/**
 * Executes a validated document as GraphQL does: with its context, its one execution and its masked errors. If
 * `isStored` is false, the values of its variables are checked and its response is bounded, as for clients' documents.
 * With `once`, its change happens once.
 */
export type ExecuteDocument = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  request: RequestHead,
  context: RequestContext,
  options?: { isStored?: boolean; once?: Once },
) => Promise<ExecutionResult>;

/** Proxies are asked to pass on at once what comes. */
const streamHeaders = {
  'Content-Type': `${streamType}; charset=utf-8`,
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** The GraphQL server: Yoga, with a plugin for each phase. */
export function createGraphql<Changed>(options: GraphqlOptions<Changed>) {
  const { schema, mask, bodyLimit, limits, persisted } = options;
  const documents = new DocumentCache();
  const executeOperation = createExecution(options);
  const yoga = createYoga<OperationContext>({
    schema,
    parserAndValidationCache: false,
    logging: false,
    // Masked below, where it is known whose request it is.
    maskedErrors: false,
    plugins: [
      persisted ? usePersistedDocuments(persisted) : useNoPersistedDocuments(),
      useParsing({ limits, documents }),
      useValidation({ limits, documents }),
      useExecution(executeOperation),
      useSubscriptions(options),
    ],
  });

  const masked = (result: ExecutionResult, context: RequestContext): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map((error) => mask(error, context)) } : result;

  /** The result of a request, or why it has none. Yoga reads no more of a request than its method and headers. */
  async function resultOf(request: RequestHead, operation: OperationContext) {
    try {
      const params = await readParams(request, bodyLimit, operation);
      const result = await yoga.getResultForParams({ params, request: request as Request }, operation);
      if (!result || Symbol.asyncIterator in result) throw new Error('a request has one result');
      return masked(result, operation);
    } catch (error) {
      return { errors: [mask(error, operation)] };
    }
  }

  /** Yoga runs what was asked for. Its Request and Response of fetch, which cost a tenth of a small request, stay out. */
  const handle: Handler = async (request, context) => {
    const operation: OperationContext = { ...context, isStored: false };
    const result = await resultOf(request, operation);
    if (operation.live) return { status: 200, headers: streamHeaders, live: operation.live };
    return respond(result, request, operation, limits);
  };

  const execute: ExecuteDocument = async (document, variables, request, context, { isStored = true, once } = {}) => {
    const contextValue = { ...context, request, isStored, ...(once && { once }) } satisfies OperationContext & {
      request: RequestHead;
    };
    const result = await executeOperation({ schema, document, variableValues: variables, contextValue });
    return masked(result, context);
  };

  /** The path of GraphQL. */
  const route = (path: string): Route => ({
    path,
    methods: ['GET', 'POST'],
    surface: 'graphql',
    precondition: 'send the `state` of a preview as `expectedState` in the input',
    types: responseTypes,
    rejected,
    handle,
  });
  return { route, execute };
}
