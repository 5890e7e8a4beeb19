import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { openGateway } from '../server/openGateway.js';
import type { Job } from '../server/workerMessages.js';
import { Workers } from '../server/workers.js';
import type { ReadMetrics } from '../telemetry/metrics.js';

/** What is counted before anything serves. */
export const nothingYet: ReadMetrics = { text: '', contentType: 'text/plain' };

/** This process or its workers, which serve. */
export interface Serving {
  base: string;
  readMetrics(): Promise<ReadMetrics>;
  /** Finishes running requests. Returns how many this process has cut off. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** Opens what serves: this process alone, or as many workers as the settings say. */
export const openServing = (config: Config, job: Job, logger: Logger): Promise<Serving> =>
  (config.workers > 1 ? openWorkers : openAlone)(config, job, logger);

async function openAlone(config: Config, job: Job, logger: Logger): Promise<Serving> {
  const gateway = await openGateway(config, job, logger);
  return { ...gateway, readMetrics: async () => gateway.metrics?.read() ?? nothingYet };
}

async function openWorkers(config: Config, job: Job, logger: Logger): Promise<Serving> {
  const workers = new Workers(config, job, logger);
  const stop = async () => {
    await workers.stop();
    return 0;
  };
  try {
    return { base: await workers.start(), readMetrics: () => workers.read(), stop, close: async () => {} };
  } catch (error) {
    await stop();
    throw error;
  }
}
