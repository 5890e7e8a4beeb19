import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { ReadMetrics } from '../telemetry/metrics.js';
import { MetricsServer } from '../telemetry/metricsServer.js';
import { listen } from './listen.js';

interface OpenMetrics {
  address: string;
  close(): Promise<void>;
}

/** The settings that say where the metrics are. */
export const metricsSettings = { hostSetting: 'METRICS_HOST', portSetting: 'METRICS_PORT' };

/** Serves the metrics of the gateway, if METRICS_PORT is set. */
export async function openMetrics(
  { metrics: address }: Config,
  read: () => Promise<ReadMetrics>,
  logger: Logger,
): Promise<OpenMetrics | undefined> {
  if (!address) return undefined;
  const metricsServer = new MetricsServer({ read }, logger);
  const base = await listen(metricsServer.server, address, metricsSettings);
  metricsServer.server.on('error', (error) => logger.error({ err: error }, 'the server of the metrics failed'));
  return { address: `${base}/metrics`, close: () => metricsServer.close() };
}
