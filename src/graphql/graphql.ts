import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { streamType } from '../http/accept.js';
import type { RequestHead } from '../http/requestHead.js';
import type { Handler, RequestContext } from '../http/route.js';
import { DocumentCache } from './documentCache.js';
import { type ExecutionOptions, useExecution } from './execution.js';
import { useParsing } from './parsing.js';
import { type PersistedDocuments, useNoPersistedDocuments, usePersistedDocuments } from './persistedDocuments.js';
import type { OperationContext } from './plugin.js';
import type { QueryLimits } from './queryLimits.js';
import { useResponding } from './responding.js';
import { type SubscriptionOptions, useSubscriptions } from './subscriptions/subscriptions.js';
import { useValidation } from './validation.js';

interface GraphqlOptions<Context extends object, Changed> extends ExecutionOptions<Changed>, SubscriptionOptions {
  schema: GraphQLSchema;
  /** What resolvers get: a new object for each operation, because Pothos caches what it loads on it. */
  contextOf: (context: RequestContext) => Context;
  mask: (error: unknown) => GraphQLError;
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
export function createGraphql<Context extends object, Changed>(options: GraphqlOptions<Context, Changed>) {
  const { schema, contextOf, mask, bodyLimit, limits, persisted } = options;
  const documents = new DocumentCache();
  const yoga = createYoga<OperationContext, Context>({
    schema,
    context: contextOf,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    // Not a path, so that Yoga's own health check never answers: /healthz is one of our routes.
    healthCheckEndpoint: 'none',
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    cors: false,
    multipart: false,
    logging: false,
    maskedErrors: { maskError: mask },
    plugins: [
      persisted ? usePersistedDocuments(persisted) : useNoPersistedDocuments(),
      useParsing({ bodyLimit, tokens: limits.tokens, documents }),
      useValidation({ limits, documents }),
      useExecution(options),
      useSubscriptions(options),
      useResponding(limits),
    ],
  });

  /** GraphQL alone is Yoga's, so that nothing else pays for the Request and Response of fetch. */
  const handle: Handler = async (_request, context) => {
    if (!context.req || !context.res) throw new Error('GraphQL was asked without a request of Node');
    const operation: OperationContext = { ...context, surface: 'GraphQL' };
    const response = await yoga.handleNodeRequestAndResponse(context.req, context.res, operation);
    if (operation.notAcceptable) throw operation.notAcceptable;
    if (operation.live) return { status: 200, headers: streamHeaders, live: operation.live };
    // The server sends the length itself.
    const { 'content-length': _, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  };

  const execute: ExecuteDocument = async (document, variables, request, context) => {
    const enveloped = yoga.getEnveloped({ ...context, request, surface: 'REST' });
    const contextValue = await enveloped.contextFactory();
    return (await enveloped.execute({
      schema,
      document,
      variableValues: variables,
      contextValue,
    })) as ExecutionResult;
  };

  return { handle, execute };
}
