import { createServer } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { databaseTables, type OwnDatabase, openReady } from './database.js';
import { eventSource } from './events/source.js';
import { type KeptFile, type PurgedFile, purgeFiles } from './operations/purgeFiles.js';
import type { DemoKey } from './pages/demoAccess.js';
import { purgeRegularly } from './platform/administration/index.js';
import { type Plugin, purgeOutcomes } from './platform/graphql/index.js';
import { NodeServer, Overload } from './platform/http/index.js';
import { createRateLimiters } from './platform/limits/index.js';
import { openEvents, Streams } from './platform/outbox/index.js';
import { DatabaseError, isUnavailable, reasonOf } from './platform/postgres/index.js';
import { listen } from './platform/process/index.js';
import { addressOf } from './platform/settings/index.js';
import { Metrics, MetricsServer, PolledFigures, type ReadMetrics } from './platform/telemetry/index.js';
import type { Config } from './settings.js';
import { openWebhooks, purgeAttempts, webhookFigures } from './webhooks/index.js';
import { importGauges, lastImports } from './workspace/lastImports.js';

export interface DemoTokens {
  write: string;
  readOnly: string;
}

/** What a gateway serves, apart from its settings. */
export interface Job {
  /** The database, which may be the embedded one. */
  url: string;
  demo: { tokens: DemoTokens; key: DemoKey | undefined; webhookKey: string } | undefined;
  plugins?: readonly Plugin[];
}

/** What the settings allow webhooks. The demo may send webhooks to programs on this machine. */
export function webhookRules({ webhookKeys, webhookAllow, publicUrl, host, port }: Config, demo: Job['demo']) {
  const listening = port === 0 ? [] : namesOf(host).map((name) => addressOf(name, port));
  const own = [...(publicUrl ? [publicUrl] : []), ...listening];
  if (!demo) return { keys: webhookKeys, allow: webhookAllow, own };
  const keys = webhookKeys.length > 0 ? webhookKeys : [demo.webhookKey];
  return { keys, allow: [...webhookAllow, ...thisMachine], own };
}

/** By what a gateway that listens there can be reached: on every address of the machine if it listens on all. */
function namesOf(host: string): string[] {
  if (!['0.0.0.0', '::'].includes(host)) return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [host, hostname(), ...addresses.filter(({ scopeid }) => !scopeid).map(({ address }) => address)];
}

const thisMachine = ['127.0.0.0/8', '::1/128'];

/** Connections for the demo's import and the purges, which may take longer than a request. */
export const maintenancePoolSize = 2;

/** Removes expired outcomes, old attempts of webhooks, and files deleted before FILE_RETENTION_DAYS. Returns what stops it. */
export function purgeWhileServing(
  { fileRetentionDays: days, webhookLogDays }: Pick<Config, 'fileRetentionDays' | 'webhookLogDays'>,
  db: OwnDatabase,
  logger: Logger,
): () => Promise<void> {
  const onPurged = (files: PurgedFile[]) => {
    for (const { id, companyId, name, url } of files) logger.info({ id, companyId, name, url }, 'removed for good');
  };
  const onKept = ({ id, companyId, name, reason }: KeptFile) =>
    logger.warn({ id, companyId, name, reason }, 'cannot remove for good what another table refers to');
  const purges: (() => Promise<unknown>)[] = [
    () => purgeOutcomes(db, databaseTables.tenants),
    () => purgeAttempts(db, { days: webhookLogDays }),
  ];
  if (days !== undefined) purges.push(() => purgeFiles(db, days * 86_400_000, { onPurged, onKept }));
  return purgeRegularly(purges, (error) =>
    isUnavailable(error)
      ? logger.warn(`cannot purge now: ${reasonOf(error)}`)
      : logger.error({ err: error }, 'cannot purge'),
  );
}

/** Connects to the database, which is migrated: a gateway that could respond, and listens nowhere yet. */
export async function connectGateway(config: Config, { url, demo, plugins }: Job, logger: Logger) {
  const { preparedStatements, databaseTimeouts: timeouts } = config;
  const countsMetrics = config.metrics.port !== undefined;
  const onError = (error: Error) => logger[error instanceof DatabaseError ? 'warn' : 'info'](error.message);
  const db = await openReady({ ...config, url, timeouts, onError });
  const rateLimiters = createRateLimiters({ ...config.rateLimit, databaseUrl: url, preparedStatements });
  const events = openEvents({ url, source: eventSource, preparedStatements, timeouts, onError }, logger);
  const streams = new Streams({ ...events, logger, most: config.streamsMax, timeout: timeouts.response });
  let stopWebhooks = async () => {};
  const figures = countsMetrics ? webhookFigures(events.db) : undefined;
  const imports = countsMetrics ? new PolledFigures(() => lastImports(events.db), []) : undefined;
  const close = async () => {
    await stopWebhooks();
    figures?.stop();
    imports?.stop();
    await Promise.all([rateLimiters.close(), events.close(), db.$disconnect()]);
  };
  const stopping = new AbortController();
  const webhooks = webhookRules(config, demo);
  const app = await closing(close, () =>
    createApp({
      ...config,
      db,
      logger,
      rateLimiters,
      demo: demo && { ...demo, token: demo.tokens.write },
      plugins,
      stopping: stopping.signal,
      onChange: events.dispatcher.changed,
      streams,
      webhooks,
      outage: events.outage,
    }),
  );
  const metrics =
    figures &&
    new Metrics({
      ...config,
      connections: () => db.connectionUse(),
      unsentBytes: () => nodeServer.unsentBytes,
      streams: () => streams.open,
      isDatabaseUp: () => events.dispatcher.isDatabaseUp,
      webhooks: figures.read,
      gauges: imports ? importGauges(imports.read) : [],
    });
  const overload = new Overload(config, logger);
  const nodeServer: NodeServer = new NodeServer({
    ...config,
    app,
    logger,
    overload,
    metrics,
    onClosing: () => streams.end(),
  });
  const count = metrics?.countAttempt ?? (() => {});
  stopWebhooks = openWebhooks({ ...events, ...webhooks, logger, count });
  events.dispatcher.start();
  /** Turns `/readyz` to 503. */
  const announceStop = () => {
    stopping.abort();
    void stopWebhooks();
  };
  /** Their clients come back, to another gateway. */
  const endStreams = () => streams.end();
  return { nodeServer, overload, metrics, announceStop, endStreams, close };
}

/** What a plugin refuses by throwing leaves nothing open. */
async function closing<T>(close: () => Promise<void>, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connects to the database, and listens. Throws a ConfigError if it cannot listen. */
export async function openGateway(config: Config, job: Job, logger: Logger) {
  const { nodeServer, metrics, announceStop, close } = await connectGateway(config, job, logger);
  /** Finishes running requests, for up to DRAIN_SECONDS. Returns how many it cut off. */
  const stop = async () => {
    announceStop();
    const cutOff = await nodeServer.stop(config.drain);
    if (cutOff > 0) logger.warn({ requests: cutOff }, 'stopped before these requests were done');
    return cutOff;
  };
  try {
    return { base: await listen(nodeServer.server, config), metrics, stop, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves the metrics of the gateway, if METRICS_PORT is set. */
export async function openMetrics(
  { host, metrics: { port } }: Config,
  read: () => Promise<ReadMetrics>,
  logger: Logger,
): Promise<{ address: string; close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  const metricsServer = new MetricsServer({ read }, logger);
  const base = await listen(metricsServer.server, { host, port }, 'METRICS_PORT');
  metricsServer.server.on('error', (error) => logger.error({ err: error }, 'the server of the metrics failed'));
  return { address: `${base}/metrics`, close: () => metricsServer.close() };
}

/** Listens for a moment where the gateway will, before anything else is done. Throws a ConfigError if it cannot. */
export async function tryListening({ host, port, metrics }: Config): Promise<void> {
  const server = createServer();
  const metricsServer = createServer();
  try {
    await listen(server, { host, port });
    if (metrics.port !== undefined) await listen(metricsServer, { host, port: metrics.port }, 'METRICS_PORT');
  } finally {
    await Promise.all([server, metricsServer].map((one) => new Promise((resolve) => void one.close(resolve))));
  }
}
