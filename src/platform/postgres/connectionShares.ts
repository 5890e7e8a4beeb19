import { FairQueue, nobody } from '../fairness/index.js';
import { type RequestScope, wait } from './deadline.js';

/** The most connections of one request. */
const mostOfRequest = 4;

/** Gives a connection back. `used` is how many milliseconds its statement took. */
export type Release = (use?: { used: number; hasFailed: boolean }) => void;

/** The connections of a pool, which callers share: each statement or transaction takes one, and waits until it may. */
export class ConnectionShares {
  readonly #queue: FairQueue;
  readonly #most: number;

  constructor(size: number) {
    this.#queue = new FairQueue({ seats: size, together: 30, least: 1 });
    this.#most = Math.min(mostOfRequest, Math.ceil(size / 2));
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Takes a connection until the function that it returns is called. */
  async take(scope: RequestScope | undefined): Promise<Release> {
    return (
      this.takeNow(scope) ??
      wait(
        scope,
        () => this.#take(scope),
        (late) => late(),
      )
    );
  }

  /** Takes a connection if the caller need not wait for it, as nearly always. */
  takeNow(request: RequestScope | undefined): Release | undefined {
    if ((request && request.held >= this.#most) || !this.#queue.take(request?.caller ?? nobody)) return undefined;
    if (request) request.held += 1;
    return this.#releaseOf(request);
  }

  async #take(request: RequestScope | undefined): Promise<Release> {
    if (request && request.held >= this.#most) await new Promise<void>((start) => request.queue.push(start));
    else if (request) request.held += 1;
    const { caller = nobody } = request ?? {};
    const isLimited = this.#queue.isLimited(caller.flow) && !this.#queue.hasFailed(caller.flow);
    const release = this.#releaseOf(request);
    if (request && isLimited) request.limitedWaits += 1;
    await this.#queue.enter(caller);
    if (request && isLimited) request.limitedWaits -= 1;
    return release;
  }

  #releaseOf(request: RequestScope | undefined): Release {
    const { caller = nobody } = request ?? {};
    let isHeld = true;
    return (use) => {
      if (!isHeld) return;
      isHeld = false;
      this.#queue.leave(caller, use);
      const next = request?.queue.shift();
      if (next) next();
      else if (request) request.held -= 1;
    };
  }
}
