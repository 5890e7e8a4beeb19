import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { readServerUrls } from './database/servers/serverUrls.js';
import { tlsProblem } from './database/servers/tls/tlsProblem.js';
import { defaults } from './defaults.js';

/** What one setting accepts. */
interface Rule<T> {
  /** The value of a text; undefined if the text is not accepted. */
  read(text: string): T | undefined;
  /** What is accepted, after the words "must be". */
  allowed: string;
  example: string;
  /** Why what was read cannot be used after all: "has sslmode=yes, which …"; undefined if it can. */
  problem?: { of(text: string): string | undefined; example: string };
}

const setting = <T>({ read, allowed, example, problem }: Rule<T>) =>
  z.string().transform((text, { issues }): T => {
    const value = read(text.trim());
    const found = value === undefined ? undefined : problem?.of(text.trim());
    if (value !== undefined && found === undefined) return value;
    const params = { example: found && problem ? problem.example : example };
    issues.push({ code: 'custom', input: text, message: found ?? `must be ${allowed}`, params });
    return z.NEVER;
  });

const number = (pattern: RegExp, kind: string, minimum: number, maximum: number, example: number) =>
  setting({
    read: (text) => {
      const value = Number(text);
      return pattern.test(text) && value >= minimum && value <= maximum ? value : undefined;
    },
    allowed: `${kind} from ${minimum} to ${maximum}`,
    example: String(example),
  });
const whole = (minimum: number, maximum: number, example: number) =>
  number(/^\d{1,15}$/, 'a whole number', minimum, maximum, example);
const decimal = (minimum: number, maximum: number, example: number) =>
  number(/^\d{1,15}(\.\d+)?$/, 'a number', minimum, maximum, example);

const oneOf = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  setting<Name>({
    read: (text) => names.find((name) => name === text),
    allowed: `one of ${names.join(', ')}`,
    example: names[0],
  });

const port = (example: number) => whole(0, 65_535, example);
const count = (example: number) => whole(1, 1_000_000_000, example);
const milliseconds = (example: number) => whole(100, 3_600_000, example);
const millisecondsOrOff = (example: number) => whole(0, 3_600_000, example);
const flag = (isOn: boolean) =>
  setting({
    read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
    allowed: 'on or off',
    example: isOn ? 'off' : 'on',
  }).default(isOn);
const host = setting({
  read: (text) => (isIP(text) || /^[\w.-]+$/.test(text) ? text : undefined),
  allowed: 'an IP address or a host name alone, without http:// and port',
  example: '0.0.0.0',
});
const webAddress = (example: string) =>
  setting({
    read: (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined),
    allowed: 'an http:// or https:// address',
    example,
  });
const escaping = 'in a password, write %40 for @, %2F for / and %25 for %';
/** An example of a URL for an encrypted connection. */
export const tlsExample =
  'postgresql://goalpost:password@db.example.com:5432/goalpost?sslmode=verify-full&sslrootcert=/etc/goalpost/ca.pem';
const tls = {
  // All servers of a URL have the same parameters.
  of: (text: string) => tlsProblem(readServerUrls(text)?.urls[0] ?? ''),
  example: tlsExample,
};
const database = setting({
  read: (text) => (readServerUrls(text)?.urls.every((url) => new URL(url).pathname.length > 1) ? text : undefined),
  allowed: `postgresql://user:password@host:port/database, or with host:port,host:port for several servers; ${escaping}`,
  example: 'postgresql://goalpost:password@localhost:5432/goalpost',
  problem: tls,
});

const replicas = setting({
  read: (text) => {
    const urls = text.includes('target_session_attrs') ? undefined : readServerUrls(text)?.urls;
    return urls?.every((url) => new URL(url).pathname.length > 1) ? urls : undefined;
  },
  allowed: `postgresql://user:password@host:port/database, or with host:port,host:port for several replicas; ${escaping}`,
  example: 'postgresql://goalpost:password@replica-1:5432,replica-2:5432/goalpost',
  problem: tls,
});

const workers = setting({
  read: (text) =>
    text === 'auto' ? 'auto' : /^[1-9]\d{0,2}$/.test(text) && Number(text) <= 256 ? Number(text) : undefined,
  allowed: 'auto or a whole number from 1 to 256',
  example: 'auto',
});

const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
const origins = setting({
  read: (text) => {
    const list = text.split(',').map((origin) => origin.trim());
    return list.every((origin) => origin === '*' || isOrigin(origin)) ? list : undefined;
  },
  allowed: 'a list of origins, each without a path, or *',
  example: 'https://app.example.com,http://localhost:3000',
});
const keys = setting({
  read: (text) => {
    const list = text.split(',').map((key) => key.trim());
    return list.length <= 2 && list.every((key) => /^[\x21-\x7e]{32,}$/.test(key)) ? list : undefined;
  },
  allowed:
    'a key of at least 32 characters without spaces, or a new one and the old one with a comma between them; `openssl rand -hex 32` makes one',
  example: '3f1c…',
});
const ranges = setting({
  read: (text) => {
    const list = text.split(',').map((range) => range.trim());
    return list.every((range) => ipaddr.isValidCIDR(range)) ? list : undefined;
  },
  allowed: 'a list of address ranges in CIDR notation',
  example: '10.0.0.0/8,fd00::/8',
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
  PREPARED_STATEMENTS: flag(true),
  MAX_CONCURRENT_REQUESTS: whole(1, 100_000, 20).optional(),
  STREAMS_MAX: whole(0, 1_000_000, 1000).default(defaults.streamsMax),
  MAX_CONNECTIONS: whole(1, 1_000_000, 10_000).default(10_000),
  BODY_LIMIT: whole(1024, 1_000_000_000, 1_048_576).default(defaults.bodyLimit),
  DRAIN_SECONDS: decimal(0, 3600, 30).default(10),
  DRAIN_DELAY_SECONDS: decimal(0, 3600, 3).default(0),
  IDEMPOTENCY_HOURS: decimal(0.001, 8760, 48).default(defaults.idempotencyHours),
  FILE_RETENTION_DAYS: whole(1, 36_500, 90).optional(),
  WEBHOOK_KEY: keys.optional(),
  WEBHOOK_ALLOW: ranges.default([]),
  WEBHOOK_LOG_DAYS: whole(1, 3650, 30).default(7),
  GRAPHIQL: flag(true),
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
  QUERY_MAX_MUTATIONS: count(10).default(defaults.queryLimits.mutations),
  PERSISTED_DOCUMENTS: existing('an existing folder of .graphql files, or a JSON file', './documents').optional(),
  PERSISTED_ONLY: flag(false),
  CORS_ORIGINS: origins.default([]),
  METRICS_PORT: port(9464).optional(),
  METRICS_HOST: host.default('127.0.0.1'),
  LOG_FORMAT: oneOf(['auto', 'json', 'pretty']).default('auto'),
  LOG_CLIENT: flag(true),
  LOG_LEVEL: oneOf(['info', 'warn', 'error', 'fatal', 'silent', 'debug', 'trace']).default('info'),
});

/** The name of a setting. */
export type Setting = keyof typeof settings.shape;

const longestShown = 120;

/** The text of a setting as a person may see it: on one line, and without a password. */
export function shownText(setting: string, text: string): string {
  const isUrl = text.includes('://');
  if (setting === 'WEBHOOK_KEY') return '***';
  if (/^DATABASE_.*URL$/.test(setting) && !isUrl) return '***';
  const masked = isUrl
    ? text
        .replace(/(:\/\/[^:@]*):.*@/s, '$1:***@')
        // Without a server, what is no port may be a password.
        .replace(/(:\/\/[^:@[]*):(?!\d*([,/?#\s]|$)|\*{3}@).*/s, '$1:***')
        .replace(/(password=)[^&]*/gi, '$1***')
    : text;
  const short = masked.length > longestShown ? `${masked.slice(0, longestShown)}…` : masked;
  return /^[\x21-\x7e…]+$/.test(short) ? short : JSON.stringify(short);
}
