import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/query/client.js';
import { newId } from '../../database/query/newId.js';
import { Turns } from '../../turns.js';
import type { Pump } from '../pump.js';
import { Trouble } from '../trouble.js';
import { DeliveryStatements } from './deliveryStatements.js';
import { dueWebhooks } from './dueWebhooks.js';
import { claim } from './lease.js';
import { Tasks } from './tasks.js';
import type { Tools } from './tools.js';
import { WebhookDelivery } from './webhookDelivery.js';

/** Webhooks that one process delivers to at once, and requests that it sends at once. */
const most = { webhooks: 1_000, requests: 1_000 };
/** How soon to look again at a company of which another gateway delivers, in milliseconds. */
const busyPauses = { least: 50, most: 1_000 };
/** How often to look at a company without webhooks, in milliseconds. */
const lookForFirstEvery = 1_000;
/** How long a stop waits for requests that run, and then for what is recorded of them. */
const stopMilliseconds = { requests: 1_000, recording: 2_000 };

type Needs = Pick<Tools, 'sender' | 'keys' | 'logger' | 'count'> & { db: Database };

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
  readonly #without = new LRUCache<string, { isPlanned: boolean }>({ max: 10_000, ttl: lookForFirstEvery });
  /** Companies to look at when a webhook is done. */
  readonly #waiting = new Set<string>();
  /** Looks and deliveries, which end by themselves. What has failed is due again when its lease has ended. */
  readonly #tasks: Tasks;
  readonly #trouble: Trouble;
  #deliveries = 0;

  constructor({ db, ...needs }: Needs) {
    const [stopping, stopped] = [this.#stopping.signal, this.#stopped.signal];
    // Every delivery listens to both, for as long as it runs.
    setMaxListeners(0, stopping, stopped);
    const statements = new DeliveryStatements(db, stopped);
    this.#trouble = new Trouble(needs.logger, {
      begins: 'cannot deliver to webhooks, will try again',
      ends: 'webhooks are delivered to again',
    });
    this.#tasks = new Tasks((error) => {
      if (!stopping.aborted) this.#trouble.onFailure(error);
    });
    this.#tools = { ...needs, statements, turns: new Turns(most.requests), stopping, stopped };
  }

  start(pump: Pump): void {
    pump.onNumbered((companyId) => this.#wakeIfAny(companyId));
    pump.onSweep({
      select: dueWebhooks(),
      onFound: (rows) => {
        this.#trouble.onSuccess();
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
    const { statements, stopping } = this.#tools;
    let pause = busyPauses.least;
    while (look.again && !stopping.aborted) {
      look.again = false;
      const leaseId = newId();
      const { leases, isBusy, hasWebhooks } = await statements.run(companyId, (db) => claim(db, companyId, leaseId));
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
