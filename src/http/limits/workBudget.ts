import { LRUCache } from 'lru-cache';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';

interface Spent {
  milliseconds: number;
  /** When the window ends, as `performance.now` counts. */
  until: number;
}

const tokensKept = 10_000;

/** How much work each token may cause in a window, in milliseconds. It is counted when it is done. */
export class WorkBudget {
  readonly #limiter: RateLimiterAbstract;
  readonly #spent = new LRUCache<string, Spent>({ max: tokensKept });

  constructor(limiter: RateLimiterAbstract) {
    this.#limiter = limiter;
  }

  /** What is left, as this process knows it, and until when. */
  left(key: string): { milliseconds: number; endsIn: number } {
    const { milliseconds, until } = this.#spent.get(key) ?? { milliseconds: 0, until: 0 };
    const { points, duration } = this.#limiter;
    const endsIn = until - performance.now();
    if (endsIn > 0) return { milliseconds: Math.max(0, points - milliseconds), endsIn };
    return { milliseconds: points, endsIn: duration * 1000 };
  }

  async charge(key: string, milliseconds: number): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(key, Math.ceil(milliseconds));
    this.#spent.set(key, { milliseconds: consumedPoints, until: performance.now() + msBeforeNext });
  }
}
