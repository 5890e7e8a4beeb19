import { setTimeout as sleep } from 'node:timers/promises';
import { eventSource } from '../events/source.js';
import { Cache, lazy } from '../platform/caching/index.js';
import type { Dispatcher } from '../platform/outbox/index.js';
import { CircuitBreaker, type Database, isUnavailable, newId, type Sql, sql } from '../platform/postgres/index.js';
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
export function openStatements(db: Database, stopped: AbortSignal): Tools['run'] {
  const stalled = new CircuitBreaker();
  const turns = new Cache<string, Turns>(10_000);

  /**
   * A company has one statement at a time, and rests for as long afterwards: twenty webhooks that read a long history must
   * not take the database and this process from others.
   */
  async function inTurn<T>(companyId: string, run: () => Promise<T>): Promise<T> {
    const own = turns.get(companyId) ?? new Turns(1);
    turns.set(companyId, own);
    await own.begin();
    const start = performance.now();
    try {
      return await run();
    } finally {
      setTimeout(() => own.end(), Math.min(performance.now() - start, longestRest)).unref();
    }
  }

  return async (companyId, statement) => {
    for (const start = performance.now(); ; ) {
      const isLast = stopped.aborted || performance.now() - start > worthwhile;
      try {
        const result = await inTurn(companyId, () => stalled.ask(companyId, () => statement(db)));
        if (result !== 'refused') return result;
        if (isLast) throw new Error('the database does not respond for this company');
      } catch (error) {
        if (isLast || !isUnavailable(error)) throw error;
      }
      await sleep(pauseMilliseconds + Math.random() * pauseMilliseconds);
    }
  };
}

/** How many polls look for what is due, for each that is thorough: of 20,000 webhooks, the one takes 0.3 ms, the other 10. */
const thoroughEvery = 10;

/**
 * The companies with webhooks that have work: rows that are due, and leases of gateways that died. A thorough look also
 * finds events that a gateway has numbered and not delivered, because it died in between.
 */
function dueWebhooks(company: Sql, { isThorough }: { isThorough: boolean }): Sql {
  const due = sql`
    SELECT w.company_id, 0 AS number FROM webhooks w WHERE w.next_attempt_at <= now() AND ${company}
    UNION SELECT w.company_id, 0 FROM webhooks w WHERE w.locked_until <= now() AND ${company}`;
  if (!isThorough) return due;
  return sql`${due}
    UNION SELECT w.company_id, 0 FROM webhooks w JOIN ${eventSource.tenants} c ON c.id = w.company_id
    WHERE w.disabled_at IS NULL AND w.wait_until IS NULL AND w.position < c.last_sequence AND ${company}`;
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

interface Needs extends Omit<Tools, 'run' | 'turns'> {
  db: Database;
  dispatcher: Dispatcher;
  outage?: DatabaseOutage;
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
  /** Companies that are looked at, and whether to look again, because they were named meanwhile. */
  readonly #looks = new Map<string, boolean>();
  /** Companies that had no webhook a moment ago: most have none. A new one is found by the next poll. */
  readonly #without = new Cache<string, true>(10_000, { ttl: lookForFirstEvery });
  readonly #outage: Outage;

  constructor({ db, dispatcher, outage, ...needs }: Needs) {
    const words = { begins: 'cannot deliver to webhooks, will try again', ends: 'webhooks are delivered to again' };
    this.#outage = new Outage(needs.logger, words, outage);
    this.#tools = { ...needs, run: openStatements(db, this.#stopped.signal), turns: new Turns(most.requests) };
    dispatcher.onNumbered((companyId) => {
      if (!this.#without.has(companyId)) this.wake(companyId);
    });
    let polls = 0;
    dispatcher.onPoll({
      select: (within) => {
        polls += 1;
        return dueWebhooks(within(sql`w.company_id`), { isThorough: polls % thoroughEvery === 0 });
      },
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
    const isLookedAt = this.#looks.has(companyId);
    if (!isLookedAt && this.#deliveries.size >= most.webhooks) return;
    this.#looks.set(companyId, true);
    if (!isLookedAt) this.#run(this.#look(companyId).finally(() => this.#looks.delete(companyId)));
  }

  async #look(companyId: string): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = busyPauses.least; this.#looks.get(companyId) && !signal.aborted; ) {
      this.#looks.set(companyId, false);
      const holder = newId();
      const { leases, isBusy, hasWebhooks } = await this.#tools.run(companyId, (db) =>
        acquireLeases(db, companyId, holder),
      );
      for (const lease of leases) this.#run(this.#deliver(new WebhookDelivery(lease, this.#tools), companyId));
      if (!hasWebhooks) this.#without.set(companyId, true);
      if (!isBusy) continue;
      this.#looks.set(companyId, true);
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
  allow,
  ...needs
}: Omit<Needs, 'sender'> & { allow: readonly string[] }): () => Promise<void> {
  if (needs.keys.length === 0) return async () => {};
  const deliverer = new Deliverer({ ...needs, sender: openSender({ open: new OpenAddresses(allow) }) });
  return lazy(() => deliverer.stop());
}
