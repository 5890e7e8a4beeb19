import { createServer } from 'node:http';
import type { Config } from '../config/config.js';
import { listen } from './listen.js';
import { metricsSettings } from './openMetrics.js';

/** Listens for a moment where the gateway will, before anything else is done. Throws a ConfigError if it cannot. */
export async function tryListening({ host, port, metrics }: Config): Promise<void> {
  const server = createServer();
  const metricsServer = createServer();
  try {
    await listen(server, { host, port });
    if (metrics) await listen(metricsServer, metrics, metricsSettings);
  } finally {
    await Promise.all([server, metricsServer].map((one) => new Promise((resolve) => void one.close(resolve))));
  }
}
