import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { ConnectionUse } from '../database/query/reader/database.js';
import type { ReplicaState } from '../database/servers/replicas/replicas.js';
import { addGauge } from './gauge.js';
import { type CountRequest, requestMetrics } from './requestMetrics.js';
import { type ReadWebhooks, webhookMetrics } from './webhookMetrics.js';

interface MetricsOptions {
  /** How many connections the pool may hold. */
  poolSize: number;
  connections: () => ConnectionUse;
  replicas?: () => ReplicaState[];
  unsentBytes?: () => number;
  streams?: () => number;
  webhooks?: ReadWebhooks;
}

/** The metrics of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[];

export interface ReadMetrics {
  text: string;
  contentType: string;
}

/**
 * The metrics for Prometheus. No label has a value that a client can choose, so clients cannot create series:
 * operations and codes come from the schema and the catalogue.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly count: CountRequest = requestMetrics(this.#registry);
  readonly countAttempt: ReturnType<typeof webhookMetrics>;

  constructor({
    poolSize,
    connections,
    replicas = () => [],
    unsentBytes = () => 0,
    streams = () => 0,
    webhooks,
  }: MetricsOptions) {
    this.countAttempt = webhookMetrics(this.#registry, webhooks);
    collectDefaultMetrics({ register: this.#registry });
    const gauge = (name: string, help: string, read: () => number) => addGauge(this.#registry, { name, help }, read);
    gauge('goalpost_workers', 'Processes of this gateway that serve.', () => 1);
    gauge('goalpost_pool_size', 'Most connections that the pool may hold.', () => poolSize);
    gauge('goalpost_pool_open', 'Connections of the pool.', () => connections().open);
    gauge('goalpost_pool_idle', 'Connections of the pool that are free.', () => connections().idle);
    gauge('goalpost_pool_waiting', 'Statements that wait for a connection.', () => connections().waiting);
    gauge('goalpost_unsent_bytes', 'Bytes of responses that clients have not read yet.', unsentBytes);
    gauge('goalpost_streams', 'Open streams.', streams);
    const used = { name: 'goalpost_replica_used', help: 'Whether a replica may answer queries: 1 or 0.' };
    addGauge(this.#registry, { ...used, label: 'replica', aggregator: 'min' }, () =>
      Object.fromEntries(replicas().map(({ address, isUsed }) => [address, isUsed ? 1 : 0])),
    );
    const lag = { name: 'goalpost_replica_lag_bytes', help: 'How far a replica is behind the latest request.' };
    addGauge(this.#registry, { ...lag, label: 'replica', aggregator: 'max' }, () =>
      Object.fromEntries(
        replicas().flatMap(({ address, bytesBehind: bytes }) => (bytes === undefined ? [] : [[address, bytes]])),
      ),
    );
  }

  /** All metrics in the text format of Prometheus, and its media type. */
  async read(): Promise<ReadMetrics> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  /** All metrics, to be added up with those of other processes. */
  figures(): Promise<Figures> {
    return this.#registry.getMetricsAsJSON();
  }
}
