import { LRUCache } from 'lru-cache';
import { isTimeout } from './query/unavailable.js';

const remembered = 10_000;
/** How many requests of stalled companies may wait for the database at once, to find out whether it responds again. */
const slots = 2;

/**
 * Companies for which the database did not respond in time, as when the node that has their rows is lost. If all their
 * requests waited, they would hold the connections that others need.
 */
export class StalledCompanies {
  readonly #stalled = new LRUCache<string, true>({ max: remembered });
  #waiting = 0;

  /** Runs the first statement that needs the rows of a company. Returns `refused` at once if too many wait already. */
  async ask<T>(companyId: string, statement: () => Promise<T>): Promise<T | 'refused'> {
    const isStalled = this.#stalled.has(companyId);
    if (isStalled && this.#waiting >= slots) return 'refused';
    if (isStalled) this.#waiting += 1;
    try {
      const result = await statement();
      this.#stalled.delete(companyId);
      return result;
    } catch (error) {
      if (isTimeout(error)) this.#stalled.set(companyId, true);
      throw error;
    } finally {
      if (isStalled) this.#waiting -= 1;
    }
  }
}
