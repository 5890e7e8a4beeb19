import type { ExecutionResult } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { authenticate, type Context } from './context.js';
import type { Database } from './database/client.js';
import { useAccept } from './http/accept.js';
import { contentRoute, types } from './http/contentRoute.js';
import { useCors } from './http/cors.js';
import { useGraphqlRequest } from './http/graphqlRequest.js';
import { healthRoutes } from './http/health.js';
import { useIdempotency } from './http/idempotency.js';
import { type QueryLimits, useQueryLimits } from './http/limits/queryLimits.js';
import { rateLimit } from './http/limits/rateLimit.js';
import type { RateLimiters } from './http/limits/rateLimiters.js';
import { useLingeringClose } from './http/lingeringClose.js';
import { masking } from './http/masking.js';
import { type PersistedDocuments, usePersistedDocuments } from './http/persistedDocuments.js';
import { useRequestId } from './http/requestId.js';
import { useResponseHeaders } from './http/responseHeaders.js';
import type { RequestContext, Route } from './http/route.js';
import { useRouter } from './http/router.js';
import { errorPages } from './pages/errors.js';
import type { Demo } from './pages/examples.js';
import { graphiqlRoutes } from './pages/graphiql.js';
import { docsRoutes } from './pages/reference.js';
import { startRoutes } from './pages/start.js';
import { storedMutations } from './rest/index.js';
import { openApiRoute } from './rest/openapi/route.js';
import { type Run, restRoutes } from './rest/routes.js';
import { schema } from './schema/index.js';
import { sdl } from './schema/sdl.js';

export interface AppOptions {
  db: Database;
  logger: Logger;
  clock?: () => Date;
  appUrl: string;
  /** Address of this server as its callers see it, for absolute links; without it links are relative. */
  publicUrl?: string | undefined;
  bodyLimit: number;
  /** How long the outcome of a request with an Idempotency-Key is kept. */
  idempotencySeconds?: number;
  /** Whether browsers find GraphiQL at /graphql. */
  graphiql?: boolean;
  /** What the pages prefill for browsers on this machine; left out wherever the token is a secret. */
  demo?: (() => Promise<Demo>) | undefined;
  /** Left out: nothing is counted. */
  rateLimiters?: RateLimiters;
  /** Proxies in front whose `X-Forwarded-For` is believed. */
  trustedProxies?: number;
  /** How much one GraphQL request may ask for. */
  queryLimits?: Partial<QueryLimits>;
  /** Origins whose pages may call us from a browser. */
  corsOrigins?: readonly string[];
  /** Documents that run by their identifier; left out: there are none. */
  persisted?: PersistedDocuments | undefined;
}

export type App = YogaServerInstance<RequestContext, Context>;

/** The whole product as one fetch handler and Node request listener; holds no state but its parameters. */
export function createApp({
  db,
  logger,
  clock = () => new Date(),
  appUrl,
  publicUrl,
  bodyLimit,
  idempotencySeconds = 86_400,
  graphiql = true,
  demo,
  rateLimiters,
  trustedProxies = 0,
  queryLimits = {},
  corsOrigins = [],
  persisted,
}: AppOptions): App {
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

  const has = (path: string) => routes.some((route) => route.path === path && route.public);
  const routes: Route[] = [
    ...healthRoutes(db),
    ...restRoutes(storedMutations, { schema, bodyLimit, run }),
    ...docsRoutes(demo),
    ...errorPages(publicUrl),
    openApiRoute(schema, storedMutations, publicUrl),
    ...startRoutes({ db, publicUrl, demo, has }),
    ...(graphiql && !persisted?.only ? graphiqlRoutes({ schema, demo }) : []),
    contentRoute('/schema.graphql', types.text, sdl),
    { path: '/graphql', methods: ['GET', 'POST'] },
  ];

  const app: App = createYoga<RequestContext, Context>({
    schema,
    context: contextOf,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    // Not a path, so that Yoga's own never answers: /healthz is a route like any other.
    healthCheckEndpoint: 'none',
    maxRequestBodySize: false,
    cors: false,
    multipart: false,
    logging: false,
    maskedErrors: { maskError: mask },
    plugins: [
      useResponseHeaders(),
      useRequestId(logger),
      useLingeringClose(),
      useCors(corsOrigins),
      useRouter({
        routes,
        mask,
        publicUrl,
        authenticate: (request) => authenticate(db, request, clock()),
        limit: rateLimiters && rateLimit({ limiters: rateLimiters, trustedProxies, logger }),
      }),
      useAccept(),
      useGraphqlRequest(bodyLimit),
      ...(persisted ? [usePersistedDocuments(persisted)] : []),
      useQueryLimits(queryLimits),
      useIdempotency({ db, clock, keptSeconds: idempotencySeconds }),
    ],
  });
  return app;
}
