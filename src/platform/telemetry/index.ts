/** Logs JSON lines to stderr, every one with `fields`. */
/**
 * Where log lines go: to stderr, as JSON or, by default only in a terminal, as text for people. Lines that cannot be
 * written, because the disk is full or the reader is gone or stalled, are lost: the gateway continues to serve.
 */
/** Escapes characters that could control a terminal, end a line or look like another column. */
export { createLogger, logDestination, printable } from './logger.js';
export type { Figures, ReadMetrics } from './metrics.js';
/**
 * The metrics for Prometheus. No label has a value that a client can choose, so clients cannot create series:
 * operations and codes come from the schema and the catalogue.
 */
/** Reads the figures with every tenth sweep, as a part of it. */
export { Metrics, webhookFigures } from './metrics.js';
/** A small separate server for `/metrics`. Its failures do not affect the gateway. */
/**
 * The metrics of several processes, added up. The counts of a process remain when it exits: a counter that decreases
 * would look like a restart of all of them.
 */
export { MetricsServer, SumOfMetrics } from './metricsServer.js';
export type { Identity } from './requestRecord.js';
/** What is known about a request while it runs, for its log line, metrics and trace. It contains no secret. */
/** The id of a request (the caller's `X-Request-Id` if valid) and the caller's trace. */
/** With what the log names a request that may have no record. */
/**
 * How much processor time the process has used lately for each millisecond that is counted for a request: sockets, the
 * driver and the collection of garbage need more than is counted, and a machine that does other things gives less.
 */
export { identify, loggedIdentity, RequestRecord, usedPerCounted } from './requestRecord.js';
/** Turns each request into one log line, one count in every metric, and one trace if traces are collected. */
/** Runs a GraphQL operation in a child span, if its request has a span. */
export { inOperationSpan, Telemetry } from './telemetry.js';
