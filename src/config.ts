import { z } from 'zod';
import { readServers } from './database/servers.js';
import { defaults } from './defaults.js';

const port = z.coerce.number().int().min(0).max(65_535);
const count = z.coerce.number().int().min(1).max(1_000_000_000);
const milliseconds = z.coerce.number().int().min(100).max(3_600_000);
const millisecondsOrOff = z.coerce.number().int().min(0).max(3_600_000);
const flag = z.enum(['on', 'off']).transform((value) => value === 'on');

const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim()))
  .refine((list) => list.every((origin) => origin === '*' || isOrigin(origin)), {
    error: 'must be a list such as https://app.example.com,http://localhost:3000, or *',
  });

/** Every setting: its environment variable, its default, and what is accepted. docs/operating.md lists them. */
export const settings = z.object({
  DATABASE_URL: z
    .string()
    .refine((url) => readServers(url) !== undefined, {
      error: 'must be postgresql://user:password@host:port/database, or host:port,host:port for several servers',
    })
    .optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(4000),
  APP_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(1000).default(10),
  DATABASE_TIMEOUT_MS: milliseconds.default(defaults.databaseTimeout),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds.default(3000),
  DATABASE_STATEMENT_TIMEOUT_MS: millisecondsOrOff.default(4000),
  DATABASE_LOCK_TIMEOUT_MS: millisecondsOrOff.default(3000),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: millisecondsOrOff.default(10_000),
  PREPARED_STATEMENTS: flag.default(true),
  MAX_CONCURRENT_REQUESTS: z.coerce.number().int().min(1).max(100_000).optional(),
  MAX_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  DATABASE_JOINS: flag.default(true),
  BODY_LIMIT: z.coerce.number().int().min(1024).default(defaults.bodyLimit),
  DRAIN_SECONDS: z.coerce.number().min(0).max(3600).default(10),
  DRAIN_DELAY_SECONDS: z.coerce.number().min(0).max(3600).default(0),
  IDEMPOTENCY_HOURS: z.coerce.number().positive().max(8760).default(defaults.idempotencyHours),
  FILE_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  GRAPHIQL: flag.default(true),
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  RATE_LIMIT_WINDOW_SECONDS: z.coerce.number().int().min(1).max(86_400).default(60),
  RATE_LIMIT_PER_TOKEN: count.default(600),
  RATE_LIMIT_PER_ADDRESS: count.default(120),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(defaults.trustedProxies),
  QUERY_MAX_COMPLEXITY: count.default(defaults.queryLimits.complexity),
  QUERY_MAX_DEPTH: count.default(defaults.queryLimits.depth),
  QUERY_MAX_ALIASES: count.default(defaults.queryLimits.aliases),
  QUERY_MAX_TOKENS: count.default(defaults.queryLimits.tokens),
  QUERY_MAX_MUTATIONS: count.default(defaults.queryLimits.mutations),
  PERSISTED_DOCUMENTS: z.string().min(1).optional(),
  PERSISTED_ONLY: flag.default(false),
  CORS_ORIGINS: origins.default([]),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  LOG_FORMAT: z.enum(['auto', 'json', 'pretty']).default('auto'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type Config = ReturnType<typeof readConfig>;

/** Invalid settings: one line for each variable. The command prints them and exits with 2. */
export class ConfigError extends Error {}

/** Reads the settings from the environment. An empty variable counts as not set. Throws a ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { success, data, error } = settings.safeParse(given);
  if (!success) {
    throw new ConfigError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  if (data.PERSISTED_ONLY && !data.PERSISTED_DOCUMENTS) {
    throw new ConfigError('PERSISTED_ONLY: needs PERSISTED_DOCUMENTS');
  }
  return {
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    host: data.HOST,
    port: data.PORT,
    appUrl: data.APP_URL?.replace(/\/+$/, '') ?? `http://${inUrl(data.HOST)}:${data.PORT}`,
    publicUrl: data.PUBLIC_URL?.replace(/\/+$/, ''),
    poolSize: data.DATABASE_POOL_SIZE,
    databaseTimeout: data.DATABASE_TIMEOUT_MS,
    databaseTimeouts: {
      connect: data.DATABASE_CONNECT_TIMEOUT_MS,
      answer: data.DATABASE_TIMEOUT_MS,
      statement: data.DATABASE_STATEMENT_TIMEOUT_MS,
      lock: data.DATABASE_LOCK_TIMEOUT_MS,
      idleTransaction: data.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    },
    preparedStatements: data.PREPARED_STATEMENTS,
    maxConcurrentRequests: data.MAX_CONCURRENT_REQUESTS ?? data.DATABASE_POOL_SIZE,
    maxConnections: data.MAX_CONNECTIONS,
    joins: data.DATABASE_JOINS,
    bodyLimit: data.BODY_LIMIT,
    drain: { milliseconds: data.DRAIN_SECONDS * 1000, delayMilliseconds: data.DRAIN_DELAY_SECONDS * 1000 },
    idempotencySeconds: data.IDEMPOTENCY_HOURS * 3600,
    /** Days after which deleted files are removed for good; undefined for never. */
    fileRetentionDays: data.FILE_RETENTION_DAYS,
    graphiql: data.GRAPHIQL,
    rateLimit: {
      store: data.RATE_LIMIT_STORE,
      windowSeconds: data.RATE_LIMIT_WINDOW_SECONDS,
      perToken: data.RATE_LIMIT_PER_TOKEN,
      perAddress: data.RATE_LIMIT_PER_ADDRESS,
    },
    trustedProxies: data.TRUSTED_PROXIES,
    queryLimits: {
      complexity: data.QUERY_MAX_COMPLEXITY,
      depth: data.QUERY_MAX_DEPTH,
      aliases: data.QUERY_MAX_ALIASES,
      tokens: data.QUERY_MAX_TOKENS,
      mutations: data.QUERY_MAX_MUTATIONS,
    },
    persisted: data.PERSISTED_DOCUMENTS ? { path: data.PERSISTED_DOCUMENTS, only: data.PERSISTED_ONLY } : undefined,
    corsOrigins: data.CORS_ORIGINS,
    /** Where /metrics is served; undefined for nowhere. */
    metrics: data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    logFormat: data.LOG_FORMAT,
    logLevel: data.LOG_LEVEL,
    /** Whether npm started this process, which then ends when npm ends. */
    underNpm: given.npm_lifecycle_event !== undefined,
  };
}

/** A host as it appears in a URL: an IPv6 address gets brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
