import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Decision, FairQueue } from './queue.js';

/** Milliseconds that those who wait are kept from the process at most after a long request. */
const longestRest = 250;

/**
 * The place of one request among those that take long, of which one runs at a time. After it, nobody runs for as long as
 * it has run while `isContended` says that others ask: their requests, which are short, need the process several times.
 */
export class LongTurn {
  #since: number | undefined;
  #hasEnded = false;

  constructor(
    private readonly queue: FairQueue,
    private readonly caller: Caller,
    private readonly isContended = () => false,
  ) {}

  get isHeld(): boolean {
    return this.#since !== undefined;
  }

  /** Takes the place, or waits for it. */
  enter(): 'admitted' | Promise<void> {
    const decision = this.queue.enter(this.caller);
    if (decision === 'admitted') this.#begin();
    else return decision.then(() => this.#begin());
    return decision;
  }

  /** The same for so many milliseconds at most. Who is not admitted may run without the place, or not at all. */
  enterWithin(milliseconds: number): Promise<Decision> {
    const late = () => (this.queue.waitingOf(this.caller) > 1 ? 'too many of one' : 'overloaded');
    const entered = Promise.resolve(this.enter()).then(() => 'admitted' as const);
    return Promise.race([entered, sleep(milliseconds, undefined, { ref: false }).then(late)]);
  }

  /** Gives the place back, if it has it or gets it later. What the process does until it is idle belongs to the request. */
  end(): void {
    this.#hasEnded = true;
    const since = this.#since;
    this.#since = undefined;
    if (since === undefined) return;
    setImmediate(() => {
      const rest = this.isContended() ? Math.min(performance.now() - since, longestRest) : 0;
      if (rest > 0) setTimeout(() => this.queue.leave(this.caller), rest);
      else this.queue.leave(this.caller);
    });
  }

  #begin(): void {
    if (this.#hasEnded) this.queue.leave(this.caller);
    else this.#since = performance.now();
  }
}
