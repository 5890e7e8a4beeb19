import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Milliseconds. */
const pause = 1_000;
/** So many refusals of a caller in a second are immediate. */
const immediate = 20;
/** Of all callers. More would take memory. */
const mostPaused = 1_000;

/**
 * Slows down a caller that is far over its limit and asks on without a pause, as a refusal costs little but not nothing:
 * after the first refusals of a second each comes a second later.
 */
export class RefusalPace {
  readonly #refused = new LRUCache<string, { count: number }>({ max: 10_000, ttl: pause });
  #paused = 0;

  /** Undefined if the refusal may be sent at once. */
  pause(caller: string): Promise<void> | undefined {
    const refused = this.#refused.get(caller) ?? { count: 0 };
    if (refused.count === 0) this.#refused.set(caller, refused);
    refused.count += 1;
    if (refused.count <= immediate || this.#paused >= mostPaused) return undefined;
    this.#paused += 1;
    return sleep(pause).finally(() => {
      this.#paused -= 1;
    });
  }
}
