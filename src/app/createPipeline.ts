import type { GraphQLError } from 'graphql';
import { authenticator } from '../context.js';
import { newScope } from '../database/query/requestScope.js';
import { bearerHash } from '../database/tokens.js';
import { defaults } from '../defaults.js';
import { createGraphql } from '../graphql/graphql.js';
import type { StreamSummary } from '../graphql/subscriptions/serverSentEvents.js';
import { compression } from '../http/compression.js';
import { cors } from '../http/cors.js';
import { databaseTimeout } from '../http/databaseTimeout.js';
import { Callers } from '../http/limits/callers.js';
import { rateLimit } from '../http/limits/rateLimit.js';
import { masking } from '../http/masking.js';
import type { RequestHead } from '../http/requestHead.js';
import { commonHeaders } from '../http/response.js';
import type { Handler, RequestContext, Route } from '../http/route.js';
import { router } from '../http/router.js';
import { lockChanges } from '../operations/lockChanges.js';
import { lookUpAs } from '../pages/lookUpAs.js';
import { type WorkedExamples, workedExamples } from '../pages/workedExamples.js';
import { prepare } from '../rest/prepare.js';
import { withoutPreview } from '../rest/storedMutation.js';
import { storedMutations } from '../rest/storedMutations.js';
import { schema } from '../schema/index.js';
import { contexts } from './contexts.js';
import type { AppOptions } from './options.js';
import { appRoutes } from './routes.js';

export interface App {
  handle: Handler;
  /** How a request fails before it gets a slot, if that is known already. */
  refusal: (request: RequestHead, context: RequestContext) => GraphQLError | undefined;
  /** Who the callers are whose tokens it has looked up. */
  callers: Callers;
  /** Every path that it serves. */
  routes: readonly Route[];
  /** Example calls, on records of the demo workspace if there is one. */
  workedExamples(): Promise<WorkedExamples>;
}

/** Creates the gateway, which responds to requests. Two gateways share nothing but their options. */
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
  longOutcomeBytes = defaults.longOutcomeBytes,
  queryLimits = {},
  corsOrigins = [],
  persisted,
  onChange = () => {},
  streams,
  webhooks = { keys: [], allow: [], own: [] },
}: AppOptions): App {
  const mask = masking(logger);

  const onStreamEnd = ({ requestId, record, actor }: RequestContext, { events, ending }: StreamSummary) => {
    const { personId, companyId, tokenId } = actor ?? {};
    const milliseconds = record && Math.round(performance.now() - record.startedAt);
    logger.info({ requestId, personId, companyId, tokenId, events, milliseconds, ending }, 'stream ended');
  };

  const graphql = createGraphql({
    schema,
    contextOf: contexts({ db, clock, appUrl, streams, webhooks }),
    mask,
    bodyLimit,
    limits: { ...defaults.queryLimits, ...queryLimits },
    persisted,
    db,
    idempotencySeconds,
    responseCharacters,
    longOutcomeBytes,
    replicas,
    lockChanges,
    onChange,
    onStreamEnd,
  });

  const callers = new Callers(trustedProxies);
  const authenticate = authenticator(db, { withPosition: replicas !== undefined });
  const mutations = storedMutations.map((stored) => prepare(schema, persisted?.only ? withoutPreview(stored) : stored));
  const scopeOfLookUp = () => newScope(databaseMilliseconds);
  const lookUp =
    demo && lookUpAs(() => authenticate(bearerHash(`Bearer ${demo.token}`)), graphql.execute, scopeOfLookUp);
  const { routes, noPage } = appRoutes({
    db,
    publicUrl,
    bodyLimit,
    graphiql: graphiql && !persisted?.only,
    demo: lookUp && demo.key && { ...demo, key: demo.key, lookUp },
    stopping,
    mutations,
    execute: graphql.execute,
  });

  const routed = router({
    routes,
    mask,
    publicUrl,
    noPage,
    guide: '/docs',
    authenticate: async (request, { client = callers.clientOf(request, undefined), scope }) => {
      const actor = await callers.learn(client, authenticate(client.token, scope));
      if (scope) scope.caller = callers.callerOf(client);
      return actor;
    },
    limit: rateLimiters && rateLimit({ limiters: rateLimiters, callers, logger, clock }),
    graphql: graphql.handle,
  });
  const handle = databaseTimeout(
    databaseMilliseconds,
    callers,
    commonHeaders(cors(corsOrigins, compression(routed.handle))),
  );
  return { handle, refusal: routed.refusal, callers, routes, workedExamples: () => workedExamples(mutations, lookUp) };
}
