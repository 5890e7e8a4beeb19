import { callerOfRequest, currentDeadline, wait } from './deadline.js';
import { nobody, Shares } from './shares.js';

/** Most connections that one request holds at once. */
const mostOfRequest = 4;

interface Waiting {
  since: number;
  start: () => void;
}

/** What one request holds, and what of it waits until it holds less. */
interface Own {
  held: number;
  waiting: (() => void)[];
}

type Release = () => void;

/** The connections of a pool, which callers share: each statement or transaction takes one, and waits until it may. */
export class ConnectionShares {
  readonly #shares: Shares<Waiting>;
  readonly #most: number;
  readonly #requests = new WeakMap<object, Own>();

  constructor(size: number) {
    this.#shares = new Shares(size);
    this.#most = Math.min(mostOfRequest, Math.ceil(size / 2));
  }

  get waiting(): number {
    return this.#shares.waiting;
  }

  /** Takes a connection for as long as it is used, even if the request does not wait for that any more. */
  async use<T>(run: (start: (send: () => Promise<T>) => Promise<T>) => Promise<T>): Promise<T> {
    const release = await this.hold();
    let isUsed = false;
    try {
      return await run((send) => {
        isUsed = true;
        return send().finally(release);
      });
    } finally {
      if (!isUsed) release();
    }
  }

  /** Takes a connection until the function that it returns is called. */
  async hold(): Promise<Release> {
    return wait(() => this.#take(), { onLate: (late) => late() });
  }

  async #take(): Promise<Release> {
    const own = this.#ownOf(currentDeadline());
    if (own && own.held >= this.#most) await new Promise<void>((start) => own.waiting.push(start));
    else if (own) own.held += 1;
    const caller = callerOfRequest() ?? nobody;
    if (!this.#shares.take(caller)) {
      const since = performance.now();
      await new Promise<void>((start) => {
        this.#shares.wait(caller, { since, start });
        this.#startNext();
      });
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#shares.leave(caller);
      this.#startNext();
      const next = own?.waiting.shift();
      if (next) next();
      else if (own) own.held -= 1;
    };
  }

  #startNext(): void {
    for (let next = this.#shares.next(); next; next = this.#shares.next()) next.start();
  }

  #ownOf(request: object | undefined): Own | undefined {
    if (!request) return undefined;
    const own = this.#requests.get(request) ?? { held: 0, waiting: [] };
    this.#requests.set(request, own);
    return own;
  }
}
