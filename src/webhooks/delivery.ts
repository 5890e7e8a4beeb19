import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventSource } from '../platform/outbox/index.js';
import { CircuitBreaker, type Database, isUnavailable } from '../platform/postgres/index.js';
import { Turns } from '../platform/process/index.js';
import { type Claim, claim, type Item, manyBehind } from './claim.js';
import { type Attempt, complete, type Parked, type Progress } from './complete.js';
import {
  failuresBeforeWaiting,
  inFlight,
  type Lease,
  type NewLease,
  pauseAfter,
  releaseLease,
  waitAfter,
} from './lease.js';
import type { ConnectionPace, Delivery, Sender } from './sender.js';
import { attemptOf, bodyOf, messageOf, type Product } from './signature.js';

/** For how long what has been sent is worth recording: then the lease has ended, and others may have sent it again. */
const worthwhile = 15_000;
const pauseMilliseconds = 250;
/** The longest that the statements of a company rest for those of others, in milliseconds. */
const longestRest = 100;

/** Runs the statements of deliveries. Those of companies for which the database does not respond hold up no others. */
export class DeliveryStatements {
  readonly #db: Database;
  readonly #stopped: AbortSignal;
  readonly #stalled = new CircuitBreaker();
  /** The last turn of each company that has one. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(db: Database, stopped: AbortSignal) {
    this.#db = db;
    this.#stopped = stopped;
  }

  /** Runs a statement again while the database is unavailable, for as long as a lease may still hold. */
  async run<T>(companyId: string, statement: (db: Database) => Promise<T>): Promise<T> {
    const start = performance.now();
    for (;;) {
      const isLast = this.#stopped.aborted || performance.now() - start > worthwhile;
      const outcome = await this.#inTurn(companyId, () => this.#attempt(companyId, statement, isLast));
      if (outcome !== 'unavailable') return outcome.value;
      await sleep(pauseMilliseconds + Math.random() * pauseMilliseconds);
    }
  }

  /**
   * A company has one statement at a time, and rests for as long afterwards: twenty webhooks that read a long history must
   * not take the database and this process from others.
   */
  async #inTurn<T>(companyId: string, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(companyId);
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#turns.set(companyId, turn);
    await before;
    const start = performance.now();
    try {
      return await run();
    } finally {
      const rest = Math.min(performance.now() - start, longestRest);
      setTimeout(() => {
        end();
        if (this.#turns.get(companyId) === turn) this.#turns.delete(companyId);
      }, rest).unref();
    }
  }

  async #attempt<T>(companyId: string, statement: (db: Database) => Promise<T>, isLast: boolean) {
    try {
      const value = await this.#stalled.ask(companyId, async () => ({ value: await statement(this.#db) }));
      if (value !== 'refused') return value;
      if (isLast) throw new Error('the database does not respond for this company');
      return 'unavailable';
    } catch (error) {
      if (isLast || !isUnavailable(error)) throw error;
      return 'unavailable';
    }
  }
}

/** What counts deliveries. `seconds` is the time from recording an event to its acknowledgement, where it has one. */
export type CountAttempt = (outcome: Attempt['outcome'], seconds: number | undefined) => void;

/** What every delivery of a process uses. */
export interface Tools {
  statements: DeliveryStatements;
  source: EventSource;
  sender: Sender;
  /** Of all requests of the process. */
  turns: Turns;
  pace: ConnectionPace;
  /** WEBHOOK_KEY: the new one first. */
  keys: readonly string[];
  product: Product;
  logger: Logger;
  count: CountAttempt;
  /** No request begins any more. */
  stopping: AbortSignal;
  /** Those that run are given up. */
  stopped: AbortSignal;
}

/** What is sent of one record, one after the other, and how far that has come. */
interface RecordQueue {
  record: string;
  items: readonly Item[];
  /** How many items are settled: acknowledged, given up, or hidden. */
  settled: number;
  /** What became of the item after those. */
  current: 'unsent' | 'running' | 'failed';
  /** The sequence of the last event that was begun to be sent; 0 for none. */
  begun: number;
  /** Whether it was recorded while a request ran. Then it ends with that request. */
  isParked: boolean;
  /** Those that are not recorded yet. */
  attempts: Attempt[];
  ended: Promise<void>;
}

/** One queue for each record, in the order of their first items. */
function recordQueuesOf(items: readonly Item[]): RecordQueue[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.record);
    if (group) group.push(item);
    else groups.set(item.record, [item]);
  }
  return [...groups].map(([record, group]) => ({
    record,
    items: group,
    settled: 0,
    current: 'unsent',
    begun: 0,
    isParked: false,
    attempts: [],
    ended: Promise.resolve(),
  }));
}

const currentOf = ({ items, settled }: RecordQueue): Item | undefined => items[settled];

const sequenceOf = (item: Item | undefined): number => item?.event?.sequence ?? 0;

/** How far deliveries have come, without what they say of the endpoint. */
type Moves = Pick<Progress, 'position' | 'attempted' | 'attempts' | 'parked' | 'done' | 'sentOnce'>;

/**
 * How far the queues of a batch have come. Those whose request still runs are parked, so that others need not wait for
 * it. The position stops before the first event that was not sent; if later ones were, that one is parked too.
 * `isProbe` says that the endpoint waits as a whole: then its failures use up no retries.
 */
function progressOf(claimed: Claim, queues: readonly RecordQueue[], isProbe: boolean): Moves {
  const attempts = queues.flatMap((queue) => queue.attempts.splice(0));
  const isNew = (queue: RecordQueue) => queue.items[0]?.retry === undefined;
  const begun = Math.max(0, ...queues.filter(isNew).map((queue) => queue.begun));
  // What is parked up to the position is sent later, and may be sent again by a replay.
  const attemptedAt = (position: number) => Math.max(claimed.attempted, begun, position);
  const done = [...claimed.emptied];
  const attempted = attemptedAt(claimed.reach);
  const moves: Moves = { position: claimed.reach, attempted, attempts, parked: [], done, sentOnce: [] };
  const unsent: RecordQueue[] = [];
  for (const queue of queues) {
    const isUnsent = queue.current === 'unsent' || (queue.current === 'failed' && isProbe);
    if (queue.items[0]?.retry?.once) noteOnce(queue, moves);
    else if (!isNew(queue)) noteRetry(queue, moves, isProbe);
    else if (currentOf(queue) && isUnsent) unsent.push(queue);
    else if (currentOf(queue)) park(queue, moves, isProbe, claimed.attempted);
  }
  if (unsent.length === 0) return moves;
  const first = Math.min(...unsent.map((queue) => sequenceOf(currentOf(queue))));
  const last = isProbe ? 0 : begun;
  for (const queue of unsent) {
    if (sequenceOf(currentOf(queue)) <= last) park(queue, moves, isProbe, claimed.attempted);
  }
  const position = Math.max(last, first - 1);
  return { ...moves, position, attempted: attemptedAt(position) };
}

/** The moves of queues that were parked while their request ran, and have ended since. */
function lateProgressOf(queues: readonly RecordQueue[], position: number): Moves {
  const attempts = queues.flatMap((queue) => queue.attempts.splice(0));
  const moves: Moves = { position, attempted: undefined, attempts, parked: [], done: [], sentOnce: [] };
  for (const queue of queues) {
    if (queue.items[0]?.retry?.once) noteOnce(queue, moves);
    else noteRetry(queue, moves, false);
  }
  return moves;
}

function noteOnce(queue: RecordQueue, { sentOnce }: Moves): void {
  const [item] = queue.items;
  if (item?.retry && (queue.settled > 0 || queue.current === 'failed')) sentOnce.push(item.retry.id);
  queue.isParked = queue.current === 'running';
}

/** Of a record that has a retry already. What comes behind a queue that was parked is not sent in it. */
function noteRetry(queue: RecordQueue, moves: Moves, isProbe: boolean): void {
  const isDone = currentOf(queue) === undefined || (queue.isParked && queue.current === 'unsent' && queue.settled > 0);
  if (isDone) moves.done.push({ record: queue.record, through: sequenceOf(queue.items[queue.settled - 1]) });
  else park(queue, moves, isProbe);
}

function park(queue: RecordQueue, { parked: entries }: Moves, isProbe: boolean, attempted = 0): void {
  const current = currentOf(queue);
  const hasFailed = queue.current === 'failed' && !isProbe;
  const failures = (current?.retry?.failures ?? 0) + (hasFailed ? 1 : 0);
  const entry: Parked = {
    record: queue.record,
    sequence: sequenceOf(current),
    failures,
    attempted: Math.max(attempted, queue.begun),
    pause: queue.current === 'running' ? inFlight : hasFailed ? (pauseAfter(failures) ?? 0) : 0,
  };
  entries.push(entry);
  queue.isParked = queue.current === 'running';
}

/** What the deliveries of one lease say of the endpoint as a whole. */
class Endpoint {
  /** Failures since the last success. */
  failures: number;
  /** How often it has waited as a whole since then. */
  waits = 0;
  #isFailing = false;
  #isHopeless = false;
  #hasNews = false;
  #hasSucceeded = false;
  #isGone = false;
  #retryAfter = 0;
  /** Whether its failures have made it wait. Those that were under way then do not make it wait for longer. */
  #hasToWait = false;

  constructor(failures: number) {
    this.failures = failures;
  }

  /** What the database says of it at the beginning of a batch. */
  begin({ waits, isFailing, isHopeless }: Claim): void {
    this.waits = waits;
    this.#isFailing = isFailing;
    this.#isHopeless = isHopeless;
  }

  /** Whether it fails so often that only its oldest failure and its next event are tried. */
  get isWaiting(): boolean {
    return this.failures >= failuresBeforeWaiting;
  }

  /** Whether nothing more may be sent now. */
  get isClosed(): boolean {
    return this.#isGone || this.#retryAfter > 0 || (this.isWaiting && (this.#hasNews || this.#hasToWait));
  }

  /**
   * A failure of what an owner has asked to have sent once counts until the endpoint waits. From then on it says nothing
   * new, and puts off no event: the endpoint does not wait for longer.
   */
  note({ isAcknowledged, status, retryAfter = 0 }: Delivery, { once }: { once: boolean }): void {
    if (status === 410) this.#isGone = true;
    if (once && !isAcknowledged && this.isWaiting) return;
    this.#hasNews = true;
    if (isAcknowledged) {
      this.#hasSucceeded = true;
      this.#hasToWait = false;
    }
    this.failures = isAcknowledged ? 0 : this.failures + 1;
    if (!once) this.#retryAfter = Math.max(this.#retryAfter, retryAfter);
  }

  /** Seconds to wait as a whole; undefined to go on waiting. */
  #waitFor(): number | undefined {
    if (!this.isWaiting) {
      this.waits = 0;
      return this.#retryAfter;
    }
    if (this.#hasToWait) return undefined;
    this.#hasToWait = true;
    this.waits += 1;
    return Math.max(waitAfter(this.waits - 1), this.#retryAfter);
  }

  /** What is to be recorded of it. */
  take(): Pick<Progress, 'failures' | 'waits' | 'wait' | 'failing' | 'disabled'> {
    const { failures } = this;
    const [hasNews, hasSucceeded] = [this.#hasNews, this.#hasSucceeded];
    this.#hasNews = this.#hasSucceeded = false;
    const gone = this.#isGone ? ('gone' as const) : undefined;
    if (!hasNews) return { failures, waits: this.waits, wait: undefined, failing: undefined, disabled: gone };
    const wait = this.#waitFor();
    const begins = failures > 0 && (!this.#isFailing || hasSucceeded);
    this.#isFailing = failures > 0;
    const isHopeless = this.#isHopeless && this.isWaiting && !hasSucceeded;
    return {
      failures,
      waits: this.waits,
      wait,
      failing: failures === 0 ? 'no' : begins ? 'since' : undefined,
      disabled: gone ?? (isHopeless ? 'failing' : undefined),
    };
  }
}

/** A request that takes longer holds up no others. */
const slowMilliseconds = 1_000;
/** How long requests are begun before what came of them is recorded, well before the lease ends. */
const batchMilliseconds = 3_000;

/** Sends what was claimed: each record in its order, and the records beside each other. */
class Batch {
  readonly queues: RecordQueue[];
  readonly #lease: Lease;
  readonly #claim: Claim;
  readonly #tools: Tools;
  readonly #endpoint: Endpoint;
  readonly #turns: Turns;
  readonly #isProbe: boolean;
  readonly #start = performance.now();
  readonly #slow = new Map<RecordQueue, () => void>();

  constructor(lease: Lease, claimed: Claim, given: { tools: Tools; endpoint: Endpoint; turns: Turns }) {
    this.#lease = lease;
    this.#claim = claimed;
    this.#tools = given.tools;
    this.#endpoint = given.endpoint;
    this.#turns = given.turns;
    this.#isProbe = given.endpoint.isWaiting;
    this.queues = recordQueuesOf(claimed.items);
  }

  /** Resolves when every queue has ended or runs a slow request, and in time. A probe waits for slow requests too. */
  async run(): Promise<void> {
    const slow = this.queues.map((queue) => {
      const becomesSlow = new Promise<void>((resolve) => this.#slow.set(queue, resolve));
      queue.ended = this.#runQueue(queue);
      return Promise.race([queue.ended, becomesSlow]);
    });
    const over = new AbortController();
    const time = this.#isProbe
      ? []
      : [sleep(batchMilliseconds, undefined, { ref: false, signal: over.signal }).catch(() => {})];
    await Promise.race([Promise.all(slow), ...time]);
    over.abort();
  }

  async #runQueue(queue: RecordQueue): Promise<void> {
    for (let item = currentOf(queue); item && !queue.isParked && queue.current === 'unsent'; item = currentOf(queue)) {
      if (item.event?.isHidden) {
        queue.settled += 1;
        continue;
      }
      const isSent = await this.#turns.take(async () => {
        await this.#tools.pace.take(this.#lease.companyId, this.#tools.stopping);
        return this.#tools.turns.take(() => this.#trySending(queue, item));
      });
      if (!isSent) return;
    }
  }

  /** Returns whether it was sent: the time of the batch may have passed since it had to wait. */
  async #trySending(queue: RecordQueue, item: Item): Promise<boolean> {
    const hasToStop = queue.isParked || this.#mayNotSend(item);
    const usesConnection = !hasToStop && (await this.#send(queue, item));
    if (!usesConnection) this.#tools.pace.giveBack(this.#lease.companyId);
    return !hasToStop;
  }

  #mayNotSend({ retry }: Item): boolean {
    if (this.#tools.stopping.aborted || this.#seconds() * 1000 > batchMilliseconds) return true;
    // What is sent once, and each of the two that a probe consists of, does not wait for the others.
    return this.#endpoint.isClosed && !retry?.once && !this.#isProbe;
  }

  /** Returns whether it took a new connection. */
  async #send(queue: RecordQueue, item: Item): Promise<boolean> {
    const { sender, keys, product, stopped } = this.#tools;
    const { companyId, webhookId } = this.#lease;
    const attempt = attemptOf(item);
    const clock = this.#claim.clock + this.#seconds();
    const body = bodyOf(item, companyId, clock);
    const message = messageOf(this.#claim, {
      body,
      attempt,
      clock,
      keys,
      product,
      owner: { companyId, id: webhookId },
    });
    queue.current = 'running';
    queue.begun = Math.max(queue.begun, sequenceOf(item));
    const timer = this.#isProbe ? undefined : setTimeout(() => this.#slow.get(queue)?.(), slowMilliseconds);
    const delivery = await sender.send(message, stopped);
    clearTimeout(timer);
    queue.current = 'unsent';
    if (stopped.aborted && !delivery.isAcknowledged) return true;
    const outcome = this.#outcomeOf(item, delivery);
    if (outcome === 'failed') queue.current = 'failed';
    else queue.settled += 1;
    this.#endpoint.note(delivery, { once: item.retry?.once === true });
    const { status, reason, address, milliseconds, response } = delivery;
    const sequence = item.event?.sequence;
    queue.attempts.push({
      eventId: body.id,
      type: body.type,
      sequence,
      number: attempt,
      outcome,
      status,
      reason,
      address,
      milliseconds,
      response,
    });
    this.#count(item, outcome);
    return !delivery.isKeptAlive;
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

/** Requests to one webhook at once. */
const mostAtOnce = 8;
/** How often to look for new events while a slow request runs, in milliseconds. */
const lookEvery = 500;

/** The lease was lost: others deliver now, or an owner has moved the position. */
class LeaseLost extends Error {}

/** What the holder of a lease does: batches of claiming, sending and recording. */
export class WebhookDelivery {
  readonly #lease: NewLease;
  readonly #tools: Tools;
  readonly #endpoint: Endpoint;
  readonly #turns = new Turns(mostAtOnce);
  readonly #given = new AbortController();
  /** Queues that were parked because their request is slow. */
  readonly #late = new Set<RecordQueue>();
  #position = 0;

  constructor(lease: NewLease, tools: Tools) {
    this.#lease = lease;
    setMaxListeners(0, this.#given.signal);
    const abort = () => this.#given.abort();
    tools.stopped.addEventListener('abort', abort, { once: true });
    this.#given.signal.addEventListener('abort', () => tools.stopped.removeEventListener('abort', abort), {
      once: true,
    });
    this.#tools = { ...tools, stopped: this.#given.signal };
    this.#endpoint = new Endpoint(lease.failures);
  }

  /** Delivers until nothing is left, the endpoint has to wait, or the process stops. Returns whether there is more to do. */
  async run(): Promise<boolean> {
    try {
      while (await this.#batch());
      await this.#finishLate();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      this.#given.abort();
    }
    return this.#tools.statements.run(this.#lease.companyId, (db) => releaseLease(db, this.#tools.source, this.#lease));
  }

  /** Returns whether to go on. */
  async #batch(): Promise<boolean> {
    const { statements, source, stopping } = this.#tools;
    const { companyId } = this.#lease;
    const start = performance.now();
    const claimed = await statements.run(companyId, (db) => claim(db, source, this.#lease, this.#endpoint));
    if (!claimed) throw new LeaseLost();
    this.#endpoint.begin(claimed);
    this.#position = claimed.position;
    const isProbe = this.#endpoint.isWaiting;
    const batch = new Batch(this.#lease, claimed, { tools: this.#tools, endpoint: this.#endpoint, turns: this.#turns });
    await batch.run();
    const moves = progressOf(claimed, batch.queues, isProbe);
    const hasMoved = moves.position !== claimed.position || batch.queues.length > 0 || moves.done.length > 0;
    if (hasMoved) await this.#record(moves, start);
    for (const queue of batch.queues) if (queue.isParked) this.#late.add(queue);
    await this.#recordLate();
    if (this.#endpoint.isClosed || isProbe || stopping.aborted) return false;
    if (claimed.reach - claimed.position >= manyBehind) return true;
    if (this.#late.size === 0) return false;
    await Promise.race([sleep(lookEvery), ...[...this.#late].map(({ ended }) => ended)]);
    return true;
  }

  /** The lease needs no renewal meanwhile: a request ends before it does. */
  async #finishLate(): Promise<void> {
    if (this.#late.size === 0) return;
    await Promise.all([...this.#late].map(({ ended }) => ended));
    await this.#recordLate();
  }

  async #recordLate(): Promise<void> {
    const ended = [...this.#late].filter(({ current }) => current !== 'running');
    if (ended.length === 0) return;
    for (const queue of ended) this.#late.delete(queue);
    await this.#record(lateProgressOf(ended, this.#position), performance.now());
  }

  async #record(moves: Moves, start: number): Promise<void> {
    const { statements, source, logger } = this.#tools;
    const { waits } = this.#endpoint;
    const progress = { ...moves, ...this.#endpoint.take() };
    const isHeld = await statements.run(this.#lease.companyId, (db) => complete(db, source, this.#lease, progress));
    if (!isHeld) throw new LeaseLost();
    this.#position = moves.position;
    reportBatch(logger, this.#lease, progress, { waits, start });
  }
}

interface Seen {
  /** How often the endpoint had waited before the batch. */
  waits: number;
  /** When the batch began, by `performance.now()`. */
  start: number;
}

/** Logs what a batch has sent, and warns when an endpoint begins to fail, recovers, or is disabled. */
function reportBatch(logger: Logger, { companyId, webhookId }: Lease, progress: Progress, seen: Seen): void {
  const { attempts, position, waits, disabled } = progress;
  const webhook = { webhookId, companyId };
  const count = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  if (attempts.length > 0) {
    const [acknowledged, failed, givenUp] = [count('acknowledged'), count('failed'), count('given_up')];
    const milliseconds = Math.round(performance.now() - seen.start);
    const closed = attempts.findLast((attempt) => attempt.address !== undefined)?.address;
    const found = { acknowledged, failed, givenUp, position, milliseconds, ...(closed !== undefined && { closed }) };
    logger.info({ ...webhook, ...found }, 'webhook batch');
  }
  const last = attempts.findLast(({ outcome }) => outcome !== 'acknowledged');
  const reason = last?.reason ?? (last?.status === undefined ? undefined : `status ${last.status}`);
  if (disabled) logger.warn({ ...webhook, disabled, reason }, 'a webhook is disabled');
  else if (waits > 0 && seen.waits === 0) logger.warn({ ...webhook, reason }, 'a webhook fails, and waits');
  else if (waits === 0 && seen.waits > 0) logger.warn(webhook, 'a webhook has recovered');
}
