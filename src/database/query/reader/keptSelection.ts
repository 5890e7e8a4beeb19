import { Unsupported } from './unsupported.js';
import type { Values } from './values.js';

/** A `select` or `include` that is read once for many calls, some values of which are the calls' own. */
export class KeptSelection {
  readonly #shape: string;
  readonly #values: Values;
  readonly #own: ReadonlyMap<unknown, unknown>;

  constructor(shape: string, values: Values, own: ReadonlyMap<unknown, unknown> = new Map()) {
    this.#shape = shape;
    this.#values = values;
    this.#own = own;
  }

  get values(): readonly unknown[] {
    return this.#values.all;
  }

  /** The same for a call: with its own values in place of those that stand for them. */
  withOwn(values: ReadonlyMap<unknown, unknown>): KeptSelection {
    return new KeptSelection(this.#shape, this.#values, values);
  }

  /** Adds the values to those of the call, of which they must be the first, and returns the shape. */
  addTo(values: Values): string {
    if (values.all.length > 0) throw new Unsupported('a selection after a value');
    values.beginWith(this.#values, this.#valueOf);
    return this.#shape;
  }

  /** As Prisma reads it. */
  plain(): unknown {
    return JSON.parse(this.#shape, (_name, part: unknown) => {
      const [, position] = typeof part === 'string' ? (/^\w(?:\[\])?(\d+)$/.exec(part) ?? []) : [];
      return position === undefined ? part : this.#valueOf(this.values[Number(position)]);
    });
  }

  readonly #valueOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(this.#valueOf) : (this.#own.get(value) ?? value);
}
