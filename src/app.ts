import type { Logger } from 'pino';
import type { Context, WebhookRules } from './context.js';
import type { OwnDatabase } from './database.js';
import { mcpRoute } from './mcp/route.js';
import { lockChanges } from './operations/operation.js';
import { sharedFiles } from './pages/assetRoutes.js';
import { type Demo, type DemoKey, demoDocument } from './pages/demoAccess.js';
import { errorPages, noPage } from './pages/errorPages.js';
import { graphiqlRoutes } from './pages/graphiql.js';
import { guideRoutes } from './pages/guide.js';
import { historyRoute } from './pages/history.js';
import { referenceRoute } from './pages/reference.js';
import { startRoute } from './pages/start.js';
import { shortened } from './platform/failures/index.js';
import {
  createGraphql,
  type ExecuteDocument,
  type Plugin,
  type Resolving,
  type StreamContext,
  type StreamSummary,
} from './platform/graphql/index.js';
import {
  type Check,
  callersChecks,
  checks,
  contentRoute,
  healthRoutes,
  isPreflight,
  leadsTo,
  type Mask,
  masking,
  type RequestContext,
  type RequestHead,
  type Route,
  router,
} from './platform/http/index.js';
import { Callers, FairQueue, type RateLimiters, rateLimit } from './platform/limits/index.js';
import type { Streams } from './platform/outbox/index.js';
import { newScope } from './platform/postgres/index.js';
import type { DatabaseOutage, RequestRecord } from './platform/telemetry/index.js';
import { TextWorker } from './platform/texts/index.js';
import { keyOf } from './policies/access.js';
import { openApiDocument, openApiRoutes } from './rest/openapi/openApiDocument.js';
import { apiRoot, type PreparedMutation, preparedMutations, restRoutes } from './rest/routes.js';
import { schema, sdl } from './schema.js';
import type { Config, pageNames } from './settings.js';
import { authenticator, bearerHash, requireBearer, withoutTokens } from './tokens.js';
import { isSecret } from './webhooks/index.js';

type AppSettings = Pick<
  Config,
  | 'appUrl'
  | 'publicUrl'
  | 'bodyLimit'
  | 'idempotencySeconds'
  | 'pages'
  | 'mcp'
  | 'trustedProxies'
  | 'corsOrigins'
  | 'queryLimits'
>;

interface AppOptions extends AppSettings {
  databaseTimeouts: Pick<Config['databaseTimeouts'], 'response'>;
  db: OwnDatabase;
  logger: Logger;
  clock?: () => Date;
  /** A demo workspace: its token, and the key with which the pages show it to browsers on this machine. */
  demo?: { token: string; key?: DemoKey | undefined } | undefined;
  /** Aborted when this server stops, for its readiness. */
  stopping?: AbortSignal;
  /** If omitted, no request is counted. */
  rateLimiters?: RateLimiters;
  /** The most characters of rows that a request may read. */
  readCharacters?: number;
  /** The most characters in the response to a GraphQL request. */
  responseCharacters?: number;
  /** The most bytes of all long outcomes that are kept for the keys of a token. */
  longOutcomeBytes?: number;
  /** If omitted, one of its own. */
  texts?: TextWorker;
  /** Plugins of Envelop or Yoga, of whoever embeds the gateway. */
  plugins?: readonly Plugin[] | undefined;
  /** Called with the company after a mutation has been committed there. */
  onChange?: (companyId: string) => void;
  streams: Streams;
  /** Is told what the database could not do. */
  outage?: DatabaseOutage;
  /** If omitted, no webhook can be made. */
  webhooks?: WebhookRules;
}

const withDefaults = (options: AppOptions) => ({
  texts: new TextWorker('text/thread', options.logger),
  clock: () => new Date(),
  onChange: () => {},
  webhooks: { keys: [], allow: [], own: [] } satisfies WebhookRules as WebhookRules,
  ...options,
});

type Resolved = ReturnType<typeof withDefaults>;

/** What resolvers get: a new object for each operation, because Pothos caches what it loads on it. */
const contexts =
  ({ db, clock, appUrl, streams, texts, webhooks }: Resolved) =>
  ({ actor, req, scope, surface }: Resolving): Omit<Context, 'beforehand'> => {
    const lastEventId = req.headers['last-event-id'];
    return {
      db: db.within(scope, actor.companyId),
      actor,
      surface,
      now: clock(),
      appUrl,
      streams,
      texts,
      webhooks,
      lastEventId: lastEventId ? String(lastEventId) : null,
      shared: new Map(),
    };
  };

interface Served {
  mutations: PreparedMutation[];
  execute: ExecuteDocument;
  /** The path of GraphQL for programs. */
  graphqlRoute: Route;
  demo: Demo | undefined;
  mask: Mask;
}

function appRoutes(resolved: Resolved, { mutations, execute, graphqlRoute, demo, mask }: Served) {
  const { db, publicUrl, pages: named, mcp, stopping } = resolved;
  const page = (name: (typeof pageNames)[number], make: () => Route[]) => (named.includes(name) ? make() : []);
  const isReady = ({ scope }: RequestContext) =>
    db.within(scope).$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
  const openApi = () => openApiDocument(schema, mutations, publicUrl);
  const hasPage = (path: string) => routes.some((route) => route.path === path && route.public && !route.leadsTo);
  const pages = { mutations, publicUrl, mcp, hasPage, demo };
  const routes: Route[] = [
    ...healthRoutes({ isStopping: () => stopping?.aborted === true, isReady }),
    ...restRoutes(mutations, { ...resolved, schema, execute }),
    ...page('docs', () => [referenceRoute({ ...pages, openApi }), leadsTo('/docs', apiRoot)]),
    ...errorPages(pages),
    ...page('guide', () => guideRoutes(pages)),
    ...openApiRoutes(openApi),
    ...page('start', () => [startRoute({ ...pages, isReady })]),
    ...sharedFiles(),
    ...page('history', () => [historyRoute(pages)]),
    ...(named.includes('graphiql')
      ? graphiqlRoutes({ ...pages, schema })
      : page('start', () => [leadsTo('/', '/graphql')])),
    contentRoute('/schema.graphql', sdl),
    graphqlRoute,
    ...(mcp ? [mcpRoute({ ...resolved, schema, mask, execute })] : []),
  ];
  return { routes, noPage: noPage(pages) };
}

/**
 * The itinerary: what a request passes, in order, and with which statuses each phase refuses it. `createApp` puts
 * the phases from `route` on together; the first two are those of the server, which runs the pipeline.
 */
export const itinerary = [
  // platform/http/server.ts: what is HTTP at all, in time and of bounded size.
  { phase: 'receive', refuses: [400, 408, 431] },
  // platform/http/admission.ts: a seat, or a refusal for the gateway's overload or for too much of one's own.
  { phase: 'admit', refuses: [503, 429] },
  // `checks` and the count of `router`.
  { phase: 'route', refuses: [404, 405, 406] },
  // A token that the gateway knows is looked up again with the first statement, and at the latest before the response.
  { phase: 'authenticate', refuses: [401, 429, 403] },
  // A precondition that is not read here. REST: `restRoutes`. GraphQL: its parameters, its document, what that costs, and every argument before the first field.
  { phase: 'read', refuses: [400, 415, 413, 429] },
  // platform/graphql/changes.ts, for both surfaces.
  { phase: 'claim the idempotency key', refuses: [409, 422] },
  // operations/: load, permit, guard, write.
  { phase: 'operate', refuses: [404, 403, 409] },
] as const;

/** Creates the gateway, which responds to requests. Two gateways share nothing but their options. */
export function createApp(options: AppOptions) {
  const resolved = withDefaults(options);
  const { db, logger, clock, databaseTimeouts, demo, rateLimiters, trustedProxies } = resolved;
  const mask = masking(logger, options.outage);

  const onStreamEnd = ({ requestId, record, actor }: StreamContext, { events, ending }: StreamSummary) => {
    const { personId, companyId, tokenId } = actor;
    const milliseconds = Math.round(performance.now() - record.startedAt);
    logger.info({ requestId, personId, companyId, tokenId, events, milliseconds, ending }, 'stream ended');
  };

  const graphql = createGraphql({
    ...resolved,
    schema,
    contextOf: contexts(resolved),
    mask,
    isSecret,
    lockChanges,
    longRequests: new FairQueue({ seats: 1, refuses: false }),
    onStreamEnd,
  });

  const { authenticate, principalOf } = authenticator(db);
  const onNoAddress = (forwarded: string) =>
    resolved.logger.warn(
      { forwarded: shortened(forwarded) },
      'X-Forwarded-For has no address where TRUSTED_PROXIES expects one: such clients count as one, their proxy',
    );
  const callers = new Callers({ trustedProxies, tokenOf: bearerHash, principalOf, onNoAddress });
  const mutations = preparedMutations(schema);
  const currentVersion = async () => {
    const actor = await authenticate(bearerHash(`Bearer ${demo?.token}`));
    const shown = db.within(newScope(databaseTimeouts.response), actor.companyId).resourceHubDocument;
    return (await shown.findUnique({ where: keyOf(actor, demoDocument), select: { currentVersion: true } }))
      ?.currentVersion;
  };
  const { routes, noPage } = appRoutes(resolved, {
    mutations,
    execute: graphql.execute,
    graphqlRoute: graphql.route('/graphql'),
    demo: demo?.key && { ...demo, key: demo.key, currentVersion },
    mask,
  });

  /** Whose token it is: 401. */
  async function authenticated(request: RequestHead, { client, scope, seat, record }: RequestContext) {
    requireBearer(request.headers.get('authorization'));
    const { canWrite, scopes, surfaces, ...actor } = await authenticate(client.token, scope);
    await seat?.changeFlow();
    record.actor = actor;
    return { actor, grants: { canWrite, scopes, surfaces } };
  }
  let hasRefusedOrigin = false;
  /** Says once why browsers refuse what a web page of another origin sends. */
  const origin: Check = (request) => {
    if (hasRefusedOrigin || !isPreflight(request)) return;
    hasRefusedOrigin = true;
    const shown = shortened(request.headers.get('origin') ?? '');
    logger.warn({ origin: shown }, 'a web page of an origin that CORS_ORIGINS does not list has called');
  };
  const routed = router({
    ...resolved,
    routes,
    begin: ({ scope }) => {
      scope.left = databaseTimeouts.response;
    },
    confirm: ({ scope }) =>
      scope.prerequisite?.hasFailed === false ? db.within(scope).requirePrerequisite() : undefined,
    mask,
    noPage,
    checks: [checks.path, origin, checks.method, checks.accept],
    authenticate: authenticated,
    limit: rateLimiters && rateLimit({ limiters: rateLimiters, callers, logger, clock }),
    checksOnceCounted: [callersChecks.scope, callersChecks.precondition],
  });
  const ownScope = (observer: RequestRecord) => newScope(databaseTimeouts.response, { observer });
  return { ...routed, withoutSecrets: withoutTokens, callers, newScope: ownScope, routes };
}
