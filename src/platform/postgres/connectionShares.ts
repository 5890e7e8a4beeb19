import { type Caller, FairQueue, nobody, parameters, RecentUse } from '../fairness/index.js';
import { type RequestScope, wait } from './deadline.js';

const { ofRequest: mostOfRequest, together } = parameters.connections;

interface Waiting {
  since: number;
  start: () => void;
}

export type Release = () => void;

/** The connections of a pool, which callers share: each statement or transaction takes one, and waits until it may. */
export class ConnectionShares {
  readonly #shares: FairQueue<Waiting>;
  readonly #most: number;
  readonly #use = new RecentUse(together, () => performance.now());

  constructor(size: number) {
    this.#shares = new FairQueue({ seats: size, mostOf: (company) => Math.max(1, this.#use.mostAtOnce(company)) });
    this.#most = Math.min(mostOfRequest, Math.ceil(size / 2));
  }

  get waiting(): number {
    return this.#shares.waiting;
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
    const caller = request?.caller ?? nobody;
    if ((request && request.held >= this.#most) || !this.#shares.take(caller)) return undefined;
    if (request) request.held += 1;
    return this.#releaseOf(caller, request);
  }

  /** Counts how many milliseconds a statement took. */
  countUse({ flow }: Caller, milliseconds: number, hasFailed: boolean): void {
    this.#use.add(flow, milliseconds, hasFailed);
  }

  async #take(request: RequestScope | undefined): Promise<Release> {
    if (request && request.held >= this.#most) await new Promise<void>((start) => request.queue.push(start));
    else if (request) request.held += 1;
    const caller = request?.caller ?? nobody;
    if (!this.#shares.take(caller)) {
      const since = performance.now();
      const isLimited = this.#shares.isLimited(caller) && !this.#use.hasFailed(caller.flow);
      if (request && isLimited) request.limitedWaits += 1;
      await new Promise<void>((start) => {
        this.#shares.wait(caller, { since, start });
        this.#startNext();
      });
      if (request && isLimited) request.limitedWaits -= 1;
    }
    return this.#releaseOf(caller, request);
  }

  #releaseOf(caller: Caller, request: RequestScope | undefined): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#shares.leave(caller);
      this.#startNext();
      const next = request?.queue.shift();
      if (next) next();
      else if (request) request.held -= 1;
    };
  }

  #startNext(): void {
    for (let next = this.#shares.next(); next; next = this.#shares.next()) next.start();
  }
}
