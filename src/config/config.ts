import { availableParallelism } from 'node:os';
import { addressOf } from './addressOf.js';
import { ConfigError } from './configError.js';
import { type Environment, givenIn, readEnvironment } from './environment.js';
import { misspelledIn } from './misspelled.js';
import { settingProblems } from './settingProblems.js';
import { settings } from './settings.js';

export type Config = ReturnType<typeof readConfig>;

/** The settings, from these variables or from those of this process. Throws a ConfigError. */
export const readConfig = (values?: NodeJS.ProcessEnv) =>
  configOf(values ? { values, fromFile: new Set() } : readEnvironment());

/** The settings of this process, some of which the command line gives. Throws a ConfigError. */
export function readConfigWith(given: NodeJS.ProcessEnv): Config {
  const { values, fromFile, ...rest } = readEnvironment();
  return configOf({
    ...rest,
    values: { ...values, ...given },
    fromFile: new Set([...fromFile].filter((name) => given[name] === undefined)),
  });
}

/** Reads the settings from an environment. An empty variable counts as not set. Throws a ConfigError. */
export function configOf(environment: Environment) {
  const { success, data, error } = settings.safeParse(givenIn(environment));
  const problems = settingProblems(environment, error);
  if (!success || problems.length > 0) {
    const count = problems.length === 1 ? '1 setting' : `${problems.length} settings`;
    throw new ConfigError([`${count} cannot be used:`, ...problems].join('\n  '));
  }
  return {
    databaseUrl: data.DATABASE_URL,
    replicaUrls: data.DATABASE_REPLICA_URL ?? [],
    dataDir: data.DATA_DIR,
    host: data.HOST,
    port: data.PORT,
    appUrl: data.APP_URL ?? data.PUBLIC_URL ?? addressOf(data.HOST, data.PORT),
    publicUrl: data.PUBLIC_URL,
    /** Processes that serve. */
    workers: data.WORKERS === 'auto' ? Math.min(availableParallelism(), data.DATABASE_POOL_SIZE) : data.WORKERS,
    poolSize: data.DATABASE_POOL_SIZE,
    databaseTimeout: data.DATABASE_TIMEOUT_MS,
    databaseTimeouts: {
      connect: data.DATABASE_CONNECT_TIMEOUT_MS,
      response: data.DATABASE_TIMEOUT_MS,
      statement: data.DATABASE_STATEMENT_TIMEOUT_MS,
      lock: data.DATABASE_LOCK_TIMEOUT_MS,
      idleTransaction: data.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    },
    preparedStatements: data.PREPARED_STATEMENTS,
    maxConcurrentRequests: data.MAX_CONCURRENT_REQUESTS ?? data.DATABASE_POOL_SIZE,
    maxConnections: data.MAX_CONNECTIONS,
    streamsMax: data.STREAMS_MAX,
    bodyLimit: data.BODY_LIMIT,
    drain: { milliseconds: data.DRAIN_SECONDS * 1000, delayMilliseconds: data.DRAIN_DELAY_SECONDS * 1000 },
    idempotencySeconds: data.IDEMPOTENCY_HOURS * 3600,
    /** Days after which deleted files are removed for good; undefined for never. */
    fileRetentionDays: data.FILE_RETENTION_DAYS,
    /** The keys of the webhooks' secrets, the new one first; none if nothing may be sent. */
    webhookKeys: data.WEBHOOK_KEY ?? [],
    /** Ranges of addresses that webhooks may be sent to, besides public ones. */
    webhookAllow: data.WEBHOOK_ALLOW,
    webhookLogDays: data.WEBHOOK_LOG_DAYS,
    graphiql: data.GRAPHIQL,
    rateLimit: {
      store: data.RATE_LIMIT_STORE,
      windowSeconds: data.RATE_LIMIT_WINDOW_SECONDS,
      perToken: data.RATE_LIMIT_PER_TOKEN,
      perAddress: data.RATE_LIMIT_PER_ADDRESS,
      workPerToken: data.RATE_LIMIT_WORK,
    },
    trustedProxies: data.TRUSTED_PROXIES,
    queryLimits: {
      complexity: data.QUERY_MAX_COMPLEXITY,
      depth: data.QUERY_MAX_DEPTH,
      aliases: data.QUERY_MAX_ALIASES,
      tokens: data.QUERY_MAX_TOKENS,
      definitions: data.QUERY_MAX_DEFINITIONS,
      repetitions: data.QUERY_MAX_REPETITIONS,
      mutations: data.QUERY_MAX_MUTATIONS,
    },
    persisted: data.PERSISTED_DOCUMENTS ? { path: data.PERSISTED_DOCUMENTS, only: data.PERSISTED_ONLY } : undefined,
    corsOrigins: data.CORS_ORIGINS,
    /** Where /metrics is served; undefined for nowhere. */
    metrics: data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    logFormat: data.LOG_FORMAT,
    logClient: data.LOG_CLIENT,
    logLevel: data.LOG_LEVEL,
    /** Variables that are no settings, but nearly. */
    misspelled: misspelledIn(environment),
    /** Whether npm started this process, which then ends when npm ends. */
    underNpm: Boolean(environment.values.npm_lifecycle_event),
  };
}
