import { Cache } from '../caching/index.js';
import { isTimeout } from './errors.js';

const remembered = 10_000;
/** How many requests of stalled companies may wait at once, to probe whether the database responds again. */
const seats = 2;

/** Companies whose node did not respond: few of their requests wait at once, so that they do not hold all connections. */
export class CircuitBreaker {
  readonly #stalled = new Cache<string, true>(remembered);
  #waiting = 0;

  /** Runs the first statement that needs the rows of a company. Returns `refused` at once if too many wait already. */
  async ask<T>(companyId: string, statement: () => Promise<T>): Promise<T | 'refused'> {
    const isStalled = this.#stalled.has(companyId);
    if (isStalled && this.#waiting >= seats) return 'refused';
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
