import { setTimeout as sleep } from 'node:timers/promises';
import { eventSource } from '../events/source.js';
import { Cache, lazy } from '../platform/caching/index.js';
import type { Dispatcher, PollPart } from '../platform/outbox/index.js';
import { CircuitBreaker, type Database, isUnavailable, newId, sql } from '../platform/postgres/index.js';
import { Turns } from '../platform/process/index.js';
import { type DatabaseOutage, Outage } from '../platform/telemetry/index.js';
import { OpenAddresses } from './addresses.js';
import { type Tools, WebhookDelivery } from './delivery.js';
import { acquireLeases } from './queue.js';
import { openSender } from './sender.js';

/** For how long a statement is worth repeating, in milliseconds: then the lease has ended, and others may have taken over. */
const worthwhile = 15_000;
const pauseMilliseconds = 250;
/** The longest that the statements of a company rest for those of others, in milliseconds. */
const longestRest = 100;

/** Runs the statements of deliveries. Those of companies for which the database does not respond hold up no others. */
export class DeliveryStatements {
  readonly #db: Database;
  readonly #stopped: AbortSignal;
  readonly #stalled = new CircuitBreaker();
  readonly #turns = new Cache<string, Turns>(10_000);

  constructor(db: Database, stopped: AbortSignal) {
    this.#db = db;
    this.#stopped = stopped;
  }

  /** Runs a statement again while the database is unavailable, for as long as a lease may still hold. */
  async run<T>(companyId: string, statement: (db: Database) => Promise<T>): Promise<T> {
    const run = async () => ({ value: await statement(this.#db) });
    for (const start = performance.now(); ; ) {
      const isLast = this.#stopped.aborted || performance.now() - start > worthwhile;
      try {
        const result = await this.#inTurn(companyId, () => this.#stalled.ask(companyId, run));
        if (result !== 'refused') return result.value;
        if (isLast) throw new Error('the database does not respond for this company');
      } catch (error) {
        if (isLast || !isUnavailable(error)) throw error;
      }
      await sleep(pauseMilliseconds + Math.random() * pauseMilliseconds);
    }
  }

  /**
   * A company has one statement at a time, and rests for as long afterwards: twenty webhooks that read a long history must
   * not take the database and this process from others.
   */
  async #inTurn<T>(companyId: string, run: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(companyId) ?? new Turns(1);
    this.#turns.set(companyId, turns);
    await turns.begin();
    const start = performance.now();
    try {
      return await run();
    } finally {
      setTimeout(() => turns.end(), Math.min(performance.now() - start, longestRest)).unref();
    }
  }
}

/** How many polls look for what is due, for each that looks for events that nobody delivers. */
const thoroughEvery = 10;

/**
 * The companies with webhooks that have work: rows that are due, and leases of gateways that died. Every tenth poll also
 * finds events that a gateway has numbered and not delivered, because it died in between.
 */
function dueWebhooks(): PollPart['select'] {
  let polls = 0;
  return (within) => {
    const company = within(sql`w.company_id`);
    const due = sql`
      SELECT w.company_id, 0 AS number FROM webhooks w WHERE w.next_attempt_at <= now() AND ${company}
      UNION SELECT w.company_id, 0 FROM webhooks w WHERE w.locked_until <= now() AND ${company}`;
    polls += 1;
    if (polls % thoroughEvery !== 0) return due;
    return sql`${due}
      UNION SELECT w.company_id, 0 FROM webhooks w JOIN ${eventSource.tenants} c ON c.id = w.company_id
      WHERE w.disabled_at IS NULL AND w.wait_until IS NULL AND w.position < c.last_sequence AND ${company}`;
  };
}

/**
 * Webhooks that one process delivers to at once, and requests that it sends at once: each webhook has eight of them. What
 * has no place is found by a later poll.
 */
const most = { webhooks: 500, requests: 1_000 };
/** How soon to look again at a company of which another gateway delivers, in milliseconds. */
const busyPauses = { least: 50, most: 1_000 };
/** How often to look at a company without webhooks, in milliseconds. */
const lookForFirstEvery = 1_000;
/** How long a stop waits for requests that run, and then for what is recorded of them. */
const stopMilliseconds = { requests: 1_000, recording: 2_000 };

interface Needs extends Pick<Tools, 'sender' | 'keys' | 'product' | 'logger' | 'count'> {
  db: Database;
  outage?: DatabaseOutage | undefined;
}

/**
 * Delivers the events of all companies to their webhooks, beside the other gateways: whoever gets the lease of a webhook
 * delivers to it. A failure costs time, never an event.
 */
export class Deliverer {
  readonly #tools: Tools;
  readonly #stopping = new AbortController();
  readonly #stopped = new AbortController();
  readonly #deliveries = new Set<WebhookDelivery>();
  /** Looks and deliveries, which end by themselves. What has failed is due again when its lease has ended. */
  readonly #tasks = new Set<Promise<void>>();
  /** Companies that are looked at, and whether they were named again meanwhile. */
  readonly #looks = new Map<string, { again: boolean }>();
  /** Companies that had no webhook a moment ago: most have none. A new one is found by the next poll. */
  readonly #without = new Cache<string, true>(10_000, { ttl: lookForFirstEvery });
  readonly #outage: Outage;

  constructor({ db, outage, ...needs }: Needs) {
    const words = { begins: 'cannot deliver to webhooks, will try again', ends: 'webhooks are delivered to again' };
    this.#outage = new Outage(needs.logger, words, outage);
    const statements = new DeliveryStatements(db, this.#stopped.signal);
    this.#tools = { ...needs, statements, turns: new Turns(most.requests) };
  }

  start(dispatcher: Dispatcher): void {
    dispatcher.onNumbered((companyId) => {
      if (!this.#without.has(companyId)) this.wake(companyId);
    });
    dispatcher.onPoll({
      select: dueWebhooks(),
      onFound: (rows) => {
        this.#outage.onSuccess();
        for (const { companyId } of rows) this.wake(companyId);
      },
    });
  }

  /** Begins no more requests, gives those that run a second, and gives all leases back. Takes three seconds at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const delivery of this.#deliveries) delivery.stop();
    await this.#untilDone(stopMilliseconds.requests);
    this.#stopped.abort();
    for (const delivery of this.#deliveries) delivery.abort();
    await this.#untilDone(stopMilliseconds.recording);
    this.#tools.sender.close();
  }

  async #untilDone(milliseconds: number): Promise<void> {
    const done = async () => {
      while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    };
    await Promise.race([done(), sleep(milliseconds, undefined, { ref: false })]);
  }

  #run(work: Promise<void>): void {
    const task = work
      .catch((error) => {
        if (!this.#stopping.signal.aborted) this.#outage.onFailure(error);
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  /** Delivers what is due in the company. */
  wake(companyId: string): void {
    if (this.#stopping.signal.aborted) return;
    const look = this.#looks.get(companyId);
    if (look) look.again = true;
    if (look || this.#deliveries.size >= most.webhooks) return;
    const begun = { again: true };
    this.#looks.set(companyId, begun);
    this.#run(this.#look(companyId, begun).finally(() => this.#looks.delete(companyId)));
  }

  async #look(companyId: string, look: { again: boolean }): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = busyPauses.least; look.again && !signal.aborted; ) {
      look.again = false;
      const holder = newId();
      const { leases, isBusy, hasWebhooks } = await this.#tools.statements.run(companyId, (db) =>
        acquireLeases(db, companyId, holder),
      );
      for (const lease of leases) this.#run(this.#deliver(new WebhookDelivery(lease, this.#tools), companyId));
      if (!hasWebhooks) this.#without.set(companyId, true);
      if (!isBusy) continue;
      look.again = true;
      await sleep(pause, undefined, { ref: false, signal });
      pause = Math.min(2 * pause, busyPauses.most);
    }
  }

  async #deliver(delivery: WebhookDelivery, companyId: string): Promise<void> {
    this.#deliveries.add(delivery);
    if (this.#stopping.signal.aborted) delivery.stop();
    const isDue = await delivery.run().finally(() => this.#deliveries.delete(delivery));
    if (isDue) this.wake(companyId);
  }
}

/** Delivers to webhooks from now on, if there is a key. Returns what stops that, in three seconds at most. */
export function openWebhooks({
  dispatcher,
  allow,
  ...options
}: Omit<Needs, 'sender'> & { dispatcher: Dispatcher; allow: readonly string[] }): () => Promise<void> {
  if (options.keys.length === 0) return async () => {};
  const deliverer = new Deliverer({ ...options, sender: openSender({ open: new OpenAddresses(allow) }) });
  deliverer.start(dispatcher);
  return lazy(() => deliverer.stop());
}
