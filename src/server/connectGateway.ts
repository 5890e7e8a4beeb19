import type { Logger } from 'pino';
import { createPipeline } from '../app/createPipeline.js';
import type { Config } from '../config/config.js';
import { openClient } from '../database/query/client.js';
import type { Replicas } from '../database/servers/replicas/replicas.js';
import { warmUp } from '../database/warmUp.js';
import { openEvents } from '../events/openEvents.js';
import { Streams } from '../events/streams/streams.js';
import { openWebhooks } from '../events/webhooks/openWebhooks.js';
import type { CountAttempt } from '../events/webhooks/tools.js';
import { webhookFigures } from '../events/webhooks/webhookFigures.js';
import { createRateLimiters } from '../http/limits/rateLimiters.js';
import { DemoKey } from '../pages/demoKey.js';
import { Metrics } from '../telemetry/metrics.js';
import { leastBodyBytes, Overload } from './admission/overload.js';
import { NodeServer } from './connections/nodeServer.js';
import { openReplicas } from './openReplicas.js';
import { readPersistedDocuments } from './readPersistedDocuments.js';
import { webhookRules } from './webhookRules.js';
import type { Job } from './workerMessages.js';

/** A gateway that could respond, and listens nowhere yet. */
export interface ConnectedGateway {
  nodeServer: NodeServer;
  overload: Overload;
  /** Undefined if nothing is counted. */
  metrics: Metrics | undefined;
  /** Turns `/readyz` to 503. */
  announceStop(): void;
  /** Ends the streams: their clients come back, to another gateway. */
  endStreams(): void;
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
  const { preparedStatements, persisted: source, databaseTimeouts: timeouts } = config;
  const onError = (error: Error) => logger.info(`a database connection broke: ${error.message}`);
  const db = openClient({ ...config, url, timeouts, onError });
  const persisted = source && { documents: readPersistedDocuments(source.path), only: source.only };
  const rateLimiters = createRateLimiters({
    ...config.rateLimit,
    databaseUrl: url,
    preparedStatements,
    timeouts,
    isWorker,
  });
  const events = openEvents({ url, preparedStatements, timeouts }, logger);
  const streams = new Streams({ ...events, logger, most: config.streamsMax, timeout: config.databaseTimeout });
  let replicas: Replicas | undefined;
  let stopWebhooks = async () => {};
  const close = async () => {
    await stopWebhooks();
    await Promise.all([rateLimiters.close(), replicas?.close(), events.close(), db.$disconnect()]);
  };
  try {
    await warmUp(db);
    replicas = await openReplicas(config, db, logger);
  } catch (error) {
    await close();
    throw error;
  }
  const stopping = new AbortController();
  const webhooks = webhookRules(config, demo);
  const app = createPipeline({
    ...config,
    db,
    replicas,
    logger,
    rateLimiters,
    demo: demo && shownDemo(demo),
    persisted,
    stopping: stopping.signal,
    onChange: events.pump.changed,
    streams,
    webhooks,
  });
  const figures = webhookFigures();
  const metrics =
    config.metrics &&
    new Metrics({
      ...config,
      connections: () => db.connectionUse(),
      replicas: () => replicas?.states ?? [],
      unsentBytes: () => nodeServer.unsentBytes,
      streams: () => streams.open,
      webhooks: figures.read,
    });
  const bodyBytes = Math.max(leastBodyBytes, 4 * config.bodyLimit);
  const overload = new Overload(config.maxConcurrentRequests, logger, bodyBytes);
  const nodeServer: NodeServer = new NodeServer({
    ...config,
    app,
    logger,
    overload,
    metrics,
    onClosing: () => streams.end(),
  });
  if (metrics) events.pump.onSweep(figures);
  const count: CountAttempt = (...attempt) => metrics?.countAttempt(...attempt);
  stopWebhooks = openWebhooks({ ...events, ...webhooks, logger, count });
  events.pump.start();
  const announceStop = () => {
    stopping.abort();
    void stopWebhooks();
  };
  return { nodeServer, overload, metrics, announceStop, endStreams: () => streams.end(), close };
}

const shownDemo = ({ tokens, secrets }: NonNullable<Job['demo']>) => ({
  token: tokens.write,
  readOnlyToken: tokens.readOnly,
  key: secrets && new DemoKey(secrets),
});
