import { existsSync } from 'node:fs';
import { z } from 'zod';
import { defaults } from '../defaults.js';
import { addressRanges, database, host, origins, replicas, webAddress } from './addresses.js';
import { commaSeparated, decimal, oneOf, onOff, setting, whole } from './kinds.js';

const port = (example: number) => whole(0, 65_535, example);
const count = (example: number) => whole(1, 1_000_000_000, example);
const milliseconds = (example: number) => whole(100, 3_600_000, example);
const millisecondsOrOff = (example: number) => whole(0, 3_600_000, example);
const workers = setting({
  read: (text) =>
    text === 'auto' ? 'auto' : /^[1-9]\d{0,2}$/.test(text) && Number(text) <= 256 ? Number(text) : undefined,
  allowed: 'auto or a whole number from 1 to 256',
  example: 'auto',
});

const webhookKeys = commaSeparated((key) => /^[\x21-\x7e]{32,}$/.test(key), {
  allowed:
    'a key of at least 32 characters without spaces, or a new one and the old one with a comma between them; `openssl rand -hex 32` makes one',
  example: '3f1c…',
  most: 2,
});
const existing = (allowed: string, example: string) =>
  setting({ read: (text) => (existsSync(text) ? text : undefined), allowed, example });

/** Every setting: its environment variable, its default, and what is accepted. docs/operating.md lists them. */
export const settings = z.object({
  DATABASE_URL: database.optional(),
  DATABASE_REPLICA_URL: replicas.optional(),
  DATA_DIR: z.string().default('.data'),
  HOST: host.default('127.0.0.1'),
  PORT: port(4000).default(4000),
  APP_URL: webAddress('https://work.example.com').optional(),
  PUBLIC_URL: webAddress('https://api.example.com').optional(),
  WORKERS: workers.default(1),
  DATABASE_POOL_SIZE: whole(1, 1000, 20).default(10),
  DATABASE_TIMEOUT_MS: milliseconds(4500).default(defaults.databaseTimeout),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds(3000).default(3000),
  DATABASE_STATEMENT_TIMEOUT_MS: millisecondsOrOff(4000).default(4000),
  DATABASE_LOCK_TIMEOUT_MS: millisecondsOrOff(3000).default(3000),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: millisecondsOrOff(10_000).default(10_000),
  PREPARED_STATEMENTS: onOff(true),
  MAX_CONCURRENT_REQUESTS: whole(1, 100_000, 20).optional(),
  STREAMS_MAX: whole(0, 1_000_000, 1000).default(defaults.streamsMax),
  MAX_CONNECTIONS: whole(1, 1_000_000, 10_000).default(10_000),
  BODY_LIMIT: whole(1024, 1_000_000_000, 1_048_576).default(defaults.bodyLimit),
  DRAIN_SECONDS: decimal(0, 3600, 30).default(10),
  DRAIN_DELAY_SECONDS: decimal(0, 3600, 3).default(0),
  IDEMPOTENCY_HOURS: decimal(0.001, 8760, 48).default(defaults.idempotencyHours),
  FILE_RETENTION_DAYS: whole(1, 36_500, 90).optional(),
  WEBHOOK_KEY: webhookKeys.optional(),
  WEBHOOK_ALLOW: addressRanges.default([]),
  WEBHOOK_LOG_DAYS: whole(1, 3650, 30).default(7),
  GRAPHIQL: onOff(true),
  RATE_LIMIT_STORE: oneOf(['memory', 'postgres']).default('memory'),
  RATE_LIMIT_WINDOW_SECONDS: whole(1, 86_400, 60).default(60),
  RATE_LIMIT_PER_TOKEN: count(600).default(600),
  RATE_LIMIT_PER_ADDRESS: count(120).default(120),
  RATE_LIMIT_WORK: count(60_000).default(60_000),
  TRUSTED_PROXIES: whole(0, 10, 1).default(defaults.trustedProxies),
  QUERY_MAX_COMPLEXITY: count(10_000).default(defaults.queryLimits.complexity),
  QUERY_MAX_DEPTH: count(15).default(defaults.queryLimits.depth),
  QUERY_MAX_ALIASES: count(30).default(defaults.queryLimits.aliases),
  QUERY_MAX_TOKENS: count(4000).default(defaults.queryLimits.tokens),
  QUERY_MAX_DEFINITIONS: count(100).default(defaults.queryLimits.definitions),
  QUERY_MAX_REPETITIONS: count(100).default(defaults.queryLimits.repetitions),
  QUERY_MAX_MUTATIONS: count(10).default(defaults.queryLimits.mutations),
  PERSISTED_DOCUMENTS: existing('an existing folder of .graphql files, or a JSON file', './documents').optional(),
  PERSISTED_ONLY: onOff(false),
  CORS_ORIGINS: origins.default([]),
  METRICS_PORT: port(9464).optional(),
  METRICS_HOST: host.default('127.0.0.1'),
  LOG_FORMAT: oneOf(['auto', 'json', 'pretty']).default('auto'),
  LOG_CLIENT: onOff(true),
  LOG_LEVEL: oneOf(['info', 'warn', 'error', 'fatal', 'silent', 'debug', 'trace']).default('info'),
});

/** The name of a setting. */
export type Setting = keyof typeof settings.shape;

export const isSetting = (name: string): boolean => name in settings.shape;
