import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { connectionsOf, type Database } from '../database/client.js';
import { Metrics } from '../http/telemetry/metrics.js';
import { MetricsServer } from '../http/telemetry/metricsServer.js';
import { listen } from './listen.js';

interface OpenMetrics {
  metrics: Metrics;
  address: string;
  close(): Promise<void>;
}

/** Serves the metrics of the gateway, if METRICS_PORT is set. */
export async function openMetrics(
  { metrics: address, poolSize }: Config,
  db: Database,
  logger: Logger,
): Promise<OpenMetrics | undefined> {
  if (!address) return undefined;
  const metrics = new Metrics({ poolSize, connections: () => connectionsOf(db) });
  const metricsServer = new MetricsServer(metrics, logger);
  const base = await listen(metricsServer.server, address, {
    hostSetting: 'METRICS_HOST',
    portSetting: 'METRICS_PORT',
  });
  metricsServer.server.on('error', (error) => logger.error({ err: error }, 'the server of the metrics failed'));
  return { metrics, address: `${base}/metrics`, close: () => metricsServer.close() };
}
