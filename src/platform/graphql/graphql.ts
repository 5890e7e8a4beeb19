import { type DocumentNode, type ExecutionResult, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { CallerContext, CallersRoute, Mask, RequestHead } from '../http/index.js';
import { createExecution, type ExecutionOptions } from './execution.js';
import { type Once, type OperationContext, operationOf, type Plugin } from './operation.js';
import { paramsOf } from './params.js';
import { DocumentCache, useParsing } from './parsing.js';
import { ownError } from './plugins.js';
import { catalogued, rejected, respond, responseTypes, streamType } from './responding.js';
import { type SubscriptionOptions, useSubscriptions } from './subscriptions.js';
import { type QueryLimits, useValidation } from './validation.js';

interface GraphqlOptions<Changed> extends ExecutionOptions<Changed>, SubscriptionOptions {
  schema: GraphQLSchema;
  mask: Mask;
  bodyLimit: number;
  queryLimits: QueryLimits;
  /** Plugins of others, whose hooks run after ours. */
  plugins?: readonly Plugin[] | undefined;
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
  context: CallerContext,
  options?: { isStored?: boolean; once?: Once },
) => Promise<ExecutionResult>;

/** Proxies are asked to pass on at once what comes. */
const streamHeaders = {
  'Content-Type': `${streamType}; charset=utf-8`,
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** What a plugin makes of a result must be one, too. */
function onlyResult(result: ExecutionResult | AsyncIterable<unknown>): ExecutionResult {
  if (Symbol.asyncIterator in result) throw new Error('a request has one result');
  return result;
}

/** The GraphQL server: Yoga, with a plugin for each phase. */
export function createGraphql<Changed>(options: GraphqlOptions<Changed>) {
  const { schema, mask, bodyLimit, queryLimits: limits, plugins = [] } = options;
  const documents = new DocumentCache();
  const executeOperation = createExecution(options);
  const execution: Plugin = { onExecute: ({ setExecuteFn }) => setExecuteFn(executeOperation) };
  const yoga = createYoga<OperationContext>({
    schema,
    parserAndValidationCache: false,
    logging: false,
    // Masked below, where it is known whose request it is.
    maskedErrors: false,
    plugins: [
      useParsing({ limits, documents }),
      useValidation({ limits, documents }),
      execution,
      useSubscriptions(options),
      ...plugins,
    ],
  });

  const shownFor = (error: unknown, context: CallerContext, isPartial?: boolean) =>
    catalogued(mask(ownError(error), context, isPartial));

  const masked = (result: ExecutionResult, context: CallerContext): ExecutionResult => {
    if (!result.errors) return result;
    const errors = result.errors.map((error) => shownFor(error, context, Boolean(result.data)));
    // That a change was made is said once, whichever of its fields have failed.
    return { ...result, errors: result.data || !context.record.change?.changed ? errors : errors.slice(0, 1) };
  };

  /** The result of a request, or why it has none. */
  async function resultOf(request: RequestHead, operation: OperationContext): Promise<ExecutionResult> {
    try {
      const params = await paramsOf(request, bodyLimit, operation);
      const { query, variables: variableValues, operationName } = params;
      const enveloped = yoga.getEnveloped(Object.assign(operation, { request, params }));
      const document = enveloped.parse(query);
      const errors = enveloped.validate(enveloped.schema, document);
      if (errors.length > 0) return masked({ errors }, operation);
      const contextValue = await enveloped.contextFactory();
      const isSubscription = operationOf(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
      const run = isSubscription ? enveloped.subscribe : enveloped.execute;
      const args = { schema: enveloped.schema, document, variableValues, operationName, contextValue };
      return masked(onlyResult(await run(args)), operation);
    } catch (error) {
      return { errors: [shownFor(error, operation)] };
    }
  }

  /** Yoga runs what was asked for. Its Request and Response of fetch, which cost a tenth of a small request, stay out. */
  const handle: CallersRoute['handle'] = async (request, context) => {
    const operation: OperationContext = { ...context, isStored: false };
    const result = await resultOf(request, operation);
    if (operation.live) return { status: 200, headers: streamHeaders, live: operation.live };
    return respond(result, request, operation, limits);
  };

  const execute: ExecuteDocument = async (document, variables, request, context, { isStored = true, once } = {}) => {
    const params = { query: document.loc?.source.body, variables };
    const operation = { ...context, request, params, isStored, ...(once && { once }) };
    try {
      const enveloped = yoga.getEnveloped(operation);
      const contextValue = await enveloped.contextFactory();
      const operationName = operationOf(document)?.name?.value;
      const args = { schema: enveloped.schema, document, variableValues: variables, operationName, contextValue };
      return masked(onlyResult(await enveloped.execute(args)), context);
    } catch (error) {
      throw shownFor(error, context);
    }
  };

  const route = (path: string): CallersRoute => ({
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
