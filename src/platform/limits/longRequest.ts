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

/** From how many characters of rows on a request takes long. */
const longRead = 1_000_000;
/** Milliseconds that those who wait are kept from the process at most after a long request. */
const longestRest = 250;

interface Options {
  /** Whether others ask, whose requests are short. */
  isContended?: () => boolean;
  /** The most characters of rows that it reads. */
  maximum?: number;
  /** False for a change, which has locked its rows when it reads. */
  waitsToRead?: boolean;
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

  /** Takes the place, or waits for it. */
  enter(): 'admitted' | Promise<void> {
    const decision = this.queue.enter(this.caller);
    if (decision === 'admitted') this.#begin();
    else return decision.then(() => this.#begin());
    return decision;
  }

  /** The same for so many milliseconds at most. Who is not admitted may not run. */
  enterWithin(milliseconds: number): Promise<Decision> {
    const late = () => (this.queue.waitingOf(this.caller) > 1 ? 'too many of one' : 'overloaded');
    const entered = Promise.resolve(this.enter()).then(() => 'admitted' as const);
    return Promise.race([entered, sleep(milliseconds, undefined, { ref: false }).then(late)]);
  }

  count(characters: number, mayHaveChanged: boolean): void {
    const { maximum = Number.POSITIVE_INFINITY, waitsToRead = true } = this.options;
    this.#read += characters;
    if (this.#read > maximum) throw new ReadTooMuch(maximum, mayHaveChanged);
    if (this.#read <= longRead || !waitsToRead || this.#since !== undefined) return;
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

  /**
   * Gives the place back, if it has it or gets it later. What the process does until it is idle belongs to the request.
   * What it reads after that is little, and counts from nothing.
   */
  end(): void {
    this.#waiting = undefined;
    this.#hasEnded = true;
    this.#read = 0;
    const since = this.#since;
    this.#since = undefined;
    if (since === undefined) return;
    setImmediate(() => {
      const rest = this.options.isContended?.() ? Math.min(performance.now() - since, longestRest) : 0;
      if (rest > 0) setTimeout(() => this.queue.leave(this.caller), rest);
      else this.queue.leave(this.caller);
    });
  }

  #begin(): void {
    if (this.#hasEnded) this.queue.leave(this.caller);
    else this.#since = performance.now();
  }
}
