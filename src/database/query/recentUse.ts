import { LRUCache } from 'lru-cache';

interface Use {
  /** Of the last second, about: it fades. */
  milliseconds: number;
  at: number;
  /** Of one use. */
  mean: number;
  hasFailed: boolean;
}

const companiesKept = 10_000;
const second = 1_000;
/** From how many milliseconds of a second on a company uses much. */
const much = 300;
/** How much a company may do at the same time of which nothing is known yet. */
const mostUnknown = 3;
/** How many uses the mean looks back. */
const remembered = 10;

/** For how long each company has lately used something that callers share, such as the processor. */
export class RecentUse {
  readonly #uses = new LRUCache<string, Use>({ max: companiesKept });
  readonly #mostTogether: number;
  readonly #now: () => number;

  /** `mostTogether` is how many milliseconds all that a company with much use does at the same time may need. */
  constructor(mostTogether: number, now: () => number) {
    this.#mostTogether = mostTogether;
    this.#now = now;
  }

  /** Counts a use that is over, or has failed. */
  add(company: string, milliseconds: number, hasFailed = false): void {
    const at = this.#now();
    const { mean } = this.#uses.get(company) ?? { mean: milliseconds };
    this.#uses.set(company, {
      milliseconds: this.#recent(company, at) + milliseconds,
      at,
      mean: mean + (milliseconds - mean) / remembered,
      hasFailed,
    });
  }

  /** Whether the last use of a company has failed, which may be why it took long. */
  hasFailed(company: string): boolean {
    return this.#uses.get(company)?.hasFailed ?? false;
  }

  /**
   * How much a company may do at the same time, so that others hardly wait: what it may use before that is much, and then
   * no more than needs a moment together. What needs longer by itself pauses meanwhile.
   */
  mostAtOnce(company: string): number {
    const use = this.#uses.get(company);
    if (!use) return mostUnknown;
    const left = much - this.#recent(company, this.#now());
    return left > 0 ? Math.ceil(left / use.mean) : Math.floor(this.#mostTogether / use.mean);
  }

  #recent(company: string, now: number): number {
    const { milliseconds, at } = this.#uses.get(company) ?? { milliseconds: 0, at: now };
    return milliseconds * Math.exp((at - now) / second);
  }
}
