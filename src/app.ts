import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { authenticator, type Context, type WebhookRules } from './context.js';
import type { Database } from './database/query/client.js';
import type { Replicas } from './database/servers/replicas/replicas.js';
import { bearerHash } from './database/tokens.js';
import { defaults } from './defaults.js';
import type { Streams } from './events/streams/streams.js';
import { createGraphql } from './graphql/graphql.js';
import type { PersistedDocuments } from './graphql/persistedDocuments.js';
import type { QueryLimits } from './graphql/queryLimits.js';
import type { StreamSummary } from './graphql/subscriptions/serverSentEvents.js';
import { compressedPages } from './http/compression.js';
import { contentRoute, types } from './http/contentRoute.js';
import { cors } from './http/cors.js';
import { databaseTimeout } from './http/databaseTimeout.js';
import { answers, healthRoutes } from './http/health.js';
import { leadsTo } from './http/leadsTo.js';
import { Callers } from './http/limits/callers.js';
import { rateLimit } from './http/limits/rateLimit.js';
import type { RateLimiters } from './http/limits/rateLimiters.js';
import { masking } from './http/masking.js';
import type { RequestHead } from './http/requestHead.js';
import { commonHeaders } from './http/response.js';
import type { Handler, RequestContext, Route } from './http/route.js';
import { router } from './http/router.js';
import { lockChanges } from './operations/lockChanges.js';
import type { DemoKey } from './pages/demoKey.js';
import { errorPages } from './pages/errorPages.js';
import { examplesRoute } from './pages/examplesRoute.js';
import { graphiqlRoutes } from './pages/graphiql.js';
import { lookUpAs } from './pages/lookUpAs.js';
import { noPage } from './pages/noPage.js';
import { referenceRoutes } from './pages/reference.js';
import { schemaPage } from './pages/schemaPage.js';
import { startRoutes } from './pages/start.js';
import { type WorkedExamples, workedExamples } from './pages/workedExamples.js';
import { apiRoot } from './rest/apiRoot.js';
import { openApiDocument } from './rest/openapi/openApiDocument.js';
import { openApiRoutes } from './rest/openapi/openApiRoute.js';
import { prepare } from './rest/prepare.js';
import { restRoutes } from './rest/routes.js';
import { storedMutations } from './rest/storedMutations.js';
import { schema } from './schema/index.js';
import { sdl } from './schema/sdl.js';

export interface AppOptions {
  db: Database;
  /** Standbys of the database that may answer queries. */
  replicas?: Replicas | undefined;
  logger: Logger;
  clock?: () => Date;
  appUrl: string;
  /** Address of this server as its callers see it, for absolute links. If omitted, links are relative. */
  publicUrl?: string | undefined;
  /** Largest request body, in bytes. */
  bodyLimit?: number;
  /** Seconds for which the outcome of a request with an Idempotency-Key is kept. */
  idempotencySeconds?: number;
  /** How long a request may wait for the database in all, in milliseconds. */
  databaseTimeout?: number;
  /** Whether /graphql serves GraphiQL to browsers. */
  graphiql?: boolean;
  /** A demo workspace: its tokens, and the key with which the pages show them to browsers on this machine. */
  demo?: { token: string; readOnlyToken?: string; key?: DemoKey | undefined } | undefined;
  /** Aborted when this server stops, for its readiness. */
  stopping?: AbortSignal;
  /** If omitted, no request is counted. */
  rateLimiters?: RateLimiters;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  trustedProxies?: number;
  /** The most characters in the response to a GraphQL request. */
  responseCharacters?: number;
  /** Replaces the defaults of some or all query limits. */
  queryLimits?: Partial<QueryLimits>;
  /** Origins whose web pages may call the API. */
  corsOrigins?: readonly string[];
  /** GraphQL documents that clients may run by identifier. */
  persisted?: PersistedDocuments | undefined;
  /** Called with the company after a mutation has been committed there. */
  onChange?: (companyId: string) => void;
  /** The open subscriptions. */
  streams: Streams;
  /** If omitted, no webhook can be made. */
  webhooks?: WebhookRules;
}

export interface App {
  handle: Handler;
  /** How a request fails before it gets a slot, if that is known already. */
  refusal: (request: RequestHead, context: RequestContext) => GraphQLError | undefined;
  /** Who the callers are whose tokens it has looked up. */
  callers: Callers;
  /** Every path that it answers. */
  routes: readonly Route[];
  /** Example calls, on records of the demo workspace if there is one. */
  workedExamples(): Promise<WorkedExamples>;
}

/** Creates the gateway, which answers requests. Two gateways share nothing but their options. */
export function createPipeline({
  db,
  replicas,
  logger,
  clock = () => new Date(),
  appUrl,
  publicUrl,
  bodyLimit = defaults.bodyLimit,
  idempotencySeconds = defaults.idempotencyHours * 3600,
  databaseTimeout: databaseMilliseconds = defaults.databaseTimeout,
  graphiql = true,
  demo,
  stopping,
  rateLimiters,
  trustedProxies = defaults.trustedProxies,
  responseCharacters = defaults.responseCharacters,
  queryLimits = {},
  corsOrigins = [],
  persisted,
  onChange = () => {},
  streams,
  webhooks = { keys: [], allow: [], own: [] },
}: AppOptions): App {
  const mask = masking(logger);

  // A new context object for each operation, because Pothos caches what it loads on it.
  const contextOf = ({ actor, req }: RequestContext): Context => {
    if (!actor) throw new Error('a request passed the router without an actor');
    const lastEventId = req?.headers['last-event-id'];
    return {
      db,
      actor,
      now: clock(),
      appUrl,
      streams,
      webhooks,
      lastEventId: lastEventId ? String(lastEventId) : null,
    };
  };

  const onStreamEnd = ({ requestId, record, actor }: RequestContext, { events, ending }: StreamSummary) => {
    const { personId, companyId, tokenId } = actor ?? {};
    const milliseconds = record && Math.round(performance.now() - record.startedAt);
    logger.info({ requestId, personId, companyId, tokenId, events, milliseconds, ending }, 'stream ended');
  };

  const graphql = createGraphql({
    schema,
    contextOf,
    mask,
    bodyLimit,
    limits: { ...defaults.queryLimits, ...queryLimits },
    persisted,
    db,
    idempotencySeconds,
    responseCharacters,
    replicas,
    lockChanges,
    onChange,
    onStreamEnd,
  });

  const callers = new Callers(trustedProxies);
  const authenticate = authenticator(db, { withPosition: replicas !== undefined });
  const mutations = storedMutations.map((stored) => prepare(schema, stored));
  const lookUp = demo && lookUpAs(() => authenticate(bearerHash(`Bearer ${demo.token}`)), graphql.execute);
  const openApi = () => openApiDocument(schema, mutations, publicUrl);
  const hasPage = (path: string) => routes.some((route) => route.path === path && route.public && !route.leadsTo);
  const pages = { mutations, publicUrl, hasPage, demo: lookUp && demo.key && { ...demo, key: demo.key, lookUp } };
  const routes: Route[] = [
    ...healthRoutes(db, stopping),
    ...restRoutes(mutations, { schema, bodyLimit, execute: graphql.execute }),
    ...referenceRoutes({ ...pages, openApi }),
    examplesRoute(mutations, graphql.execute),
    ...errorPages(pages),
    ...openApiRoutes(openApi),
    ...startRoutes({ ...pages, isReady: () => answers(db) }),
    schemaPage(sdl, hasPage),
    ...(graphiql && !persisted?.only ? graphiqlRoutes({ ...pages, schema }) : [leadsTo('/schema', '/graphql')]),
    leadsTo('/docs', apiRoot),
    contentRoute('/schema.graphql', types.text, sdl),
    { path: '/graphql', methods: ['GET', 'POST'] },
  ];

  const routed = router({
    routes,
    mask,
    publicUrl,
    noPage: noPage(pages),
    guide: '/docs',
    authenticate: (request, { client = callers.clientOf(request, undefined) }) =>
      callers.learn(client, authenticate(client.token)),
    limit: rateLimiters && rateLimit({ limiters: rateLimiters, callers, logger, clock }),
    graphql: graphql.handle,
  });
  const handle = databaseTimeout(
    databaseMilliseconds,
    callers,
    commonHeaders(cors(corsOrigins, compressedPages(routed.handle))),
  );
  return { handle, refusal: routed.refusal, callers, routes, workedExamples: () => workedExamples(mutations, lookUp) };
}
