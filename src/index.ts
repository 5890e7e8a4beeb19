import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { openDatabase } from './database.js';
import { connectGateway, maintenancePoolSize, purgeWhileServing } from './gateway.js';
import { grantToApplication } from './platform/administration/index.js';
import { lazy } from './platform/caching/index.js';
import { readPlugins } from './platform/graphql/index.js';
// The types of the package include these two files alone.
import { DatabaseError } from './platform/postgres/databaseError.js';
import { ConfigError } from './platform/settings/configError.js';
import { nearestName } from './platform/settings/index.js';
import { createLogger } from './platform/telemetry/index.js';
import { configOf, settingNames } from './settings.js';

export { ConfigError, DatabaseError };

// biome-ignore lint/suspicious/noExplicitAny: a plugin has a context of its own, and only any takes each.
type PluginContext = any;

/** A plugin of Envelop or GraphQL Yoga: its hooks that run. As methods, they also take plugins for a context of their own. */
export interface GatewayPlugin {
  onPluginInit?(payload: { addPlugin(plugin: object): void }): unknown;
  onYogaInit?(payload: object): unknown;
  onSchemaChange?(payload: { schema: GraphQLSchema }): unknown;
  onEnveloped?(payload: { context: PluginContext }): unknown;
  onContextBuilding?(payload: { context: PluginContext; extendContext(more: object): void }): unknown;
  onParse?(payload: { context: PluginContext }): unknown;
  onValidate?(payload: { params: { documentAST: DocumentNode }; context: PluginContext }): unknown;
  onExecute?(payload: {
    args: ExecutionArgs & { contextValue: PluginContext };
    setResultAndStopExecution(result: ExecutionResult): void;
  }): unknown;
  onSubscribe?(payload: { args: ExecutionArgs & { contextValue: PluginContext } }): unknown;
  onDispose?(): unknown;
  instrumentation?: object;
}

export interface GatewayOptions {
  /** A migrated PostgreSQL: `postgresql://user:password@host:port/database`. */
  databaseUrl: string;
  /**
   * Settings by their names in docs/settings.md, such as `{ APP_URL: 'https://work.example.com' }`. Neither the
   * environment nor a file `.env` is read.
   */
  settings?: Readonly<Record<string, string>>;
  /** Gets each line of the log, which is JSON and ends with a line feed. By default they go to stderr. */
  log?: (line: string) => void;
  /** Plugins of Envelop or GraphQL Yoga. docs/embedding.md says which of their hooks run. */
  plugins?: readonly GatewayPlugin[];
}

export interface Gateway {
  /** Responds to a request of a `node:http` server, or of Express, also behind `express.json()`. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void;
  /** Responds to a Request of fetch, for frameworks that are built on it. Needs no `this`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Turns `/readyz` to 503, waits for running requests for up to DRAIN_SECONDS, and closes every connection to the
   * database. Close your server at the same time, without waiting for it: it waits for the streams that this ends.
   */
  close(): Promise<void>;
}

/** What `goalpost serve` needs for its own server, port and database. */
const ofServe = [
  ...['DATABASE_URL', 'DATA_DIR', 'HOST', 'PORT', 'MAX_CONNECTIONS'],
  ...['DRAIN_DELAY_SECONDS', 'METRICS_PORT', 'LOG_FORMAT'],
];

/**
 * Opens the gateway, for a server of your own. It listens on no port, handles no signal, and never ends the process.
 * Rejects with a ConfigError if an option or a setting cannot be used, and with a DatabaseError if the database does not
 * respond or is not migrated.
 */
async function embedGateway(options: GatewayOptions): Promise<Gateway> {
  requireKnown('createApp', options, ['databaseUrl', 'settings', 'log', 'plugins']);
  const { databaseUrl, settings, log, plugins: given = [] }: Partial<GatewayOptions> = { ...options };
  const config = readSettings(databaseUrl, settings ?? {});
  const plugins = readPlugins(given);
  const logger = createLogger(config.logLevel, log && { write: careful(log) });
  const info = (message: string) => logger.info(message);
  const opened = await openDatabase({ ...config, poolSize: maintenancePoolSize, log: info }, { migrations: 'require' });
  const { db: maintained, url } = opened;
  const gateway = await connectGateway(config, { url, demo: undefined, plugins }, logger).catch(async (error) => {
    await opened.close();
    throw error;
  });
  const stopPurging = purgeWhileServing(config, maintained, logger);

  const { nodeServer } = gateway;
  const close = lazy(async () => {
    gateway.announceStop();
    gateway.endStreams();
    await nodeServer.untilIdle(config.drain.milliseconds);
    await stopPurging();
    await Promise.all([gateway.close(), opened.close()]);
    // Others' code, which may throw: when nothing of the gateway is open any more.
    await Promise.all(plugins.map(async (plugin) => plugin.onDispose?.()));
  });
  return { listener: nodeServer.listener, fetch: nodeServer.fetch, close };
}

export interface MigrateOptions {
  /** The database, and the role that owns its tables. */
  databaseUrl: string;
  /** The role of the main application, which gets its privileges on new tables. */
  applicationRole?: string;
}

/** Does what `goalpost migrate` does. Resolves to the names of the migrations that were applied. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  requireKnown('migrate', options, ['databaseUrl', 'applicationRole']);
  const { databaseUrl, applicationRole: role }: Partial<MigrateOptions> = { ...options };
  if (!databaseUrl) throw new ConfigError('migrate needs databaseUrl');
  const config = configOf({ values: { DATABASE_URL: databaseUrl }, fromFile: new Set() });
  const { applied, url, close } = await openDatabase({ ...config, poolSize: 1 }, { migrations: 'apply' });
  try {
    if (role !== undefined) await grantToApplication(url, role);
    return applied;
  } finally {
    await close();
  }
}

// Inside, `createApp` is what responds to a request.
export { embedGateway as createApp };

/** A log that fails must not end the process of somebody else. */
const careful = (log: (line: string) => void) => (line: string) => {
  try {
    log(line);
  } catch (error) {
    process.stderr.write(`goalpost: the log function has failed (${(error as Error)?.message}): ${line}`);
  }
};

/** Throws a ConfigError that names options which the function does not have, and those that it has. */
function requireKnown(name: string, options: object | undefined, known: string[]): void {
  const unknown = Object.keys(options ?? {}).filter((option) => !known.includes(option));
  if (unknown.length > 0)
    throw new ConfigError(`unknown options of ${name}: ${unknown.join(', ')}. It has ${known.join(', ')}`);
}

function readSettings(databaseUrl: string | undefined, settings: Readonly<Record<string, unknown>>) {
  if (!databaseUrl) throw new ConfigError('createApp needs databaseUrl');
  const refused = Object.keys(settings).filter((name) => ofServe.includes(name));
  if (refused.length > 0) throw new ConfigError(`settings of goalpost serve, not of createApp: ${refused.join(', ')}`);
  const unknown = Object.keys(settings).filter((name) => !settingNames.includes(name));
  const usable = settingNames.filter((name) => !ofServe.includes(name));
  const hint = (name: string) => {
    const nearest = nearestName(name, usable);
    return nearest ? `${name} (did you mean ${nearest}?)` : name;
  };
  if (unknown.length > 0) throw new ConfigError(`unknown settings: ${unknown.map(hint).join(', ')}`);
  const values: NodeJS.ProcessEnv = { DATABASE_URL: databaseUrl };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value !== 'string') throw new ConfigError(`the setting ${name} must be a text, such as '5'`);
    values[name] = value;
  }
  return configOf({ values, fromFile: new Set() });
}
