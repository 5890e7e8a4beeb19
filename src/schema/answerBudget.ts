import { setImmediate } from 'node:timers/promises';
import { createContextCache } from '@pothos/core';
import { failure } from '../errors/failures.js';

/** The most items that the lists of one query may have together. Decisions: "Query cost". */
const mostItems = 100_000;
/** The most characters of long texts in one answer. A mutation cannot come near it before its change is final. */
const mostCharacters = 64_000_000;
const longText = 1_000;
/** How many items of an answer are completed before other requests have a turn. */
const itemsInATurn = 2_000;

/** What the answer to one operation has become so far. */
class AnswerBudget {
  #items = 0;
  #characters = 0;
  readonly #turns = [Promise.resolve()];

  /** Counts the items of a list, and makes each a promise that is resolved in its turn. Throws 400 if a query has too many. */
  promised(items: readonly unknown[], { isQuery }: { isQuery: boolean }): Promise<unknown>[] {
    const before = this.#items;
    this.#items += items.length;
    if (isQuery && this.#items > mostItems) {
      throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'items', maximum: mostItems }] });
    }
    return items.map((item, index) => {
      const turn = Math.floor((before + index) / itemsInATurn);
      return turn === 0 ? Promise.resolve(item) : this.#turn(turn).then(() => item);
    });
  }

  /** Throws 400 if the answer has too many characters. */
  addText(characters: number): void {
    this.#characters += characters;
    if (this.#characters > mostCharacters) {
      throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'characters', maximum: mostCharacters }] });
    }
  }

  #turn(number: number): Promise<void> {
    const known = this.#turns[number];
    if (known) return known;
    const turn = this.#turn(number - 1).then(() => setImmediate());
    this.#turns[number] = turn;
    return turn;
  }
}

export const answerBudget = createContextCache((_context: object) => new AnswerBudget());

/** The same value. If it is a long text, the answer has room for it. */
export function budgeted(value: unknown, context: object): unknown {
  if (typeof value === 'string' && value.length > longText) answerBudget(context).addText(value.length);
  return value;
}
