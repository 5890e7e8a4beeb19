import { LRUCache } from 'lru-cache';

interface Use {
  /** Of the last second, about: it fades. */
  milliseconds: number;
  at: number;
  /** Of one request. */
  mean: number;
}

const companiesKept = 10_000;
const second = 1_000;
/** From how many milliseconds of a second on a company uses much. */
const much = 300;
/** How many milliseconds all requests that such a company has in progress may need. */
const mostTogether = 10;
/** How many requests the mean looks back. */
const remembered = 10;

/** How much processor time each company has used lately. */
export class ProcessorUse {
  readonly #uses = new LRUCache<string, Use>({ max: companiesKept });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request that is over. */
  add(company: string, milliseconds: number): void {
    const at = this.#now();
    const { mean } = this.#uses.get(company) ?? { mean: milliseconds };
    this.#uses.set(company, {
      milliseconds: this.#recent(company, at) + milliseconds,
      at,
      mean: mean + (milliseconds - mean) / remembered,
    });
  }

  /** How many requests a company may have in progress, so that others hardly wait for the processor. */
  mostRequests(company: string): number {
    const use = this.#uses.get(company);
    if (!use || this.#recent(company, this.#now()) <= much) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(mostTogether / use.mean));
  }

  #recent(company: string, now: number): number {
    const { milliseconds, at } = this.#uses.get(company) ?? { milliseconds: 0, at: now };
    return milliseconds * Math.exp((at - now) / second);
  }
}
