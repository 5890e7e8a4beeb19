import {
  addressOf,
  addressRanges,
  anyText,
  assignment,
  ConfigError,
  commaSeparated,
  database,
  decimal,
  type Environment,
  givenIn,
  host,
  misspelledIn,
  oneOf,
  onOff,
  origins,
  readEnvironment,
  readTable,
  type SettingProblem,
  settingsOf,
  shownText,
  type Table,
  tlsExample,
  webAddress,
  whole,
} from './platform/settings/index.js';

/** The pages that PAGES may name. Those of errors are part of the API: a problem's `type` leads there. */
export const pageNames = ['start', 'docs', 'graphiql', 'guide', 'history'] as const;

const port = whole(0, 65_535);
const count = whole(1, 1_000_000_000);
const milliseconds = whole(100, 3_600_000);
const millisecondsOrOff = whole(0, 3_600_000);
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
// Each setting is declared here and nowhere else: its variable, what it accepts, its default and its documentation. The
// name before it is that of its value, which `Config` hands on to whatever uses it.

const addresses = {
  host: {
    variable: 'HOST',
    ...host,
    default: '127.0.0.1',
    meaning: 'address to listen on; `0.0.0.0` or `::` for all',
  },
  port: {
    variable: 'PORT',
    ...port,
    default: '4000',
    meaning: 'port to listen on; 0 takes a free one',
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    ...webAddress('https://api.example.com'),
    otherwise: 'relative links',
    meaning: 'address of this gateway as its callers see it, for the `type` of problems and the OpenAPI document',
  },
  appUrl: {
    variable: 'APP_URL',
    ...webAddress('https://work.example.com'),
    otherwise: 'PUBLIC_URL, or the address it listens on',
    meaning:
      'address of the main web application, for `url` and `public_url` of documents; this gateway does not serve those pages, so set it unless both share one address',
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    ...whole(0, 10),
    default: '0',
    meaning: 'number of proxies in front whose `X-Forwarded-For` is trusted',
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    ...origins,
    default: '',
    meaning: 'comma-separated origins whose web pages may call the API, such as `https://app.example.com`; `*` for all',
  },
  pages: {
    variable: 'PAGES',
    ...pages,
    default: pageNames.join(),
    meaning:
      'the [pages](concepts.md#pages) that are served, which everybody may open who reaches the gateway; `none` for none. `/errors` is always served, because errors lead there',
  },
  mcp: {
    variable: 'MCP',
    ...onOff,
    otherwise: '`on` in the demo, else `off`',
    meaning: 'whether `/mcp` is served, the [tools for agents](agents.md)',
  },
} satisfies Table;

const databases = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    ...database,
    otherwise: 'embedded PostgreSQL',
    meaning:
      '`postgresql://user:password@host:port/database`; for several servers see [Hot standby](database.md#hot-standby); for encryption `?sslmode=verify-full`, see [TLS to PostgreSQL](database.md#tls-to-postgresql)',
  },
  applicationRole: {
    variable: 'APPLICATION_ROLE',
    ...anyText,
    meaning:
      'role with which the main application writes the same database: `goalpost migrate` gives it its privileges, also on new tables, and `goalpost check` says what it lacks, and what it may do beyond its task; see [One database](integrating.md#one-database)',
  },
  dataDir: {
    variable: 'DATA_DIR',
    ...anyText,
    default: '.data',
    meaning: "folder of the embedded PostgreSQL, the demo tokens and the demo's key of webhooks",
  },
  poolSize: {
    variable: 'DATABASE_POOL_SIZE',
    ...whole(1, 1000),
    default: '10',
    meaning: 'maximum number of database connections that one gateway opens for requests',
  },
  databaseTimeouts: {
    response: {
      variable: 'DATABASE_TIMEOUT_MS',
      ...milliseconds,
      default: '4500',
      meaning:
        'how long one request may wait for the database in total, in milliseconds; after that, it fails with 503',
    },
    statement: {
      variable: 'DATABASE_STATEMENT_TIMEOUT_MS',
      ...millisecondsOrOff,
      default: '4000',
      meaning: "PostgreSQL's `statement_timeout` for the statements of requests; 0 leaves the server's own",
    },
  },
  preparedStatements: {
    variable: 'PREPARED_STATEMENTS',
    ...onOff,
    default: 'on',
    meaning: 'set `off` behind a transaction-pooling PgBouncer older than 1.21; `goalpost check` says if it is needed',
  },
  fileRetentionDays: {
    variable: 'FILE_RETENTION_DAYS',
    ...whole(1, 36_500),
    example: '90',
    meaning: 'days after which the gateway removes deleted files permanently; without it, the gateway removes no files',
  },
} satisfies Table;

const capacity = {
  maxConcurrentRequests: {
    variable: 'MAX_CONCURRENT_REQUESTS',
    ...whole(1, 100_000),
    example: '20',
    otherwise: 'the pool size',
    meaning: 'requests that one gateway processes concurrently; see [Overload](configuration.md#overload)',
  },
  maxConnections: {
    variable: 'MAX_CONNECTIONS',
    ...whole(1, 1_000_000),
    default: '10000',
    meaning: 'maximum number of open client connections per gateway; see [Overload](configuration.md#overload)',
  },
  streamsMax: {
    variable: 'STREAMS_MAX',
    ...whole(0, 1_000_000),
    default: '1000',
    meaning:
      'maximum number of open [streams](events.md#live-stream) per gateway, of which a company has at most half (429 beyond); when all are open, the response is 503. An idle stream takes about 30 kB',
  },
  bodyLimit: {
    variable: 'BODY_LIMIT',
    ...whole(1024, 1_000_000_000),
    default: '1048576',
    meaning: 'largest request body, in bytes',
  },
  drain: {
    milliseconds: {
      variable: 'DRAIN_SECONDS',
      ...decimal(0, 3600, { times: 1000 }),
      default: '10',
      meaning: 'how long running requests may take to finish after a signal to stop',
    },
    delayMilliseconds: {
      variable: 'DRAIN_DELAY_SECONDS',
      ...decimal(0, 3600, { times: 1000 }),
      default: '0',
      meaning:
        'how long the gateway still accepts new connections after a signal to stop, while `/readyz` returns 503; longer while requests still come',
    },
  },
} satisfies Table;

const callers = {
  rateLimit: {
    store: {
      variable: 'RATE_LIMIT_STORE',
      ...oneOf(['memory', 'postgres']),
      default: 'memory',
      meaning:
        '`memory`: each gateway counts on its own; `postgres`: all gateways share their counts, with one more SQL statement per request',
    },
    perToken: {
      variable: 'RATE_LIMIT_PER_TOKEN',
      ...count,
      default: '600',
      meaning: 'points that the requests of one token may cost in a minute; see [Rate limits](errors.md#rate-limits)',
    },
    perAddress: {
      variable: 'RATE_LIMIT_PER_ADDRESS',
      ...count,
      default: '120',
      meaning: 'requests without a valid token that one address (IPv6: one /64) may make in a minute',
    },
  },
  idempotencySeconds: {
    variable: 'IDEMPOTENCY_HOURS',
    ...decimal(0.001, 8760, { times: 3600 }),
    default: '24',
    meaning: 'how long the outcome of a request with an `Idempotency-Key` is stored',
  },
} satisfies Table;

const queries = {
  queryLimits: {
    complexity: {
      variable: 'QUERY_MAX_COMPLEXITY',
      ...count,
      default: '10000',
      meaning: 'approximate number of objects that one GraphQL request may load',
    },
  },
} satisfies Table;

const webhooks = {
  webhookKeys: {
    variable: 'WEBHOOK_KEY',
    ...webhookKeys,
    default: '',
    meaning:
      'key of the secrets of [webhooks](configuration.md#webhooks), at least 32 characters; without it the gateway sends nothing. To change it, `new,old`',
  },
  webhookAllow: {
    variable: 'WEBHOOK_ALLOW',
    ...addressRanges,
    default: '',
    meaning: 'ranges of addresses that webhooks may be sent to, besides public ones, such as `10.0.0.0/8,fd00::/8`',
  },
  webhookLogDays: {
    variable: 'WEBHOOK_LOG_DAYS',
    ...whole(1, 3650),
    default: '7',
    meaning: 'days for which the log of what was sent to webhooks is kept',
  },
} satisfies Table;

const reports = {
  metrics: {
    port: {
      variable: 'METRICS_PORT',
      ...port,
      example: '9464',
      otherwise: 'off',
      meaning: 'port of `/metrics`, at the address in `HOST`; 0 takes a free one',
    },
  },
  logFormat: {
    variable: 'LOG_FORMAT',
    ...oneOf(['auto', 'json', 'pretty']),
    default: 'auto',
    meaning: '`json` or `pretty`; `auto` is `pretty` in a terminal, else `json`',
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    ...oneOf(['info', 'warn', 'error', 'fatal', 'silent', 'debug', 'trace']),
    default: 'info',
    meaning: 'least severe level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
} satisfies Table;

/** Limits that nobody has needed to set. */
const fixed = {
  databaseTimeouts: {
    // Shorter than a request may wait for the database in all, so that it learns in time that there is no connection.
    connect: 3_000,
    // Likewise for what another transaction has locked: whoever waits for longer holds a connection that others need.
    lock: 3_000,
    // No transaction of a gateway rests for that long, unless its process hangs.
    idleTransaction: 10_000,
  },
  // Short enough to wait for, and long enough for a burst.
  rateLimit: { windowSeconds: 60 },
  // Beyond what clients and tools send, such as an introspection; what a request costs, QUERY_MAX_COMPLEXITY bounds.
  queryLimits: { depth: 15, aliases: 30, tokens: 4_000, definitions: 100, repetitions: 100, mutations: 10 },
};

/** The settings as docs/settings.md lists them. */
export const sections = {
  Addresses: addresses,
  Database: databases,
  'Capacity and shutdown': capacity,
  'Limits of callers': callers,
  'Limits of GraphQL': queries,
  Webhooks: webhooks,
  'Log and metrics': reports,
};

const table = {
  ...addresses,
  ...databases,
  ...capacity,
  ...callers,
  ...queries,
  ...webhooks,
  ...reports,
};

export const settingNames: readonly string[] = settingsOf(table).map(({ variable }) => variable);

export type Config = ReturnType<typeof configOf>;

/** The settings, from these variables or from those of this process. Throws a ConfigError. */
export const readConfig = (values?: NodeJS.ProcessEnv): Config =>
  configOf(values ? { values, fromFile: new Set() } : readEnvironment());

/** Reads the settings from an environment. An empty variable counts as not set. Throws a ConfigError. */
export function configOf(environment: Environment) {
  const { values, problems: found } = readTable(table, givenIn(environment));
  const misspelled = misspelledIn(environment, settingNames);
  const ignored = settingNames.filter((name) => environment.ignored?.includes(name));
  const problems = [
    ...ignored.map((name) => `A line of .env with ${name} must have the form NAME=value.\n    Example: ${name}=…`),
    ...[...found, ...contradictions(environment)].map(
      ({ variable, text, example }: SettingProblem) =>
        `${assignment(environment, variable)} ${text}.\n    Example: ${variable}=${example}`,
    ),
  ];
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 setting' : `${problems.length} settings`;
    const hints = misspelled.map(({ name, nearest }) => `${name} is not a setting. Did you mean ${nearest}?`);
    throw new ConfigError([`${count} cannot be used:`, ...problems, ...hints].join('\n  '));
  }
  return {
    ...values,
    databaseTimeouts: { ...fixed.databaseTimeouts, ...values.databaseTimeouts },
    rateLimit: { ...fixed.rateLimit, ...values.rateLimit },
    queryLimits: { ...fixed.queryLimits, ...values.queryLimits },
    appUrl: values.appUrl ?? values.publicUrl ?? addressOf(values.host, values.port),
    maxConcurrentRequests: values.maxConcurrentRequests ?? values.poolSize,
    // The demo has its tools at hand; a database of one's own only if somebody has decided so.
    mcp: values.mcp ?? values.databaseUrl === undefined,
    /** Variables that are no settings, but nearly. */
    misspelled,
    /** Whether npm started this process, which then ends when npm ends. */
    underNpm: Boolean(environment.values.npm_lifecycle_event),
  };
}

/** The values of `PGSSLMODE` with which nothing needs to be encrypted. */
const mayBePlain = ['disable', 'allow', 'prefer'];

function contradictions(environment: Environment): SettingProblem[] {
  const { DATABASE_URL, PGSSLMODE: mode } = givenIn(environment);
  const found: SettingProblem[] = [];
  // What reads it for other programs does not do so here: without a word, nothing would be encrypted.
  if (mode && !mayBePlain.includes(mode) && DATABASE_URL && !DATABASE_URL.includes('sslmode=')) {
    const text = `needs sslmode itself: PGSSLMODE=${mode} is not read`;
    found.push({ variable: 'DATABASE_URL', text, example: tlsExample });
  }
  return found;
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
  const derived: Partial<Record<string, string>> = {
    DATABASE_URL: 'the embedded PostgreSQL',
    APP_URL: appUrl,
    MAX_CONCURRENT_REQUESTS: String(maxConcurrentRequests),
    MCP: mcp ? 'on' : 'off',
  };
  return settingsOf(table).map(({ variable: name, default: standard }) => {
    const text = given[name];
    if (text === undefined) return { name, value: derived[name] ?? (standard || undefined), source: 'default' };
    return { name, value: shownText(name, text), source: environment.fromFile.has(name) ? '.env' : 'environment' };
  });
}
