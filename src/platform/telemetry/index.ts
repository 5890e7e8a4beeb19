export {
  /** Logs JSON lines to stderr, every one with `fields`. */
  createLogger,
  /** Where log lines go: to stderr, as JSON or, by default only in a terminal, as text for people. */
  logDestination,
  /** Escapes characters that could control a terminal, end a line or look like another column. */
  printable,
} from './logger.js';
export type { Figures, ReadMetrics } from './metrics.js';
export {
  /** The metrics for Prometheus. */
  Metrics,
} from './metrics.js';
export {
  /** A small separate server for `/metrics`. */
  MetricsServer,
  /** The metrics of several processes, added up. */
  SumOfMetrics,
} from './metricsServer.js';
export type { Identity } from './requestRecord.js';
export {
  /** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
  identify,
  /** With what the log names a request that may have no record. */
  loggedIdentity,
  /** What is known about a request while it runs, for its log line, metrics and trace. */
  RequestRecord,
  /** How much processor time the process has used lately for each millisecond that is counted for a request: sockets, the driver and the collection of garbage need more than is counted, and a machine that does other things gives less. */
  usedPerCounted,
} from './requestRecord.js';
export {
  /** Runs a GraphQL operation in a child span, if its request has a span. */
  inOperationSpan,
  /** Turns each request into one log line, one count in every metric, and one trace if traces are collected. */
  Telemetry,
} from './telemetry.js';
