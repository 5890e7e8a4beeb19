interface Waiting {
  since: number;
  decide: (isAdmitted: boolean) => void;
}

/** How long a request may wait in a burst, and the bounds for a queue that has stood for as long as that, in milliseconds. */
const patience = { burst: 500, least: 20, most: 250 };
const waitingPerPlace = 50;
/** How many requests the mean duration looks back. */
const remembered = 50;

/**
 * Bounds how many requests are in progress. Others wait for a place, and are refused when they have waited too long. A
 * burst may wait for a moment. A queue that has not emptied since then is overload: a request then waits for no longer
 * than about two requests take. What cannot be served soon is so refused almost at once. When more wait than there are
 * places, the newest is first, so that what is admitted has hardly waited.
 */
export class Admission {
  readonly #places: number;
  readonly #waiting: Waiting[] = [];
  readonly #now: () => number;
  #taken = 0;
  #meanDuration = 0;
  #queuedSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(places: number, now = () => performance.now()) {
    this.#places = places;
    this.#now = now;
  }

  get inProgress(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether the request may run. Whoever was admitted calls `leave` once, with how long it took. */
  enter(): boolean | Promise<boolean> {
    if (this.#taken < this.#places) {
      this.#taken += 1;
      return true;
    }
    const since = this.#now();
    this.#queuedSince ??= since;
    if (this.#waiting.length >= this.#places * waitingPerPlace) this.#waiting.shift()?.decide(false);
    const decision = new Promise<boolean>((decide) => this.#waiting.push({ since, decide }));
    this.#schedule();
    return decision;
  }

  leave(milliseconds = this.#meanDuration): void {
    this.#meanDuration += (milliseconds - this.#meanDuration) / remembered;
    const next = this.#waiting.length > this.#places ? this.#waiting.pop() : this.#waiting.shift();
    if (next) {
      next.decide(true);
      return;
    }
    this.#taken -= 1;
    this.#queuedSince = undefined;
  }

  /** Refuses those that have waited too long. */
  #expire(): void {
    const latest = this.#now() - this.#patience();
    const kept = this.#waiting.findIndex(({ since }) => since > latest);
    for (const { decide } of this.#waiting.splice(0, kept < 0 ? this.#waiting.length : kept)) decide(false);
    if (this.#waiting.length > 0) this.#schedule();
  }

  #patience(): number {
    const stood = this.#now() - (this.#queuedSince ?? this.#now());
    if (stood < patience.burst) return patience.burst;
    return Math.min(Math.max(2 * this.#meanDuration, patience.least), patience.most);
  }

  #schedule(): void {
    const [oldest] = this.#waiting;
    if (this.#timer || !oldest) return;
    const left = oldest.since + this.#patience() - this.#now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#expire();
      },
      Math.max(left, 1),
    );
  }
}
