import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { streamType } from '../http/accept.js';
import type { Mask } from '../http/masking.js';
import type { RequestHead } from '../http/requestHead.js';
import type { Handler, RequestContext } from '../http/route.js';
import { DocumentCache } from './documentCache.js';
import { createExecution, type ExecutionOptions, useExecution } from './execution.js';
import { useParsing } from './parsing.js';
import { type PersistedDocuments, useNoPersistedDocuments, usePersistedDocuments } from './persistedDocuments.js';
import type { OperationContext } from './plugin.js';
import type { QueryLimits } from './queryLimits.js';
import { readParams } from './readParams.js';
import { respond } from './responding.js';
import { type SubscriptionOptions, useSubscriptions } from './subscriptions/subscriptions.js';
import { useValidation } from './validation.js';

interface GraphqlOptions<Changed> extends ExecutionOptions<Changed>, SubscriptionOptions {
  schema: GraphQLSchema;
  mask: Mask;
  bodyLimit: number;
  limits: QueryLimits;
  persisted?: PersistedDocuments | undefined;
}

/** Executes a validated document as GraphQL does: with its context, its one execution and its masked errors. */
export type ExecuteDocument = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  request: RequestHead,
  context: RequestContext,
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
    const operation: OperationContext = { ...context, surface: 'GraphQL' };
    const result = await resultOf(request, operation);
    if (operation.live) return { status: 200, headers: streamHeaders, live: operation.live };
    return respond(result, request, operation, limits);
  };

  const execute: ExecuteDocument = async (document, variables, request, context) => {
    const contextValue = { ...context, request, surface: 'REST' } satisfies OperationContext & { request: RequestHead };
    const result = await executeOperation({ schema, document, variableValues: variables, contextValue });
    return masked(result, context);
  };

  return { handle, execute };
}
