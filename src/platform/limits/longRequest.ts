import { setTimeout as sleep } from 'node:timers/promises';
import type { Reads } from '../postgres/index.js';
import type { Caller, Decision, FairQueue } from './queue.js';

/** A request has read more than it may. */
export class ReadTooMuch extends Error {
  override readonly name = 'ReadTooMuch';

  constructor(
    readonly maximum: number,
    /** Whether a change of the request may have been committed. */
    readonly mayHaveChanged: boolean,
  ) {
    super(`the request has read more than ${maximum} characters`);
  }
}

/** A request may read on when it is its turn. */
class ReadsTooEarly extends Error {
  override readonly name = 'ReadsTooEarly';
}

/** The complexity of documents of which each takes one point more, also for a part of that. */
export const complexityOfPoint = 3_000;
/**
 * The complexity from which on a query of a caller takes long, such as that for 100 records with a few lists each. A
 * change, or a document of ours, does if it starts a second point.
 */
const longQuery = 1_000;
/** From how many characters of rows on a request takes long. */
const longRead = 1_000_000;
/** For how many milliseconds it waits for its turn to begin at most. */
const longestWait = 2_000;
/** Milliseconds that those who wait are kept from the process at most after a long request. */
const longestRest = 250;

interface Options {
  /** Whether others ask, whose requests are short. */
  isContended?: () => boolean;
  /** The most characters of rows that it reads. */
  maximum?: number;
  /** It has locked its rows when it reads, so it does not wait then. */
  isChange?: boolean;
  /** Whether its document is ours. */
  isStored?: boolean;
}

/**
 * A request that may take long, which it does by what it asks for or by what it reads. Of all that do, one runs at a time:
 * the others wait for its place before they begin, or send what they have read too early again. After it, nobody runs for
 * as long as it has run while others ask: their requests, which are short, need the process several times.
 */
export class LongRequest implements Reads {
  #since: number | undefined;
  #read = 0;
  #waiting: Promise<void> | undefined;
  #hasEnded = false;

  constructor(
    private readonly queue: FairQueue,
    private readonly caller: Caller,
    private readonly options: Options = {},
  ) {}

  /** Waits for the place if what it asks for takes long, and others ask. Who is not admitted may not run. */
  begin(complexity: number): Decision | Promise<Decision> {
    const { isContended, isChange, isStored } = this.options;
    const isLong = complexity > (isChange || isStored ? complexityOfPoint : longQuery);
    return isLong && isContended?.() ? this.enterWithin(longestWait) : 'admitted';
  }

  /** Takes the place, or waits for it. */
  enter(): 'admitted' | Promise<void> {
    const decision = this.queue.enter(this.caller);
    if (decision === 'admitted') this.#hold();
    else return decision.then(() => this.#hold());
    return decision;
  }

  /** The same for so many milliseconds at most. */
  enterWithin(milliseconds: number): Promise<Decision> {
    const late = () => (this.queue.waitingOf(this.caller) > 1 ? 'too many of one' : 'overloaded');
    const entered = Promise.resolve(this.enter()).then(() => 'admitted' as const);
    return Promise.race([entered, sleep(milliseconds, undefined, { ref: false }).then(late)]);
  }

  count(characters: number, mayHaveChanged: boolean): void {
    const { maximum = Number.POSITIVE_INFINITY, isChange } = this.options;
    this.#read += characters;
    if (this.#read > maximum) throw new ReadTooMuch(maximum, mayHaveChanged);
    if (this.#read <= longRead || isChange || this.#since !== undefined) return;
    // What arrives when all is over, since another part of the request has failed, takes no place that nobody would leave.
    if (this.#hasEnded || this.#waiting) throw new ReadsTooEarly();
    const place = this.enter();
    if (place === 'admitted') return;
    this.#waiting = place;
    throw new ReadsTooEarly();
  }

  async read<Result>(
    send: () => Promise<Result>,
    inTime: (place: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<Result> {
    const before = this.#read;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ReadsTooEarly) || this.#hasEnded) throw error;
    }
    // Another statement of the request may have waited for the same.
    const place = this.#waiting;
    if (place) await inTime(() => place);
    if (this.#hasEnded) throw new ReadsTooEarly();
    this.#waiting = undefined;
    this.#read = before;
    return send();
  }

  /** Each execution, and what is read after the last, counts from nothing. */
  recount(): void {
    this.#read = 0;
  }

  /** Gives the place back, if it has it or gets it later. What the process does until it is idle belongs to the request. */
  end(): void {
    this.#waiting = undefined;
    this.#hasEnded = true;
    this.recount();
    const since = this.#since;
    this.#since = undefined;
    if (since === undefined) return;
    setImmediate(() => {
      const rest = this.options.isContended?.() ? Math.min(performance.now() - since, longestRest) : 0;
      if (rest > 0) setTimeout(() => this.queue.leave(this.caller), rest);
      else this.queue.leave(this.caller);
    });
  }

  #hold(): void {
    if (this.#hasEnded) this.queue.leave(this.caller);
    else this.#since = performance.now();
  }
}
