import { setImmediate } from 'node:timers/promises';
import { comparison, type Difference, Effort } from './difference.js';
import { pageOf, type TextPage } from './excerpts.js';
import { asTyped, isEqual, type Reading, readingOf } from './reading.js';

/** After so many milliseconds others have their turn. */
const turn = 10;

/**
 * The texts that one request reads and compares: each one once, whatever the aliases, and one after the other, so that
 * others have their turn in between. All comparisons of a request share a fixed effort.
 */
export class Comparisons {
  readonly #effort = new Effort();
  readonly #readings = new Map<string, Promise<Reading>>();
  readonly #differences = new Map<string, Map<string, Promise<Difference>>>();
  #last: Promise<unknown> = Promise.resolve();
  #turnBegan = performance.now();

  /** The difference between two titles or other plain texts. */
  ofTitles(before: string, after: string): Promise<Difference> {
    return this.#inTurn(() => comparison(asTyped(before), asTyped(after), this.#effort));
  }

  /** The difference between two plain or rich texts as people read them. */
  ofTexts(before: string, after: string): Promise<Difference> {
    const others = this.#differences.get(before) ?? new Map<string, Promise<Difference>>();
    this.#differences.set(before, others);
    return once(others, after, async () => {
      const [one, other] = [await this.#reading(before), await this.#reading(after)];
      return this.#inTurn(() => comparison(one, other, this.#effort));
    });
  }

  /** A page of a plain or rich text as people read it; undefined if it has no such page. */
  async pageOf(text: string, number: number): Promise<TextPage | undefined> {
    const { text: readable } = await this.#reading(text);
    return this.#inTurn(() => pageOf(readable, number));
  }

  /** Whether two texts differ in what people do not read: their formatting. */
  async areSame(before: string, after: string): Promise<boolean> {
    if (before === after) return true;
    return isEqual(await this.#reading(before), await this.#reading(after));
  }

  #reading(text: string): Promise<Reading> {
    return once(this.#readings, text, () => this.#inTurn(() => readingOf(text)));
  }

  #inTurn<Outcome>(begin: () => Generator<void, Outcome>): Promise<Outcome> {
    const outcome = this.#last.then(async () => {
      const work = begin();
      for (;;) {
        if (performance.now() - this.#turnBegan > turn) {
          await setImmediate();
          this.#turnBegan = performance.now();
        }
        const { done, value } = work.next();
        if (done) return value;
      }
    });
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}
