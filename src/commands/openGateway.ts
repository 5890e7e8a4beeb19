import type { Logger } from 'pino';
import { createApp } from '../app.js';
import type { Config } from '../config.js';
import { connectionsOf, type Database, openClient } from '../database/client.js';
import { Replicas } from '../database/replicas/replicas.js';
import { closeOver } from '../http/limits/closeOver.js';
import { createRateLimiters } from '../http/limits/rateLimiters.js';
import { NodeServer } from '../http/nodeServer.js';
import { Overload } from '../http/overload.js';
import { Metrics } from '../http/telemetry/metrics.js';
import { DemoKey } from '../pages/demoKey.js';
import { listen } from './listen.js';
import { readPersistedDocuments } from './readPersistedDocuments.js';
import type { Job } from './workerMessages.js';

/** A process that serves. */
export interface OpenGateway {
  /** The address that it listens on. */
  base: string;
  /** Undefined if nothing is counted. */
  metrics: Metrics | undefined;
  /** Finishes running requests, for up to DRAIN_SECONDS. Returns how many it cut off. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** Connects to the database, and listens. Throws a UsageError if it cannot listen. */
export async function openGateway(
  config: Config,
  { url, demo }: Job,
  logger: Logger,
  { isWorker = false } = {},
): Promise<OpenGateway> {
  const onError = (error: Error) => logger.info(`a database connection broke: ${error.message}`);
  const db = openClient({ ...config, url, timeouts: config.databaseTimeouts, onError });
  let replicas: Replicas | undefined;
  const close = async () => {
    await Promise.all([replicas?.close(), db.$disconnect()]);
  };
  try {
    await warmUp(db);
    replicas = await openReplicas(config, db, logger);
    const metrics =
      config.metrics &&
      new Metrics({ ...config, connections: () => connectionsOf(db), replicas: () => replicas?.states ?? [] });
    const { preparedStatements, persisted: source } = config;
    const rateLimiters = createRateLimiters({ ...config.rateLimit, databaseUrl: url, preparedStatements, isWorker });
    const persisted = source && { documents: readPersistedDocuments(source.path), only: source.only };
    const stopping = new AbortController();
    const app = createApp({
      ...config,
      db,
      replicas,
      logger,
      rateLimiters,
      demo: demo && shownDemo(demo),
      persisted,
      stopping: stopping.signal,
    });
    const overload = new Overload(config.maxConcurrentRequests, logger);
    const { maxConnections } = config;
    const nodeServer = new NodeServer({ ...config, app, logger, overload, metrics, ...(isWorker && noLimit) });
    if (isWorker) closeOver(maxConnections, nodeServer.server, overload);
    const base = await listen(nodeServer.server, config);
    const stop = async () => {
      stopping.abort();
      const cutOff = await nodeServer.stop(config.drain);
      if (cutOff > 0) logger.warn({ requests: cutOff }, 'stopped before these requests were done');
      await rateLimiters.close();
      return cutOff;
    };
    return { base, metrics, stop, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const noLimit = { maxConnections: 0 };

/** Undefined if no replica is named. One that cannot be used is in the log; the gateway serves without it. */
async function openReplicas(config: Config, db: Database, logger: Logger): Promise<Replicas | undefined> {
  if (config.replicaUrls.length === 0) return undefined;
  return Replicas.open({
    ...config,
    urls: config.replicaUrls,
    db,
    timeouts: config.databaseTimeouts,
    onUsed: (replica) => logger.info({ replica }, 'a replica answers queries'),
    onLeft: (replica, reason) => logger.warn({ replica, reason }, 'a replica is not used'),
  });
}

const shownDemo = ({ tokens, secrets }: NonNullable<Job['demo']>) => ({
  token: tokens.write,
  readOnlyToken: tokens.readOnly,
  key: secrets && new DemoKey(secrets),
});

/** Runs a query, because the first one starts the query compiler (about 100 ms) and no caller should wait for that. */
const warmUp = (db: Database) =>
  db.apiToken.findFirst({ where: { id: '' }, select: { person: { select: { id: true } } } });
