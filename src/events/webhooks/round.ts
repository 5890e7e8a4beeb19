import { setTimeout as sleep } from 'node:timers/promises';
import type { Turns } from '../../turns.js';
import type { Endpoint } from './endpoint.js';
import { currentOf, type Lane, lanesOf, sequenceOf } from './lane.js';
import type { Lease } from './lease.js';
import type { Attempt } from './record.js';
import { pauseAfter } from './retrySchedule.js';
import { attemptOf, bodyOf, messageOf } from './sending/message.js';
import type { Delivery } from './sending/sender.js';
import type { Item, Taken } from './taken.js';
import type { Tools } from './tools.js';

/** A request that takes longer holds up no others. */
const slowMilliseconds = 1_000;
/** How long requests are begun before what came of them is recorded, well before the lease ends. */
const roundMilliseconds = 3_000;

/** Sends what was taken: each record in its order, and the records beside each other. */
export class Round {
  readonly lanes: Lane[];
  readonly #lease: Lease;
  readonly #taken: Taken;
  readonly #tools: Tools;
  readonly #endpoint: Endpoint;
  readonly #turns: Turns;
  readonly #isProbe: boolean;
  readonly #start = performance.now();
  readonly #slow = new Map<Lane, () => void>();

  constructor(lease: Lease, taken: Taken, given: { tools: Tools; endpoint: Endpoint; turns: Turns }) {
    this.#lease = lease;
    this.#taken = taken;
    this.#tools = given.tools;
    this.#endpoint = given.endpoint;
    this.#turns = given.turns;
    this.#isProbe = given.endpoint.isWaiting;
    this.lanes = lanesOf(taken.items);
  }

  /** Resolves when every lane has ended or runs a slow request, and in time. A probe waits for slow requests too. */
  async run(): Promise<void> {
    const slow = this.lanes.map((lane) => {
      const becomesSlow = new Promise<void>((resolve) => this.#slow.set(lane, resolve));
      lane.ended = this.#runLane(lane);
      return Promise.race([lane.ended, becomesSlow]);
    });
    const over = new AbortController();
    const time = this.#isProbe
      ? []
      : [sleep(roundMilliseconds, undefined, { ref: false, signal: over.signal }).catch(() => {})];
    await Promise.race([Promise.all(slow), ...time]);
    over.abort();
  }

  async #runLane(lane: Lane): Promise<void> {
    for (let item = currentOf(lane); item && !lane.isPutAside && lane.current === 'unsent'; item = currentOf(lane)) {
      if (item.isDraft) {
        lane.settled += 1;
        continue;
      }
      const isSent = await this.#turns.take(() => this.#tools.turns.take(() => this.#trySending(lane, item)));
      if (!isSent) return;
    }
  }

  /** Returns whether it was sent: the time of the round may have passed since it had to wait. */
  async #trySending(lane: Lane, item: Item): Promise<boolean> {
    if (lane.isPutAside || this.#mayNotSend(item)) return false;
    await this.#send(lane, item);
    return true;
  }

  #mayNotSend({ retry }: Item): boolean {
    if (this.#tools.stopping.aborted || this.#seconds() * 1000 > roundMilliseconds) return true;
    // What is sent once, and each of the two that a probe consists of, does not wait for the others.
    return this.#endpoint.isClosed && !retry?.once && !this.#isProbe;
  }

  async #send(lane: Lane, item: Item): Promise<void> {
    const { sender, keys, stopped } = this.#tools;
    const { companyId, webhookId } = this.#lease;
    const attempt = attemptOf(item);
    const clock = this.#taken.clock + this.#seconds();
    const body = bodyOf(item, companyId, clock);
    const message = messageOf(this.#taken, { body, attempt, clock, keys, owner: { companyId, id: webhookId } });
    lane.current = 'running';
    lane.begun = Math.max(lane.begun, sequenceOf(item));
    const timer = this.#isProbe ? undefined : setTimeout(() => this.#slow.get(lane)?.(), slowMilliseconds);
    const delivery = await sender.send(message, stopped);
    clearTimeout(timer);
    lane.current = 'unsent';
    if (stopped.aborted && !delivery.isAcknowledged) return;
    const outcome = this.#outcomeOf(item, delivery);
    if (outcome === 'failed') lane.current = 'failed';
    else lane.settled += 1;
    this.#endpoint.note(delivery, { once: item.retry?.once === true });
    const { status, reason, milliseconds, response } = delivery;
    const sequence = item.event?.sequence;
    lane.attempts.push({
      eventId: body.id,
      type: body.type,
      sequence,
      number: attempt,
      outcome,
      status,
      reason,
      milliseconds,
      response,
    });
    this.#count(item, outcome);
  }

  #outcomeOf({ retry }: Item, { isAcknowledged }: Delivery): Attempt['outcome'] {
    if (isAcknowledged) return 'acknowledged';
    const isLast = !retry?.once && !this.#isProbe && pauseAfter((retry?.failures ?? 0) + 1) === undefined;
    return isLast ? 'given_up' : 'failed';
  }

  #count({ age, retry, mayHaveBeenSent, event }: Item, outcome: Attempt['outcome']): void {
    const isFirstTime = event !== undefined && !retry?.once && (retry !== undefined || !mayHaveBeenSent);
    this.#tools.count(outcome, outcome === 'acknowledged' && isFirstTime ? age + this.#seconds() : undefined);
  }

  #seconds = () => (performance.now() - this.#start) / 1000;
}
