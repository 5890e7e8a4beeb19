import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import leven from 'leven';
import * as z from 'zod';
import { defaults, pageNames } from './defaults.js';
import {
  addressOf,
  addressRanges,
  ConfigError,
  commaSeparated,
  database,
  decimal,
  host,
  oneOf,
  onOff,
  origins,
  setting,
  shownText,
  tlsExample,
  webAddress,
  whole,
} from './platform/settings/index.js';

const port = (example: number) => whole(0, 65_535, example);
const count = (example: number) => whole(1, 1_000_000_000, example);
const milliseconds = (example: number) => whole(100, 3_600_000, example);
const millisecondsOrOff = (example: number) => whole(0, 3_600_000, example);
const webhookKeys = commaSeparated((key) => /^[\x21-\x7e]{32,}$/.test(key), {
  allowed:
    'a key of at least 32 characters without spaces, or a new one and the old one with a comma between them; `openssl rand -hex 32` makes one',
  example: '3f1c…',
  most: 2,
});
const pages = commaSeparated((name) => name === 'none' || pageNames.some((known) => known === name), {
  allowed: `a list of ${pageNames.join(', ')}, or none`,
  example: 'docs,guide',
});
const existing = (allowed: string, example: string) =>
  setting({ read: (text) => (existsSync(text) ? text : undefined), allowed, example });

/** Every setting: its environment variable, its default, and what is accepted. docs/settings.md lists them. */
export const settings = z.object({
  DATABASE_URL: database.optional(),
  APPLICATION_ROLE: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  HOST: host.default('127.0.0.1'),
  PORT: port(4000).default(4000),
  APP_URL: webAddress('https://work.example.com').optional(),
  PUBLIC_URL: webAddress('https://api.example.com').optional(),
  DATABASE_POOL_SIZE: whole(1, 1000, 20).default(10),
  DATABASE_TIMEOUT_MS: milliseconds(4500).default(defaults.databaseTimeout),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds(3000).default(3000),
  DATABASE_STATEMENT_TIMEOUT_MS: millisecondsOrOff(4000).default(4000),
  DATABASE_LOCK_TIMEOUT_MS: millisecondsOrOff(3000).default(3000),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: millisecondsOrOff(10_000).default(10_000),
  PREPARED_STATEMENTS: onOff(true),
  READS: oneOf(['reader', 'prisma']).default('reader'),
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
  PAGES: pages.default([...pageNames]),
  MCP: oneOf(['on', 'off']).optional(),
  RATE_LIMIT_STORE: oneOf(['memory', 'postgres']).default('memory'),
  RATE_LIMIT_WINDOW_SECONDS: whole(1, 86_400, 60).default(60),
  RATE_LIMIT_PER_TOKEN: count(600).default(600),
  RATE_LIMIT_PER_ADDRESS: count(120).default(120),
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
type Setting = keyof typeof settings.shape;

export const isSetting = (name: string): boolean => name in settings.shape;

/** Where settings come from. */
export interface Environment {
  values: NodeJS.ProcessEnv;
  /** Names of the variables that are not of the environment itself, but of the file `.env`. */
  fromFile: ReadonlySet<string>;
  /** What is wrong with the lines of that file themselves. */
  fileProblems?: readonly string[];
}

/** Variables of this process, and from the file `.env` in the current folder those that it does not have. */
export function readEnvironment(): Environment {
  const own = new Set(Object.keys(process.env));
  let fileProblems: string[] = [];
  try {
    // Editors of Windows write a byte order mark, which Node would take for a part of the first name.
    const text = readFileSync('.env', 'utf8').replace(/^\uFEFF/, '');
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
    fileProblems = strayLines(text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    if (code !== 'ENOENT') throw new ConfigError(`The file .env cannot be read: ${reason}`);
  }
  const fromFile = new Set(Object.keys(process.env).filter((name) => !own.has(name)));
  return { values: process.env, fromFile, fileProblems };
}

/** The variables that are set; an empty one counts as not set. */
const givenIn = ({ values }: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** What was set, such as `PORT=abc (in .env)`. */
const assignment = ({ values, fromFile }: Environment, name: string) =>
  `${name}=${shownText(name, values[name] ?? '')}${fromFile.has(name) ? ' (in .env)' : ''}`;

/** An assignment, which ends with its quotes if these are on several lines; a comment or nothing. */
const sound =
  /(?:[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:(["'`])[\s\S]*?\1)?[^\n]*|[ \t]*#[^\n]*|[ \t\r]*)(?:\n|$)/y;

/** The lines of a `.env` that Node would ignore. Says only names of settings of them, as they may have a password. */
function strayLines(text: string): string[] {
  const problems: string[] = [];
  for (let from = 0; from < text.length; ) {
    sound.lastIndex = from;
    if (sound.test(text)) {
      from = sound.lastIndex;
      continue;
    }
    const [line = ''] = text.slice(from).split('\n', 1);
    const name = line.match(/\w+/g)?.find(isSetting);
    const number = text.slice(0, from).split('\n').length;
    problems.push(
      `line ${number} of .env${name ? `, with ${name},` : ''} must have the form NAME=value.\n    Example: ${name ?? 'PORT'}=…`,
    );
    from += line.length + 1;
  }
  return problems;
}

export type Config = ReturnType<typeof readConfig>;

/** The settings, from these variables or from those of this process. Throws a ConfigError. */
export const readConfig = (values?: NodeJS.ProcessEnv) =>
  configOf(values ? { values, fromFile: new Set() } : readEnvironment());

/** Reads the settings from an environment. An empty variable counts as not set. Throws a ConfigError. */
export function configOf(environment: Environment) {
  const { success, data, error } = settings.safeParse(givenIn(environment));
  const problems = settingProblems(environment, error);
  if (!success || problems.length > 0) {
    const count = problems.length === 1 ? '1 setting' : `${problems.length} settings`;
    const hints = misspelledIn(environment).map(
      ({ name, nearest }) => `${name} is not a setting. Did you mean ${nearest}?`,
    );
    throw new ConfigError([`${count} cannot be used:`, ...problems, ...hints].join('\n  '));
  }
  return {
    databaseUrl: data.DATABASE_URL,
    /** The role of the main application, if it writes the same database. */
    applicationRole: data.APPLICATION_ROLE,
    dataDir: data.DATA_DIR,
    host: data.HOST,
    port: data.PORT,
    appUrl: data.APP_URL ?? data.PUBLIC_URL ?? addressOf(data.HOST, data.PORT),
    publicUrl: data.PUBLIC_URL,
    poolSize: data.DATABASE_POOL_SIZE,
    databaseTimeout: data.DATABASE_TIMEOUT_MS,
    /** By what requests read. */
    reads: data.READS,
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
    /** The pages that are served, apart from those of errors. */
    pages: data.PAGES,
    /** The demo has its tools at hand; a database of one's own only if somebody has decided so. */
    mcp: data.MCP ? data.MCP === 'on' : data.DATABASE_URL === undefined,
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

/** Shorter variables of the environment are others' more likely than misspelled. */
const ownLength = 8;

/** Variables that are no settings, but nearly. */
function misspelledIn({ values, fromFile }: Environment): { name: string; nearest: string }[] {
  const known = Object.keys(settings.shape);
  const candidates = Object.keys(values).filter(
    (name) => !known.includes(name) && (name.length >= ownLength || fromFile.has(name)),
  );
  return candidates.flatMap((name) => {
    const upper = name.toUpperCase();
    const nearest = known.find((setting) => Math.abs(upper.length - setting.length) <= 2 && leven(upper, setting) <= 2);
    return nearest ? [{ name, nearest }] : [];
  });
}

/** The values of `PGSSLMODE` with which nothing needs to be encrypted. */
const mayBePlain = ['disable', 'allow', 'prefer'];

/** What is wrong with the settings, alone and together: each with its value, what is needed, and an example. */
function settingProblems(environment: Environment, error: z.ZodError | undefined): string[] {
  const given = givenIn(environment);
  const problem = (name: string, text: string, example: unknown, of = name) =>
    `${assignment(environment, name)} ${text}.\n    Example: ${of}=${example}`;
  const needs = (name: Setting, needed: Setting, example: string) =>
    given[name] && !given[needed] ? [problem(name, `needs ${needed} too`, example, needed)] : [];

  const invalid = (error?.issues ?? []).map(({ path: [name = ''], message, ...issue }) =>
    problem(String(name), message, 'params' in issue && issue.params?.example),
  );
  return [
    ...(environment.fileProblems ?? []),
    ...invalid,
    ...(given.PERSISTED_ONLY === 'on' ? needs('PERSISTED_ONLY', 'PERSISTED_DOCUMENTS', './documents') : []),
    ...unencrypted(given).map((name) =>
      problem(name, `needs sslmode itself: PGSSLMODE=${given.PGSSLMODE} is not read`, tlsExample),
    ),
  ];
}

/** What reads PGSSLMODE for other programs does not do so here: without a word, nothing would be encrypted. */
function unencrypted({ PGSSLMODE: mode, ...given }: NodeJS.ProcessEnv): Setting[] {
  if (!mode || mayBePlain.includes(mode)) return [];
  return given.DATABASE_URL && !given.DATABASE_URL.includes('sslmode=') ? ['DATABASE_URL'] : [];
}

export interface EffectiveSetting {
  name: string;
  /** As a person may see it, without a password; undefined if it is not set and has no default. */
  value: string | undefined;
  source: 'environment' | '.env' | 'default';
}

/** Every setting as it counts, and where it comes from. Throws a ConfigError. */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  const given = givenIn(environment);
  const { appUrl, maxConcurrentRequests, mcp } = configOf(environment);
  const standard: Partial<Record<Setting, unknown>> = {
    ...settings.parse({}),
    DATABASE_URL: 'the embedded PostgreSQL',
    APP_URL: appUrl,
    PAGES: pageNames.join(),
    MCP: mcp,
    MAX_CONCURRENT_REQUESTS: maxConcurrentRequests,
  };
  return (Object.keys(settings.shape) as Setting[]).map((name) => {
    const text = given[name];
    if (text === undefined) return { name, value: shownDefault(standard[name]), source: 'default' };
    return { name, value: shownText(name, text), source: environment.fromFile.has(name) ? '.env' : 'environment' };
  });
}

function shownDefault(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === undefined || Array.isArray(value) ? undefined : String(value);
}
