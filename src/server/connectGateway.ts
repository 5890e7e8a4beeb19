import type { Logger } from 'pino';
import { createPipeline } from '../app.js';
import type { Config } from '../config.js';
import { type Database, openClient } from '../database/query/client.js';
import { Replicas } from '../database/servers/replicas/replicas.js';
import { warmUp } from '../database/warmUp.js';
import { createRateLimiters } from '../http/limits/rateLimiters.js';
import { DemoKey } from '../pages/demoKey.js';
import { Metrics } from '../telemetry/metrics.js';
import { leastBodyBytes, Overload } from './admission/overload.js';
import { NodeServer } from './connections/nodeServer.js';
import { readPersistedDocuments } from './readPersistedDocuments.js';
import type { Job } from './workerMessages.js';

/** A gateway that could answer, and listens nowhere yet. */
export interface ConnectedGateway {
  nodeServer: NodeServer;
  overload: Overload;
  /** Undefined if nothing is counted. */
  metrics: Metrics | undefined;
  /** Turns `/readyz` to 503. */
  announceStop(): void;
  /** Closes the connections to the database. */
  close(): Promise<void>;
}

/** Connects to the database, which is migrated. */
export async function connectGateway(
  config: Config,
  { url, demo }: Job,
  logger: Logger,
  { isWorker = false } = {},
): Promise<ConnectedGateway> {
  const onError = (error: Error) => logger.info(`a database connection broke: ${error.message}`);
  const db = openClient({ ...config, url, timeouts: config.databaseTimeouts, onError });
  const { preparedStatements, persisted: source } = config;
  const persisted = source && { documents: readPersistedDocuments(source.path), only: source.only };
  const rateLimiters = createRateLimiters({
    ...config.rateLimit,
    databaseUrl: url,
    preparedStatements,
    timeouts: config.databaseTimeouts,
    isWorker,
  });
  let replicas: Replicas | undefined;
  const close = async () => {
    await Promise.all([rateLimiters.close(), replicas?.close(), db.$disconnect()]);
  };
  try {
    await warmUp(db);
    replicas = await openReplicas(config, db, logger);
  } catch (error) {
    await close();
    throw error;
  }
  const stopping = new AbortController();
  const app = createPipeline({
    ...config,
    db,
    replicas,
    logger,
    rateLimiters,
    demo: demo && shownDemo(demo),
    persisted,
    stopping: stopping.signal,
  });
  const metrics =
    config.metrics &&
    new Metrics({
      ...config,
      connections: () => db.connectionUse(),
      replicas: () => replicas?.states ?? [],
      unsentBytes: () => nodeServer.unsentBytes,
    });
  const bodyBytes = Math.max(leastBodyBytes, 4 * config.bodyLimit);
  const overload = new Overload(config.maxConcurrentRequests, logger, bodyBytes);
  const nodeServer: NodeServer = new NodeServer({
    ...config,
    app,
    logger,
    overload,
    metrics,
    ...(isWorker && noLimit),
  });
  return { nodeServer, overload, metrics, announceStop: () => stopping.abort(), close };
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
