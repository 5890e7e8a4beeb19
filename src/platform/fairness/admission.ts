import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { Cache } from '../caching/index.js';
import { failure } from '../failures/index.js';
import type { ReadBody } from '../http/index.js';
import { type RequestRecord, usedPerCounted } from '../telemetry/index.js';
import { parameters } from './parameters.js';
import { type Caller, FairQueue, nobody, RecentUse } from './shares.js';

/** The failure of a request for which there is no seat, or no memory for its body. */
export const overloaded = () => failure('SERVICE_UNAVAILABLE', { overloaded: true });

/** The failure of a request that gets no seat because of its caller's other requests. */
export const tooManyOfOne = () => failure('RATE_LIMITED', { limit: 'concurrency', retryAfter: 1 });

const { immediate, pause, spacing, paused: mostPaused, callers: callersKept } = parameters.refusals;

interface Refused {
  /** When the second began in which they are counted. */
  since: number;
  count: number;
  /** When the last that was paused is sent. */
  last: number;
  paused: number;
}

/**
 * Slows down a caller that is far over its limit and asks on without a pause, as a refusal costs little but not nothing:
 * after the first refusals of a second each comes a second later, and no more than a hundred in a second. A caller that
 * has more of them waiting than its share is disconnected, so that nobody uses up the pauses of the others.
 */
export class RefusalPace {
  readonly #refused = new Cache<string, Refused>(callersKept);
  /** How many callers have refusals that are paused. */
  #callers = 0;

  /** Undefined if the refusal may be sent at once; `too many` if it should not be sent at all. */
  pause(caller: string): Promise<void> | 'too many' | undefined {
    const now = performance.now();
    const refused = this.#refusedOf(caller);
    if (now - refused.since >= pause) Object.assign(refused, { since: now, count: 0 });
    refused.count += 1;
    if (refused.count <= immediate) return undefined;
    const callers = this.#callers + (refused.paused === 0 ? 1 : 0);
    if (refused.paused >= Math.max(1, mostPaused / callers)) return 'too many';
    return this.#pauseOne(refused, now);
  }

  #refusedOf(caller: string): Refused {
    const known = this.#refused.get(caller);
    if (known) return known;
    const refused = { since: 0, count: 0, last: 0, paused: 0 };
    this.#refused.set(caller, refused);
    return refused;
  }

  async #pauseOne(refused: Refused, now: number): Promise<void> {
    refused.last = Math.max(now + pause, refused.last + spacing);
    if (refused.paused === 0) this.#callers += 1;
    refused.paused += 1;
    await sleep(refused.last - now);
    refused.paused -= 1;
    if (refused.paused === 0) this.#callers -= 1;
  }
}

/** A client decides how short its chunks are. */
const { perChunk } = parameters.bodies;

/** The memory of one body. */
interface BodyShare {
  /** Counts a chunk, and returns whether there is memory for it. Whoever is refused keeps no more of the body. */
  take(bytes: number): boolean;
  /** Called once, when the body is complete or given up. */
  close(): void;
}

/** Bounds the memory of the bodies that are being received, as these hold none of the seats for requests. */
class BodyMemory {
  readonly #bytes: number;
  #taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  open(): BodyShare {
    let share = 0;
    return {
      take: (bytes) => {
        share += bytes + perChunk;
        this.#taken += bytes + perChunk;
        return this.#taken <= this.#bytes;
      },
      close: () => {
        this.#taken -= share;
      },
    };
  }
}

/** What became of a request that asked for a seat: refused because of its caller's other requests, or of the load. */
type Decision = 'admitted' | 'too many of one' | 'overloaded';

interface Waiting {
  since: number;
  decide: (decision: Decision) => void;
}

const { requests } = parameters;

/**
 * Bounds how many requests are in progress. Others wait for a seat, which callers share, and are refused when they have
 * waited too long. As long as no more companies wait than there are seats, each of them waits only for itself, and a
 * burst may take its time. More than that for longer than a moment, or seats of which none becomes free, are overload:
 * a request then waits for no longer than about two requests take, so that what is admitted has hardly waited. A
 * company that uses much of the processor has no more in progress than needs a moment of it, while others ask, too.
 */
export class Admission {
  readonly #seats: number;
  readonly #shares: FairQueue<Waiting>;
  readonly #now: () => number;
  readonly #processorUse: RecentUse;
  #meanDuration = 0;
  #crowdedSince: number | undefined;
  /** Counted in turns of the timer: a process that has had no time itself is not stalled. */
  #stalledFor = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(seats: number, now = () => performance.now()) {
    this.#seats = seats;
    this.#now = now;
    this.#processorUse = new RecentUse(requests.together, now);
    this.#shares = new FairQueue({ seats, now, mostOf: (flow) => this.#processorUse.mostAtOnce(flow) });
  }

  get inProgress(): number {
    return this.#shares.taken;
  }

  get waiting(): number {
    return this.#shares.waiting;
  }

  /** Whether requests of others than this company have come lately. */
  hasOthers(companyId: string): boolean {
    return this.#shares.hasOutside(companyId);
  }

  /** Whether the request may run. An admitted request calls `leave` once, with its duration. */
  enter(caller = nobody): 'admitted' | Promise<Decision> {
    if (this.#shares.take(caller)) return 'admitted';
    const most = Math.max(this.#seats * requests.queuedPerSeat, requests.leastQueued);
    if (this.#shares.waiting >= most) this.#refuse(this.#shares.removeFromLongest());
    const decision = new Promise<Decision>((decide) => this.#shares.wait(caller, { since: this.#now(), decide }));
    if (this.#shares.waitingFlowCount > this.#seats) this.#crowdedSince ??= this.#now();
    this.#admit();
    this.#schedule();
    return decision;
  }

  /** `known` is who the caller has turned out to be. `processor` is how much of its time the request has had. */
  leave(caller = nobody, milliseconds = this.#meanDuration, known = caller, processor = 0): void {
    if (processor > 0) this.#processorUse.add(known.flow, processor);
    this.#meanDuration += (milliseconds - this.#meanDuration) / requests.remembered;
    this.#stalledFor = 0;
    this.#shares.leave(caller, known);
    this.#admit();
    if (this.#shares.waitingFlowCount <= 1) this.#crowdedSince = undefined;
  }

  #admit(): void {
    for (let next = this.#shares.next(); next; next = this.#shares.next()) next.decide('admitted');
  }

  #refuse(removed: { item: Waiting; hasPart: boolean } | undefined): void {
    const isStuck = this.#isStalled && this.#shares.isOneFlow;
    removed?.item.decide(removed.hasPart && !isStuck ? 'too many of one' : 'overloaded');
  }

  get #isStalled(): boolean {
    return this.#stalledFor >= requests.stalledAfter;
  }

  /** Refuses those that have waited too long. */
  #expire(): void {
    const now = this.#now();
    this.#admit();
    for (const removed of this.#shares.removeOlder((queuedSince) => now - this.#longestWait(queuedSince))) {
      this.#refuse(removed);
    }
    this.#schedule();
  }

  /** How long a request may wait in a queue of its company that has stood since then. */
  #longestWait(queuedSince: number): number {
    const soon = Math.min(Math.max(2 * this.#meanDuration, requests.leastWait), requests.mostWait);
    if (this.#isStalled) return soon;
    const [since, burst] =
      this.#crowdedSince === undefined ? [queuedSince, requests.waitOfFew] : [this.#crowdedSince, requests.waitOfMany];
    return this.#now() - since < burst ? burst : soon;
  }

  #schedule(): void {
    if (this.#shares.waiting === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#stalledFor = this.inProgress > 0 ? this.#stalledFor + requests.interval : 0;
      this.#expire();
    }, requests.interval);
  }
}

const logMilliseconds = 1000;
/** Served whatever the load is, because a balancer or supervisor asks. */
const alwaysAdmitted = new Set(['/healthz', '/readyz']);

/** Admits requests, and logs how many it refuses once a second: a line for each would itself be load. */
export class Overload {
  readonly admission: Admission;
  readonly bodies: BodyMemory;
  readonly pace = new RefusalPace();
  readonly #logger: Logger;
  #refused = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bodyBytes` is the most memory for the bodies that are being received. */
  constructor(maxRequests: number, logger: Logger, bodyBytes: number = parameters.bodies.leastBytes) {
    this.admission = new Admission(maxRequests);
    this.bodies = new BodyMemory(bodyBytes);
    this.#logger = logger;
  }

  isExempt(target: string): boolean {
    return alwaysAdmitted.has(target.replace(/\?.*/s, ''));
  }

  /** The request has no line of its own in the log. */
  countRefusal(record: RequestRecord): void {
    record.isLogged = false;
    this.#refused += 1;
    this.#reportSoon();
  }

  /** Counts a connection that was closed because too many were open. */
  countDrop(): void {
    this.#dropped += 1;
    this.#reportSoon();
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => this.#report(), logMilliseconds).unref();
  }

  #report(): void {
    const { inProgress, waiting } = this.admission;
    this.#logger.warn({ refused: this.#refused, dropped: this.#dropped, inProgress, waiting }, 'overloaded');
    this.#refused = 0;
    this.#dropped = 0;
    this.#timer = undefined;
  }
}

/** The seat of one request that was admitted. A client that sends its body slowly holds no seat meanwhile. */
export class Seat {
  readonly #overload: Overload;
  readonly #record: RequestRecord;
  readonly #callerNow: () => Caller | undefined;
  #held: { caller: Caller | undefined; since: number; processor: number } | undefined;
  #hasEnded = false;

  /** `callerNow` is who sent the request, as far as that is known by then. */
  constructor(overload: Overload, record: RequestRecord, callerNow: () => Caller | undefined) {
    this.#overload = overload;
    this.#record = record;
    this.#callerNow = callerNow;
  }

  /** Waits for a seat, in the queue of its caller. Returns how the request fails that gets none. */
  enter(): GraphQLError | undefined | Promise<GraphQLError | undefined> {
    const caller = this.#callerNow();
    const decision = this.#overload.admission.enter(caller);
    return decision === 'admitted' ? this.#take(caller) : decision.then((made) => this.#follow(made, caller));
  }

  /**
   * Reads the body. Throws SERVICE_UNAVAILABLE or RATE_LIMITED if the body took its time, and there is no memory for it,
   * or no seat when it has come, or its client has left.
   */
  async whileReceiving<T>(req: IncomingMessage, read: ReadBody<T>): Promise<T> {
    if (req.complete) return read();
    this.#giveBack();
    const { take, close } = this.#overload.bodies.open();
    try {
      const body = await read((bytes) => take(bytes) || this.#refuse());
      const failure = await this.enter();
      if (failure) throw failure;
      // The request may have been answered meanwhile: nobody would give the seat back.
      if (this.#hasEnded) this.#giveBack();
      if (req.socket.destroyed) throw overloaded();
      return body;
    } finally {
      close();
    }
  }

  /** Called once, when the request is answered. */
  leave(): void {
    this.#hasEnded = true;
    this.#giveBack();
  }

  #follow(decision: Decision, caller: Caller | undefined): ReturnType<Seat['enter']> {
    if (decision === 'admitted') {
      // It may have waited with many others whose token was not known yet, and is now.
      if (this.#callerNow()?.flow === caller?.flow) return this.#take(caller);
      this.#overload.admission.leave(caller);
      return this.enter();
    }
    this.#refuse();
    return decision === 'overloaded' ? overloaded() : tooManyOfOne();
  }

  #take(caller: Caller | undefined): undefined {
    const { processorTime } = this.#record;
    this.#held = { caller, since: performance.now(), processor: processorTime.milliseconds };
    processorTime.admit(true);
  }

  #refuse(): false {
    this.#overload.countRefusal(this.#record);
    return false;
  }

  #giveBack(): void {
    if (!this.#held) return;
    const { caller, since, processor } = this.#held;
    const { processorTime } = this.#record;
    this.#held = undefined;
    processorTime.admit(false);
    const used = (processorTime.milliseconds - processor) * usedPerCounted();
    this.#overload.admission.leave(caller, performance.now() - since, this.#callerNow(), used);
  }
}
