import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { ConnectionUse } from '../database/query/reader/database.js';
import type { ReplicaState } from '../database/servers/replicas/replicas.js';
import type { RequestRecord } from './requestRecord.js';

interface MetricsOptions {
  /** How many connections the pool may hold. */
  poolSize: number;
  connections: () => ConnectionUse;
  replicas?: () => ReplicaState[];
  unsentBytes?: () => number;
  streams?: () => number;
  /** Webhooks by their state, and by how many events the slowest is behind. */
  webhooks?: () => { active: number; failing: number; disabled: number; lag: number };
}

/** The metrics of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[];

export interface ReadMetrics {
  text: string;
  contentType: string;
}

interface Outcome {
  /** Omitted if the request was cut off. */
  status: number | undefined;
  seconds: number;
  isReplay: boolean;
}

/**
 * The metrics for Prometheus. No label has a value that a client can choose, so clients cannot create series:
 * operations and codes come from the schema and the catalogue.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'goalpost_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  });
  readonly #errors = new Counter({
    name: 'goalpost_errors_total',
    help: 'Requests that failed, in whole or in part, by operation and error code.',
    labelNames: ['operation', 'code'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'goalpost_request_duration_seconds',
    help: 'Time from the headers of a request to its answer.',
    labelNames: ['operation'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });
  readonly #statements = new Histogram({
    name: 'goalpost_request_sql_statements',
    help: 'SQL statements of a request, BEGIN and COMMIT included.',
    labelNames: ['operation'],
    buckets: [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 50],
    registers: [this.#registry],
  });
  readonly #replays = new Counter({
    name: 'goalpost_idempotency_replays_total',
    help: 'Requests answered with the outcome that their Idempotency-Key had before.',
    labelNames: ['operation'],
    registers: [this.#registry],
  });
  readonly #repetitions = new Counter({
    name: 'goalpost_sql_repetitions_total',
    help: 'Statements and transactions repeated after a serialization failure or deadlock.',
    labelNames: ['operation'],
    registers: [this.#registry],
  });

  readonly #queries = new Counter({
    name: 'goalpost_queries_total',
    help: 'Queries by the server that answered them, primary or replica, if there are replicas.',
    labelNames: ['server'],
    registers: [this.#registry],
  });

  readonly #attempts = new Counter({
    name: 'goalpost_webhook_attempts_total',
    help: 'Requests to webhooks by outcome: acknowledged, failed, or given_up, which is the last failure of an event.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #deliverySeconds = new Histogram({
    name: 'goalpost_webhook_delivery_seconds',
    help: 'Time from recording an event to its acknowledgement by a webhook.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 86_400],
    registers: [this.#registry],
  });

  constructor({
    poolSize,
    connections,
    replicas = () => [],
    unsentBytes = () => 0,
    streams = () => 0,
    webhooks,
  }: MetricsOptions) {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge('goalpost_workers', 'Processes of this gateway that serve.', () => 1);
    this.#gauge('goalpost_pool_size', 'Most connections that the pool may hold.', () => poolSize);
    this.#gauge('goalpost_pool_open', 'Connections of the pool.', () => connections().open);
    this.#gauge('goalpost_pool_idle', 'Connections of the pool that are free.', () => connections().idle);
    this.#gauge('goalpost_pool_waiting', 'Statements that wait for a connection.', () => connections().waiting);
    this.#gauge('goalpost_unsent_bytes', 'Bytes of responses that clients have not read yet.', unsentBytes);
    this.#gauge('goalpost_streams', 'Open streams.', streams);
    if (webhooks) this.#webhookGauges(webhooks);
    this.#replicaGauge('goalpost_replica_used', 'Whether a replica may answer queries: 1 or 0.', 'min', () =>
      replicas().map(({ address, isUsed }) => ({ address, value: isUsed ? 1 : 0 })),
    );
    this.#replicaGauge('goalpost_replica_lag_bytes', 'How far a replica is behind the latest request.', 'max', () =>
      replicas().map(({ address, bytesBehind }) => ({ address, value: bytesBehind })),
    );
  }

  /** Counts a request to a webhook, with the seconds since its event was recorded if it was acknowledged. */
  countAttempt(outcome: string, seconds: number | undefined): void {
    this.#attempts.inc({ outcome });
    if (seconds !== undefined) this.#deliverySeconds.observe(Math.max(seconds, 0));
  }

  count(
    { operation: asked, codes, statements, repetitions, server }: RequestRecord,
    { status, seconds, isReplay }: Outcome,
  ): void {
    const operation = asked.includes(',') ? 'several' : asked;
    this.#requests.inc({ operation, status: status ?? 'none' });
    this.#seconds.observe({ operation }, seconds);
    this.#statements.observe({ operation }, statements);
    for (const code of codes) this.#errors.inc({ operation, code });
    if (server) this.#queries.inc({ server });
    if (isReplay) this.#replays.inc({ operation });
    if (repetitions > 0) this.#repetitions.inc({ operation }, repetitions);
  }

  /** All metrics in the text format of Prometheus, and its media type. */
  async read(): Promise<ReadMetrics> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  /** All metrics, to be added up with those of other processes. */
  figures(): Promise<Figures> {
    return this.#registry.getMetricsAsJSON();
  }

  /** `aggregator` says how to combine the values of several processes. */
  #replicaGauge(
    name: string,
    help: string,
    aggregator: 'min' | 'max',
    read: () => { address: string; value: number | undefined }[],
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['replica'],
      aggregator,
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { address, value } of read()) if (value !== undefined) this.set({ replica: address }, value);
      },
    });
  }

  /** The same in every process: they read it from the database, with every tenth sweep. */
  #webhookGauges(read: NonNullable<MetricsOptions['webhooks']>): void {
    const help = 'Webhooks of all companies by state: active, failing, disabled.';
    new Gauge({
      name: 'goalpost_webhooks',
      help,
      labelNames: ['state'],
      aggregator: 'max',
      registers: [this.#registry],
      collect() {
        const { lag: _, ...states } = read();
        for (const [state, count] of Object.entries(states)) this.set({ state }, count);
      },
    });
    new Gauge({
      name: 'goalpost_webhook_lag_events',
      help: 'By how many events the slowest webhook that is not disabled is behind.',
      aggregator: 'max',
      registers: [this.#registry],
      collect() {
        this.set(read().lag);
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
