export { createLogger, logDestination, printable } from './logger.js';
export { Metrics, PolledFigures, type ReadMetrics } from './metrics.js';
export { MetricsServer } from './metricsServer.js';
export { DatabaseOutage, Outage, watchFiles } from './outage.js';
export {
  inOperationSpan,
  RequestRecord,
  Telemetry,
} from './telemetry.js';
