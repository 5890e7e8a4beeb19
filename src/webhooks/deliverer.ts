import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Cache, lazy } from '../platform/caching/index.js';
import type { Dispatcher, EventSource, PollPart } from '../platform/outbox/index.js';
import { type Database, newId, sql } from '../platform/postgres/index.js';
import { Turns } from '../platform/process/index.js';
import { type DatabaseOutage, Outage } from '../platform/telemetry/index.js';
import { OpenAddresses } from './addresses.js';
import { type CountAttempt, DeliveryStatements, type Tools, WebhookDelivery } from './delivery.js';
import { acquireLease } from './lease.js';
import { ConnectionPace, Sender } from './sender.js';
import type { Product } from './signature.js';

/** What runs aside, and may be waited for. */
class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(work: Promise<void>): void {
    const kept = work.catch(this.#onError).finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  /** Resolves when none runs, or when the time has passed. */
  async untilNone(milliseconds: number): Promise<void> {
    const none = async () => {
      while (this.#running.size > 0) await Promise.all(this.#running);
    };
    await Promise.race([none(), sleep(milliseconds, undefined, { ref: false })]);
  }
}

/** How many polls look for what is due, for each that looks for events that nobody delivers. */
const thoroughEvery = 10;

/**
 * The companies with webhooks that have work: retries that are due, and leases of gateways that died. Every tenth poll also
 * finds events that a gateway has numbered and not delivered, because it died in between.
 */
function dueWebhooks({ tenants }: EventSource): PollPart['select'] {
  let polls = 0;
  return (within) => {
    const company = within(sql`w.company_id`);
    const due = sql`
      SELECT w.company_id, 0 AS number FROM webhooks w WHERE w.due_at <= now() AND ${company}
      UNION SELECT w.company_id, 0 FROM webhooks w WHERE w.lease_until <= now() AND ${company}`;
    polls += 1;
    if (polls % thoroughEvery !== 0) return due;
    return sql`${due}
      UNION SELECT w.company_id, 0 FROM webhooks w JOIN ${tenants} c ON c.id = w.company_id
      WHERE w.disabled_at IS NULL AND w.wait_until IS NULL AND w.position < c.last_sequence AND ${company}`;
  };
}

/** Webhooks that one process delivers to at once, and requests that it sends at once: each webhook has eight of them. */
const most = { webhooks: 1_000, requests: 1_000 };
/** How soon to look again at a company of which another gateway delivers, in milliseconds. */
const busyPauses = { least: 50, most: 1_000 };
/** How often to look at a company without webhooks, in milliseconds. */
const lookForFirstEvery = 1_000;
/** How long a stop waits for requests that run, and then for what is recorded of them. */
const stopMilliseconds = { requests: 1_000, recording: 2_000 };

type Needs = Pick<Tools, 'source' | 'sender' | 'keys' | 'product' | 'logger' | 'count'> & {
  db: Database;
  outage?: DatabaseOutage | undefined;
};

/**
 * Delivers the events of all companies to their webhooks, beside the other gateways: whoever gets the lease of a webhook
 * delivers to it. A failure costs time, never an event.
 */
export class Deliverer {
  readonly #tools: Tools;
  readonly #stopping = new AbortController();
  readonly #stopped = new AbortController();
  /** Companies that are looked at, and whether they were named again meanwhile. */
  readonly #looks = new Map<string, { again: boolean }>();
  /** Companies that had no webhook a moment ago, and whether they will be looked at again. */
  readonly #without = new Cache<string, { isPlanned: boolean }>(10_000, { ttl: lookForFirstEvery });
  /** Companies to look at when a webhook is done. */
  readonly #waiting = new Set<string>();
  /** Looks and deliveries, which end by themselves. What has failed is due again when its lease has ended. */
  readonly #tasks: Tasks;
  readonly #outage: Outage;
  #deliveries = 0;

  constructor({ db, outage, ...needs }: Needs) {
    const [stopping, stopped] = [this.#stopping.signal, this.#stopped.signal];
    // Every delivery listens to both, for as long as it runs.
    setMaxListeners(0, stopping, stopped);
    const statements = new DeliveryStatements(db, stopped);
    const words = { begins: 'cannot deliver to webhooks, will try again', ends: 'webhooks are delivered to again' };
    this.#outage = new Outage(needs.logger, words, outage);
    this.#tasks = new Tasks((error) => {
      if (!stopping.aborted) this.#outage.onFailure(error);
    });
    this.#tools = {
      ...needs,
      statements,
      turns: new Turns(most.requests),
      pace: new ConnectionPace(),
      stopping,
      stopped,
    };
  }

  start(dispatcher: Dispatcher): void {
    dispatcher.onNumbered((companyId) => this.#wakeIfAny(companyId));
    dispatcher.onPoll({
      select: dueWebhooks(this.#tools.source),
      onFound: (rows) => {
        this.#outage.onSuccess();
        for (const { companyId } of rows) this.wake(companyId);
      },
    });
  }

  /** Begins no more requests, gives those that run a second, and gives all leases back. Takes three seconds at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#tasks.untilNone(stopMilliseconds.requests);
    this.#stopped.abort();
    await this.#tasks.untilNone(stopMilliseconds.recording);
    this.#tools.sender.close();
  }

  /** Delivers what is due in the company. */
  wake(companyId: string): void {
    if (this.#stopping.signal.aborted) return;
    const look = this.#looks.get(companyId);
    if (look) {
      look.again = true;
      return;
    }
    if (this.#deliveries >= most.webhooks) {
      this.#waiting.add(companyId);
      return;
    }
    const begun = { again: true };
    this.#looks.set(companyId, begun);
    this.#tasks.add(this.#look(companyId, begun).finally(() => this.#looks.delete(companyId)));
  }

  /** For a company that had no webhook a moment ago, waits a little: most companies have none. */
  #wakeIfAny(companyId: string): void {
    const without = this.#without.get(companyId);
    if (!without) this.wake(companyId);
    if (!without || without.isPlanned) return;
    without.isPlanned = true;
    setTimeout(() => this.wake(companyId), this.#without.getRemainingTTL(companyId)).unref();
  }

  async #look(companyId: string, look: { again: boolean }): Promise<void> {
    const { statements, source, stopping } = this.#tools;
    let pause = busyPauses.least;
    while (look.again && !stopping.aborted) {
      look.again = false;
      const leaseId = newId();
      const { leases, isBusy, hasWebhooks } = await statements.run(companyId, (db) =>
        acquireLease(db, source, companyId, leaseId),
      );
      for (const lease of leases) this.#deliver(new WebhookDelivery(lease, this.#tools), companyId);
      if (!hasWebhooks) this.#without.set(companyId, { isPlanned: false });
      if (!isBusy) continue;
      look.again = true;
      await sleep(pause, undefined, { ref: false, signal: stopping });
      pause = Math.min(2 * pause, busyPauses.most);
    }
  }

  #deliver(delivery: WebhookDelivery, companyId: string): void {
    this.#deliveries += 1;
    const run = async () => {
      const isDue = await delivery.run().finally(() => {
        this.#deliveries -= 1;
      });
      if (isDue) this.wake(companyId);
    };
    this.#tasks.add(run().finally(() => this.#wakeNext()));
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.wake(next);
  }
}

interface WebhookOptions {
  db: Database;
  source: EventSource;
  dispatcher: Dispatcher;
  product: Product;
  keys: readonly string[];
  allow: readonly string[];
  logger: Logger;
  count: CountAttempt;
  outage?: DatabaseOutage;
}

/** Delivers to webhooks from now on, if there is a key. Returns what stops that, in three seconds at most. */
export function openWebhooks({ dispatcher, allow, ...options }: WebhookOptions): () => Promise<void> {
  if (options.keys.length === 0) return async () => {};
  const deliverer = new Deliverer({ ...options, sender: new Sender({ open: new OpenAddresses(allow) }) });
  deliverer.start(dispatcher);
  return lazy(() => deliverer.stop());
}
