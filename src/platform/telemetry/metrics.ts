import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConnectionUse } from '../postgres/index.js';
import type { CountRequest } from './telemetry.js';

interface GaugeOptions {
  name: string;
  help: string;
  /** Has a value for each value of this label. */
  label?: string;
}

type ReadGauge = () => number | Readonly<Record<string, number>>;

/** A gauge that the platform knows nothing of. */
type ProductGauge = GaugeOptions & { read: ReadGauge };

/** Adds a gauge, which is read whenever the metrics are: one value, or one for each value of its label. */
function addGauge(registry: Registry, { label, ...options }: GaugeOptions, read: ReadGauge): void {
  new Gauge({
    ...options,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      this.reset();
      const values = read();
      if (typeof values === 'number') this.set(values);
      else for (const [each, value] of Object.entries(values)) this.set({ [label ?? '']: each }, value);
    },
  });
}

const pollMilliseconds = 10_000;

/** What gauges show of the database, read every ten seconds. While that fails it stays as it was. */
export class PolledFigures<Read> {
  #figures: Read;
  readonly #timer: NodeJS.Timeout;

  constructor(readNow: () => Promise<Read>, initial: Read) {
    this.#figures = initial;
    const poll = async () => {
      this.#figures = await readNow().catch(() => this.#figures);
    };
    void poll();
    this.#timer = setInterval(() => void poll(), pollMilliseconds).unref();
  }

  readonly read = (): Read => this.#figures;

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Adds what is counted of each request. Returns what counts one. */
function requestMetrics(registry: Registry): CountRequest {
  const registers = [registry];
  const counter = (name: string, help: string, label?: string) =>
    new Counter({ name, help, labelNames: ['operation', ...(label === undefined ? [] : [label])], registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, labelNames: ['operation'], buckets, registers });
  const requests = counter('goalpost_requests_total', 'Requests by operation and status.', 'status');
  const errors = counter(
    'goalpost_errors_total',
    'Requests that failed, in whole or in part, by operation and error code.',
    'code',
  );
  const seconds = histogram(
    'goalpost_request_duration_seconds',
    'Time from the headers of a request to its answer.',
    [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  const statements = histogram(
    'goalpost_request_sql_statements',
    'SQL statements of a request, BEGIN and COMMIT included.',
    [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 50],
  );
  const replays = counter(
    'goalpost_idempotency_replays_total',
    'Requests answered with the outcome that their Idempotency-Key had before.',
  );
  const repetitions = counter(
    'goalpost_sql_repetitions_total',
    'Statements and transactions repeated after a serialization failure or deadlock.',
  );

  return (
    { operation: asked, codes, statements: sent, repetitions: repeated },
    { status, seconds: taken, isReplay },
  ) => {
    const operation = asked.includes(',') ? 'several' : asked;
    requests.inc({ operation, status: status ?? 'none' });
    seconds.observe({ operation }, taken);
    statements.observe({ operation }, sent);
    for (const code of codes) errors.inc({ operation, code });
    if (isReplay) replays.inc({ operation });
    if (repeated > 0) repetitions.inc({ operation }, repeated);
  };
}

/** Webhooks by their state, and by how many events the slowest is behind. */
type ReadWebhooks = () => { active: number; failing: number; disabled: number; lag: number; unnumbered: number };

/** Counts requests to webhooks: their outcome, and the seconds since the event was recorded if it was acknowledged. */
function webhookMetrics(registry: Registry, read: ReadWebhooks) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'goalpost_webhook_attempts_total',
    help: 'Requests to webhooks by outcome: acknowledged, failed, or given_up, which is the last failure of an event.',
    labelNames: ['outcome'],
    registers,
  });
  const deliverySeconds = new Histogram({
    name: 'goalpost_webhook_delivery_seconds',
    help: 'Time from recording an event to its acknowledgement by a webhook.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 86_400],
    registers,
  });
  const help = 'Webhooks of all companies by state: active, failing, disabled.';
  addGauge(registry, { name: 'goalpost_webhooks', help, label: 'state' }, () => {
    const { lag: _, unnumbered: __, ...states } = read();
    return states;
  });
  const lagHelp = 'By how many events the slowest webhook that is not disabled is behind.';
  addGauge(registry, { name: 'goalpost_webhook_lag_events', help: lagHelp }, () => read().lag);
  const unnumberedHelp = 'For how long the oldest event without a sequence has waited for it.';
  addGauge(registry, { name: 'goalpost_event_lag_seconds', help: unnumberedHelp }, () => read().unnumbered);

  return (outcome: string, seconds: number | undefined): void => {
    attempts.inc({ outcome });
    if (seconds !== undefined) deliverySeconds.observe(Math.max(seconds, 0));
  };
}

const databaseUpHelp = '1 if the database has answered the last poll, which comes once a second.';

interface MetricsOptions {
  poolSize: number;
  connections: () => ConnectionUse;
  unsentBytes: () => number;
  streams: () => number;
  isDatabaseUp: () => boolean;
  webhooks: ReadWebhooks;
  gauges: readonly ProductGauge[];
}

export interface ReadMetrics {
  text: string;
  contentType: string;
}

/** The metrics for Prometheus. No label has a value that a client can choose, so clients cannot create series. */
export class Metrics {
  readonly #registry = new Registry();
  readonly count: CountRequest = requestMetrics(this.#registry);
  readonly countAttempt: ReturnType<typeof webhookMetrics>;

  constructor({ poolSize, connections, unsentBytes, streams, isDatabaseUp, webhooks, gauges }: MetricsOptions) {
    this.countAttempt = webhookMetrics(this.#registry, webhooks);
    collectDefaultMetrics({ register: this.#registry });
    const gauge = (name: string, help: string, read: () => number) => addGauge(this.#registry, { name, help }, read);
    gauge('goalpost_pool_size', 'Most connections that the pool may hold.', () => poolSize);
    gauge('goalpost_pool_open', 'Connections of the pool.', () => connections().open);
    gauge('goalpost_pool_idle', 'Connections of the pool that are free.', () => connections().idle);
    gauge('goalpost_pool_waiting', 'Statements that wait for a connection.', () => connections().waiting);
    gauge('goalpost_unsent_bytes', 'Bytes of responses that clients have not read yet.', unsentBytes);
    gauge('goalpost_streams', 'Open streams.', streams);
    gauge('goalpost_database_up', databaseUpHelp, () => (isDatabaseUp() ? 1 : 0));
    for (const { read, ...own } of gauges) addGauge(this.#registry, own, read);
  }

  /** All metrics in the text format of Prometheus, and its media type. */
  async read(): Promise<ReadMetrics> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
