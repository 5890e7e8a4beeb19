import type { Logger } from 'pino';
import type { OutboxEvent } from '../platform/outbox/index.js';
import type { Database } from '../platform/postgres/index.js';
import type { Turns } from '../platform/process/index.js';
import {
  type Finished,
  fill,
  finish,
  type Lease,
  mostTaken,
  notSent,
  type Outcome,
  pauseAfter,
  releaseLease,
  type Score,
  type Taken,
  take,
} from './queue.js';
import type { Delivery, Sender } from './sender.js';
import { bodyOf, messageOf } from './signature.js';

/** What every delivery of a process uses. */
export interface Tools {
  /** Runs a statement again while the database is unavailable, for as long as a lease may still hold. */
  run: <T>(companyId: string, statement: (db: Database) => Promise<T>) => Promise<T>;
  sender: Sender;
  /** Of all requests of the process. */
  turns: Turns;
  /** WEBHOOK_KEY: the new one first. */
  keys: readonly string[];
  logger: Logger;
  /** `seconds` is the time from recording an event to its acknowledgement, where it has one. */
  count: (outcome: 'acknowledged' | 'failed' | 'given_up', seconds: number | undefined) => void;
}

/** Requests to one webhook at once. */
const mostAtOnce = 8;
/** The longest that an outcome waits for others to be recorded with, in milliseconds. */
const recordEvery = 100;
/** How often to look for new events while a slow request runs, in milliseconds. */
const lookEvery = 500;
/** How long after the lease was renewed a request may begin, in milliseconds, so that it is sent before the lease ends. */
const mayBeginFor = 10_000;

/** The lease was lost: others deliver now, or an owner has moved the position. */
class LeaseLost extends Error {}

type Sending = Taken & { takenAt: number };

interface Ended {
  row: Taken;
  outcome: Outcome;
}

/**
 * Delivers to one webhook while its gateway has the lease: fills the queue, takes rows, sends each in a request of its
 * own, and finishes those that have ended. A failure is recorded before another request begins, so that the rows alone say
 * how the endpoint is.
 */
export class WebhookDelivery {
  readonly #aborted = new AbortController();
  #isStopping = false;
  /** Rows that are taken, and not begun. */
  #queue: Sending[] = [];
  #running = 0;
  /** What has ended, and is not recorded. */
  #ended: Ended[] = [];
  /** Whether no failure waits to be recorded. */
  #isOpen = true;
  /** Whether there may be events behind the position, and rows that are due. */
  #hasMore = true;
  #hasDue = false;
  #renewedAt = performance.now();
  #takenAt = performance.now();
  #onProgress = () => {};

  constructor(
    private readonly lease: Lease,
    private readonly tools: Tools,
  ) {}

  /** Delivers until nothing is left, the endpoint has to wait, or it is stopped. Returns whether there is more to do. */
  async run(): Promise<boolean> {
    try {
      while (await this.#round()) await this.#untilProgress();
      this.#putBack(() => true);
      for (; this.#running > 0; await this.#untilProgress()) await this.#record();
      await this.#record();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      this.abort();
    }
    return this.tools.run(this.lease.companyId, (db) => releaseLease(db, this.lease));
  }

  /** Begins no more requests. */
  stop(): void {
    this.#isStopping = true;
    this.#onProgress();
  }

  /** Gives up those that run. */
  abort(): void {
    this.#aborted.abort();
  }

  /** Records, fills, takes and begins what there is. Returns whether to go on. */
  async #round(): Promise<boolean> {
    let isPaused = (await this.#record())?.isPaused ?? false;
    if (this.#isStopping) return false;
    const isLook = performance.now() - this.#takenAt >= lookEvery;
    if (isLook) [this.#hasMore, this.#hasDue] = [true, false];
    const room = Math.max(mostTaken - this.#inHand, 0);
    if (isLook || room >= mostTaken / 2) {
      if (this.#hasMore && !this.#hasDue && !isPaused) {
        this.#hasMore = (await this.#hold(fill)).hasMore;
        this.#hasDue = true;
      }
      if (this.#hasDue) isPaused = await this.#take(room);
    }
    if (isPaused) this.#putBack(({ once }) => !once);
    this.#begin();
    return this.#inHand > 0 || this.#ended.length > 0 || (this.#hasMore && !isPaused);
  }

  get #inHand(): number {
    return this.#queue.length + this.#running;
  }

  /** Returns whether the webhook gets nothing now but what is sent once. */
  async #take(most: number): Promise<boolean> {
    const takenAt = performance.now();
    this.#takenAt = takenAt;
    const { isPaused, rows } = await this.#hold((db, lease) => take(db, lease, most));
    for (const row of rows) {
      const { isPing, event } = row;
      if (!isPing && event?.isHidden !== false) this.#ended.push({ row, outcome: settled(row) });
      else if (event?.problem !== undefined) this.#ended.push(this.#unmade(row, event, event.problem));
      else this.#queue.push({ ...row, takenAt });
    }
    this.#hasDue = rows.length === most;
    return isPaused;
  }

  async #record(): Promise<Finished | undefined> {
    if (this.#ended.length === 0) return undefined;
    const ended = this.#ended.splice(0);
    const outcomes = ended.map(({ outcome }) => outcome);
    const finished = await this.#hold((db, lease) => finish(db, lease, outcomes, scoreOf(ended)));
    this.#hasDue ||= finished.hasNext || ended.some(({ row }) => row.isProbe);
    if (finished.isPaused) this.#putBack(({ once }) => !once);
    this.#isOpen = !this.#ended.some(hasFailed);
    report(this.tools.logger, this.lease, ended, finished);
    return finished;
  }

  /** Runs a statement that renews the lease. Throws if that does not hold any more. */
  async #hold<T>(statement: (db: Database, lease: Lease) => Promise<T | undefined>): Promise<T> {
    const start = performance.now();
    const result = await this.tools.run(this.lease.companyId, (db) => statement(db, this.lease));
    if (result === undefined) throw new LeaseLost();
    this.#renewedAt = start;
    return result;
  }

  /** Rows that are not begun are as if they had not been taken. */
  #putBack(isChosen: (row: Taken) => boolean): void {
    this.#ended.push(...this.#queue.filter(isChosen).map(unsent));
    this.#queue = this.#queue.filter((row) => !isChosen(row));
  }

  #begin(): void {
    while (this.#isOpen && this.#running < mostAtOnce) {
      const row = this.#queue.shift();
      if (!row) return;
      this.#running += 1;
      void this.tools.turns.take(() => this.#send(row)).then((ended) => this.#end(ended));
    }
  }

  #end(ended: Ended): void {
    this.#running -= 1;
    this.#ended.push(ended);
    if (hasFailed(ended)) this.#isOpen = false;
    this.#begin();
    if (this.#hasToRecord) this.#onProgress();
    else if (this.#ended.length === 1) setTimeout(() => this.#onProgress(), recordEvery).unref();
  }

  get #hasToRecord(): boolean {
    return !this.#isOpen || this.#inHand === 0 || this.#ended.length >= mostTaken / 2;
  }

  /** Resolves when there is something to record, or after a while. */
  async #untilProgress(): Promise<void> {
    if (this.#hasToRecord) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookEvery).unref();
      this.#onProgress = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** An event that cannot be sent as it is: a failure of its record alone. */
  #unmade(row: Taken, { body }: OutboxEvent, problem: string): Ended {
    const reason = notSent + problem;
    const outcome = outcomeOf(row, { isAcknowledged: false, isUnsent: true, reason, milliseconds: 0 }, body);
    this.tools.count(outcome.attempt.outcome, undefined);
    this.tools.logger.error({ ...this.lease, eventId: body.id, type: body.type, reason }, 'an event cannot be sent');
    return { row, outcome };
  }

  async #send(row: Sending): Promise<Ended> {
    const { sender, keys } = this.tools;
    const { companyId, webhookId } = this.lease;
    const { signal } = this.#aborted;
    const now = performance.now();
    const mayBegin = this.#isOpen && !this.#isStopping && !signal.aborted && now - this.#renewedAt < mayBeginFor;
    if (!mayBegin) return unsent(row);
    const clock = row.clock + (now - row.takenAt) / 1000;
    const body = bodyOf(row, companyId, clock);
    const number = (isSentAgain: boolean) => numberOf(row, isSentAgain);
    const owner = { companyId, id: webhookId };
    const delivery = await sender.send(messageOf(row, { body, number, clock, keys, owner }), signal);
    if (signal.aborted && !delivery.isAcknowledged) return { row, outcome: { ...settled(row), pause: 0 } };
    const outcome = outcomeOf(row, delivery, body);
    const isFirst = !row.once && !row.wasSent && delivery.isAcknowledged;
    const seconds = isFirst && row.age !== null ? row.age + (performance.now() - row.takenAt) / 1000 : undefined;
    this.tools.count(outcome.attempt.outcome, seconds);
    return { row, outcome };
  }
}

/** The number of an attempt: 1 guarantees that the event was not sent before. */
const numberOf = ({ attempts, wasSent }: Taken, isSentAgain = false) =>
  Math.max(attempts, wasSent || isSentAgain ? 2 : 1);

const hasFailed = ({ outcome: { attempt } }: Ended) => attempt?.isAcknowledged === false;

const settled = ({ record, attempts, failures }: Taken) => ({ record, attempts, failures, pause: undefined });

const unsent = (row: Taken): Ended => ({
  row,
  outcome: { ...settled(row), pause: 0, attempts: row.attempts - 1 },
});

/** What becomes of a row whose request has ended. */
function outcomeOf(row: Taken, delivery: Delivery, { id: eventId, type }: { id: string; type: string }) {
  const { once, isProbe, event } = row;
  const { isAcknowledged } = delivery;
  // Noted as failed, a row is no longer the next one that an endpoint which waits is tried with.
  const ofProbe = delivery.isUnsent ? Math.max(row.failures, 1) : row.failures;
  const failures = isAcknowledged || once || isProbe ? ofProbe : row.failures + 1;
  const pause = isProbe ? 0 : pauseAfter(failures);
  const outcome = isAcknowledged ? 'acknowledged' : once || pause !== undefined ? 'failed' : 'given_up';
  const number = numberOf(row, delivery.isSentAgain);
  const attempt = { ...delivery, eventId, type, sequence: event?.sequence, number, outcome } as const;
  return { ...settled(row), failures, pause: once || isAcknowledged ? undefined : pause, attempt };
}

/** What the responses of the endpoint say of it, in their order. */
function scoreOf(ended: readonly Ended[]): Score {
  const tried = ended.flatMap(({ row, outcome: { attempt } }) => (attempt ? { ...row, ...attempt } : []));
  const lastSuccess = tried.findLastIndex(({ isAcknowledged }) => isAcknowledged);
  const failed = tried.slice(lastSuccess + 1);
  return {
    hasSucceeded: lastSuccess >= 0,
    failures: failed.filter(({ once, isUnsent }) => !once && !isUnsent).length,
    failuresOnce: failed.filter(({ once, isUnsent }) => once && !isUnsent).length,
    hasProbeFailed: failed.some(({ isProbe }) => isProbe),
    retryAfter: Math.max(0, ...tried.map(({ once, retryAfter = 0 }) => (once ? 0 : retryAfter))),
    isGone: tried.some(({ status }) => status === 410),
  };
}

/** Logs what was sent, and warns when an endpoint begins to fail, recovers, or is disabled. */
function report(logger: Logger, { companyId, webhookId }: Lease, ended: readonly Ended[], finished: Finished): void {
  const webhook = { webhookId, companyId };
  const { position, waits, waitsBefore, disabled } = finished;
  const attempts = ended.flatMap(({ outcome }) => outcome.attempt ?? []);
  const count = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  const [acknowledged, failed, givenUp] = [count('acknowledged'), count('failed'), count('given_up')];
  const closed = attempts.findLast(({ address }) => address !== undefined)?.address;
  if (attempts.length > 0)
    logger.info({ ...webhook, acknowledged, failed, givenUp, position, closed }, 'webhook batch');
  const last = attempts.findLast(({ isAcknowledged }) => !isAcknowledged);
  const reason = last && (last.reason ?? `status ${last.status}`);
  if (disabled) logger.warn({ ...webhook, disabled, reason }, 'a webhook is disabled');
  else if (waits > 0 && waitsBefore === 0) logger.warn({ ...webhook, reason }, 'a webhook fails, and waits');
  else if (waits === 0 && waitsBefore > 0) logger.warn(webhook, 'a webhook has recovered');
}
