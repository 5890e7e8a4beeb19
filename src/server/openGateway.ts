import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { Metrics } from '../telemetry/metrics.js';
import { connectGateway } from './connectGateway.js';
import { listen } from './listen.js';
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

/** Connects to the database, and listens. Throws a ConfigError if it cannot listen. */
export async function openGateway(
  config: Config,
  job: Job,
  logger: Logger,
  { isWorker = false } = {},
): Promise<OpenGateway> {
  const gateway = await connectGateway(config, job, logger, { isWorker });
  const { nodeServer, metrics, announceStop, close } = gateway;
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
