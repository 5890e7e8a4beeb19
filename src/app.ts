import type { ExecutionResult } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { authenticate, type Context } from './context.js';
import type { Database } from './database/client.js';
import { useGraphqlRequest } from './http/graphqlRequest.js';
import { healthRoutes } from './http/health.js';
import { masking } from './http/masking.js';
import { useRequestId } from './http/requestId.js';
import type { RequestContext, Route } from './http/route.js';
import { useRouter } from './http/router.js';
import { storedMutations } from './rest/index.js';
import { type Run, restRoutes } from './rest/routes.js';
import { schema } from './schema/index.js';

export interface AppOptions {
  db: Database;
  logger: Logger;
  clock?: () => Date;
  appUrl: string;
  bodyLimit: number;
}

export type App = YogaServerInstance<RequestContext, Context>;

/** The whole product as one fetch handler and Node request listener; holds no state but its parameters. */
export function createApp({ db, logger, clock = () => new Date(), appUrl, bodyLimit }: AppOptions): App {
  const mask = masking(logger);

  // A fresh context object for each operation: Pothos caches what it loads on it.
  const contextOf = ({ actor }: RequestContext): Context => {
    if (!actor) throw new Error('a request passed the router without an actor');
    return { db, actor, now: clock(), appUrl };
  };

  const run: Run = async (document, variables, request, requestContext) => {
    const { contextFactory, execute } = app.getEnveloped({ ...requestContext, request, params: {} });
    const contextValue = await contextFactory();
    return (await execute({ schema, document, variableValues: variables, contextValue })) as ExecutionResult;
  };

  const routes: Route[] = [
    ...healthRoutes(db),
    ...restRoutes(storedMutations, { schema, bodyLimit, run }),
    { path: '/graphql', methods: ['GET', 'POST'] },
  ];

  const app: App = createYoga<RequestContext, Context>({
    schema,
    context: contextOf,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: '/healthz',
    maxRequestBodySize: false,
    cors: false,
    multipart: false,
    logging: false,
    maskedErrors: { maskError: mask },
    plugins: [
      useRequestId(logger),
      useRouter({ routes, mask, authenticate: (request) => authenticate(db, request, clock()) }),
      useGraphqlRequest(bodyLimit),
    ],
  });
  return app;
}
