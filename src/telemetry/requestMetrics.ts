import { Counter, Histogram, type Registry } from 'prom-client';
import type { RequestRecord } from './requestRecord.js';

interface Outcome {
  /** Omitted if the request was cut off. */
  status: number | undefined;
  seconds: number;
  isReplay: boolean;
}

export type CountRequest = (record: RequestRecord, outcome: Outcome) => void;

/** Adds what is counted of each request. Returns what counts one. */
export function requestMetrics(registry: Registry): CountRequest {
  const registers = [registry];
  const requests = new Counter({
    name: 'goalpost_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const errors = new Counter({
    name: 'goalpost_errors_total',
    help: 'Requests that failed, in whole or in part, by operation and error code.',
    labelNames: ['operation', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'goalpost_request_duration_seconds',
    help: 'Time from the headers of a request to its answer.',
    labelNames: ['operation'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const statements = new Histogram({
    name: 'goalpost_request_sql_statements',
    help: 'SQL statements of a request, BEGIN and COMMIT included.',
    labelNames: ['operation'],
    buckets: [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 50],
    registers,
  });
  const replays = new Counter({
    name: 'goalpost_idempotency_replays_total',
    help: 'Requests answered with the outcome that their Idempotency-Key had before.',
    labelNames: ['operation'],
    registers,
  });
  const repetitions = new Counter({
    name: 'goalpost_sql_repetitions_total',
    help: 'Statements and transactions repeated after a serialization failure or deadlock.',
    labelNames: ['operation'],
    registers,
  });
  const queries = new Counter({
    name: 'goalpost_queries_total',
    help: 'Queries by the server that answered them, primary or replica, if there are replicas.',
    labelNames: ['server'],
    registers,
  });

  return (
    { operation: asked, codes, statements: sent, repetitions: repeated, server },
    { status, seconds: taken, isReplay },
  ) => {
    const operation = asked.includes(',') ? 'several' : asked;
    requests.inc({ operation, status: status ?? 'none' });
    seconds.observe({ operation }, taken);
    statements.observe({ operation }, sent);
    for (const code of codes) errors.inc({ operation, code });
    if (server) queries.inc({ server });
    if (isReplay) replays.inc({ operation });
    if (repeated > 0) repetitions.inc({ operation }, repeated);
  };
}
