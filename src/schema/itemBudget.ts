import { setImmediate } from 'node:timers/promises';
import { createContextCache } from '@pothos/core';
import { failure } from '../errors/failures.js';

/** The most items that the lists of one query may have together. Decisions: "Query cost". */
const mostItems = 100_000;
/** How many items of an answer are completed before other requests have a turn. */
const itemsInATurn = 2_000;

/** The items of all lists of one operation. */
class ItemBudget {
  #count = 0;
  readonly #turns = [Promise.resolve()];

  /** Counts the items of a list, and makes each a promise that is resolved in its turn. Throws 400 if a query has too many. */
  promised(items: readonly unknown[], { isQuery }: { isQuery: boolean }): Promise<unknown>[] {
    const before = this.#count;
    this.#count += items.length;
    if (isQuery && this.#count > mostItems) {
      throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'items', maximum: mostItems }] });
    }
    return items.map((item, index) => {
      const turn = Math.floor((before + index) / itemsInATurn);
      return turn === 0 ? Promise.resolve(item) : this.#turn(turn).then(() => item);
    });
  }

  #turn(number: number): Promise<void> {
    const known = this.#turns[number];
    if (known) return known;
    const turn = this.#turn(number - 1).then(() => setImmediate());
    this.#turns[number] = turn;
    return turn;
  }
}

export const itemBudget = createContextCache((_context: object) => new ItemBudget());
