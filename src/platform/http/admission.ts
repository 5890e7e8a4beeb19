import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { failure } from '../failures/index.js';
import { type Caller, type Decision, FairQueue } from '../limits/index.js';
import type { RequestRecord } from '../telemetry/index.js';

/** Reads a body. Before it buffers a chunk, checks whether there is memory for it, and otherwise fails with 503. */
export type ReadBody<T> = (take?: (bytes: number) => boolean) => Promise<T>;

/** The failure of a request for which there is no seat, or no memory for its body. */
export const overloaded = () => failure('SERVICE_UNAVAILABLE', { overloaded: true });

/** The failure of a request that gets no place, because of its caller's other requests or of those of all. */
export const refusedFor = (decision: Exclude<Decision, 'admitted'>): GraphQLError =>
  decision === 'overloaded' ? overloaded() : failure('RATE_LIMITED', { limit: 'concurrency', retryAfter: 1 });

/** About what Node takes for a chunk besides its bytes. A client decides how short its chunks are. */
const bytesPerChunk = 256;
/** Bytes for the bodies that are being received, unless a few of the largest need more. */
const leastBodyBytes = 64 * 1024 ** 2;

/** So many requests that need no seat are started in so many milliseconds. */
const turn = { requests: 4, milliseconds: 5 };

const logMilliseconds = 1000;
/** Served whatever the load is, because a balancer or supervisor asks: nobody else is before them. */
const alwaysAdmitted = new Set(['/healthz', '/readyz', '/readyz/shutdown']);

interface OverloadOptions {
  maxConcurrentRequests: number;
  bodyLimit?: number;
  /** The most memory for the bodies that are being received, as these hold none of the seats for requests. */
  bodyBytes?: number;
}

/** Admits requests, and logs how many it refuses once a second: a line for each would itself be load. */
export class Overload {
  readonly queue: FairQueue;
  readonly #exempt = new FairQueue({ seats: turn.requests, refuses: false });
  readonly #others = new FairQueue({ seats: turn.requests, refuses: false });
  readonly #bodyBytes: number;
  #bodies = 0;
  #refused = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { maxConcurrentRequests, bodyLimit = 0, bodyBytes }: OverloadOptions,
    private readonly logger: Logger,
  ) {
    this.queue = new FairQueue({ seats: maxConcurrentRequests });
    this.#bodyBytes = bodyBytes ?? Math.max(leastBodyBytes, 4 * bodyLimit);
  }

  isExempt(target: string): boolean {
    return alwaysAdmitted.has(target.replace(/\?.*/s, ''));
  }

  /** Waits for the turn of what needs no seat, addresses in turn: all that come at once would hold up everybody else. */
  async takeTurn(address: string, isExempt: boolean): Promise<void> {
    const line = isExempt ? this.#exempt : this.#others;
    const caller = { id: address, flow: address };
    await line.enter(caller);
    setTimeout(() => line.leave(caller), turn.milliseconds);
  }

  /** Reads a body whose bytes count until it is read. Whoever is refused keeps no more of it. */
  async countBody<T>(record: RequestRecord, read: ReadBody<T>): Promise<T> {
    let own = 0;
    try {
      return await read((bytes) => {
        own += bytes + bytesPerChunk;
        this.#bodies += bytes + bytesPerChunk;
        if (this.#bodies <= this.#bodyBytes) return true;
        this.countRefusal(record);
        return false;
      });
    } finally {
      this.#bodies -= own;
    }
  }

  /** The request has no line of its own in the log. */
  countRefusal(record: RequestRecord): void {
    record.isLogged = false;
    this.#refused += 1;
    this.#reportSoon();
  }

  /** Counts a connection that was closed because of too many, or of what it did not read. */
  countDrop(): void {
    this.#dropped += 1;
    this.#reportSoon();
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => this.#report(), logMilliseconds).unref();
  }

  #report(): void {
    const { taken: inProgress, waiting } = this.queue;
    this.logger.warn({ refused: this.#refused, dropped: this.#dropped, inProgress, waiting }, 'overloaded');
    this.#refused = 0;
    this.#dropped = 0;
    this.#timer = undefined;
  }
}

/** The seat of one request that was admitted. A client that sends its body slowly holds no seat meanwhile. */
export class Seat {
  #held: Caller | undefined;
  #hasEnded = false;

  /** `callerNow` is who sent the request, as far as that is known by then. */
  constructor(
    private readonly overload: Overload,
    private readonly record: RequestRecord,
    private readonly callerNow: () => Caller,
  ) {}

  /** Whether others ask, too. */
  get isContended(): boolean {
    return this.overload.queue.isContended(this.callerNow());
  }

  /** Waits for a seat, in the queue of its caller. Returns how the request fails that gets none. */
  enter(): GraphQLError | undefined | Promise<GraphQLError | undefined> {
    const caller = this.callerNow();
    const decision = this.overload.queue.enter(caller);
    return decision === 'admitted' ? this.#take(caller) : decision.then((made) => this.#follow(made, caller));
  }

  /** Reads the body. Throws 503 or 429 if it took its time, and there is no memory or no seat for it any more. */
  async whileReceiving<T>(req: IncomingMessage, read: ReadBody<T>): Promise<T> {
    if (req.complete) return read();
    this.#giveBack();
    return this.overload.countBody(this.record, async (take) => {
      const body = await read(take);
      const failure = await this.enter();
      if (failure) throw failure;
      // The request may have been answered meanwhile: nobody would give the seat back.
      if (this.#hasEnded) this.#giveBack();
      if (req.socket.destroyed) throw overloaded();
      return body;
    });
  }

  /** Counts the seat for the company once that is known, or waits for one: a client would hold the seats of both. */
  async changeFlow(): Promise<void> {
    const caller = this.callerNow();
    if (!this.#held || this.#held.flow === caller.flow) return;
    if (this.overload.queue.move(this.#held, caller)) {
      this.#held = caller;
      return;
    }
    this.#giveBack();
    const failure = await this.enter();
    if (failure) throw failure;
    if (this.#hasEnded) this.#giveBack();
  }

  /** Called once, when the request is answered. */
  leave(): void {
    this.#hasEnded = true;
    this.#giveBack();
  }

  #follow(decision: Decision, caller: Caller): ReturnType<Seat['enter']> {
    if (decision === 'admitted') {
      // It may have waited with many others whose token was not known yet, and is now.
      if (this.callerNow().flow === caller.flow) return this.#take(caller);
      this.overload.queue.leave(caller);
      return this.enter();
    }
    this.overload.countRefusal(this.record);
    return refusedFor(decision);
  }

  #take(caller: Caller): undefined {
    this.#held = caller;
  }

  #giveBack(): void {
    if (!this.#held) return;
    const caller = this.#held;
    this.#held = undefined;
    this.overload.queue.leave(caller, this.callerNow());
  }
}
