import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import leven from 'leven';
import { type Setting, settings, shownText, tlsExample } from './settings.js';

export type Config = ReturnType<typeof readConfig>;

/** What is set cannot be used. `readConfig` names all such settings at once. The command prints it and exits with 2. */
export class ConfigError extends Error {}

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
    process.loadEnvFile();
    fileProblems = strayLines(readFileSync('.env', 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    if (code !== 'ENOENT') throw new ConfigError(`The file .env cannot be read: ${reason}`);
  }
  const fromFile = new Set(Object.keys(process.env).filter((name) => !own.has(name)));
  return { values: process.env, fromFile, fileProblems };
}

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
  const given = givenIn(environment);
  const { success, data, error } = settings.safeParse(given);
  const problems = [...(environment.fileProblems ?? [])];
  const invalid = (error?.issues ?? []).map(({ path: [name = ''], message, ...issue }) => {
    const example = 'params' in issue && issue.params?.example;
    return `${assignment(environment, String(name))} ${message}.\n    Example: ${String(name)}=${example}`;
  });
  problems.push(...invalid);
  if (given.PERSISTED_ONLY === 'on' && !given.PERSISTED_DOCUMENTS) {
    const assigned = assignment(environment, 'PERSISTED_ONLY');
    problems.push(`${assigned} needs PERSISTED_DOCUMENTS too.\n    Example: PERSISTED_DOCUMENTS=./documents`);
  }
  if (given.DATABASE_REPLICA_URL && !given.DATABASE_URL) {
    const assigned = assignment(environment, 'DATABASE_REPLICA_URL');
    problems.push(
      `${assigned} needs DATABASE_URL too.\n    Example: DATABASE_URL=postgresql://goalpost:password@primary:5432/goalpost`,
    );
  }
  // What reads it for other programs does not do so here: without a word, nothing would be encrypted.
  const mode = given.PGSSLMODE;
  for (const name of ['DATABASE_URL', 'DATABASE_REPLICA_URL'] as const) {
    if (!mode || mayBePlain.includes(mode) || !given[name] || given[name].includes('sslmode=')) continue;
    const assigned = assignment(environment, name);
    problems.push(
      `${assigned} needs sslmode itself: PGSSLMODE=${mode} is not read.\n    Example: ${name}=${tlsExample}`,
    );
  }
  const workers = settings.shape.WORKERS.safeParse(given.WORKERS).data;
  const poolSize = settings.shape.DATABASE_POOL_SIZE.safeParse(given.DATABASE_POOL_SIZE).data;
  if (typeof workers === 'number' && poolSize !== undefined && workers > poolSize) {
    const assigned = assignment(environment, 'WORKERS');
    problems.push(
      `${assigned} needs a DATABASE_POOL_SIZE of at least as many: each worker gets its share.\n    Example: DATABASE_POOL_SIZE=${10 * workers}`,
    );
  }
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
      answer: data.DATABASE_TIMEOUT_MS,
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
    underNpm: given.npm_lifecycle_event !== undefined,
  };
}

/** The database of the settings, without a password. */
export const databaseName = ({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string =>
  databaseUrl === undefined ? `the embedded PostgreSQL in ${dataDir}` : shownText('DATABASE_URL', databaseUrl);

export const isSetting = (name: string): boolean => name in settings.shape;

export interface EffectiveSetting {
  name: string;
  /** As a person may see it, without a password; undefined if it is not set and has no default. */
  value: string | undefined;
  source: 'environment' | '.env' | 'default';
}

/** Every setting as it counts, and where it comes from. Throws a ConfigError. */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  const given = givenIn(environment);
  const { appUrl, maxConcurrentRequests } = configOf(environment);
  const standard: Partial<Record<Setting, unknown>> = {
    ...settings.parse({}),
    DATABASE_URL: 'the embedded PostgreSQL',
    APP_URL: appUrl,
    MAX_CONCURRENT_REQUESTS: maxConcurrentRequests,
  };
  return (Object.keys(settings.shape) as Setting[]).map((name) => {
    const text = given[name];
    if (text === undefined) return { name, value: shownDefault(standard[name]), source: 'default' };
    return { name, value: shownText(name, text), source: environment.fromFile.has(name) ? '.env' : 'environment' };
  });
}

/** The values of `PGSSLMODE` with which nothing needs to be encrypted. */
const mayBePlain = ['disable', 'allow', 'prefer'];

/** Shorter variables of the environment are others' more likely than misspelled. */
const ownLength = 8;

function misspelledIn({ values, fromFile }: Environment): { name: string; nearest: string }[] {
  const known = Object.keys(settings.shape);
  const candidates = Object.keys(values).filter(
    (name) => !known.includes(name) && (name.length >= ownLength || fromFile.has(name)),
  );
  return candidates.flatMap((name) => {
    const nearest = known.find((setting) => leven(name.toUpperCase(), setting) <= 2);
    return nearest ? [{ name, nearest }] : [];
  });
}

function shownDefault(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === undefined || Array.isArray(value) ? undefined : String(value);
}

const givenIn = ({ values }: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** What was set, such as `PORT=abc (in .env)`. */
const assignment = ({ values, fromFile }: Environment, name: string) =>
  `${name}=${shownText(name, values[name] ?? '')}${fromFile.has(name) ? ' (in .env)' : ''}`;

/** Nobody can open the address that means all addresses: what to open on this machine in its place. */
const wildcards: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where to open what listens there: `http://127.0.0.1:4000`. */
export function addressOf(host: string, port: number): string {
  const name = wildcards[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
