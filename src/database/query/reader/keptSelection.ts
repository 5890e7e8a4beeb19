import type { Known } from './read.js';
import { Unsupported } from './unsupported.js';
import type { Values } from './values.js';

/** A `select` or `include` that is read once for many calls, some values of which are the calls' own. */
export class KeptSelection {
  readonly shape: string;
  /** The statements that it is part of, by what else their calls say: less to look up than a whole shape. */
  readonly statements: Map<string, Known>;
  readonly #values: Values;
  readonly #own: ReadonlyMap<unknown, unknown>;

  constructor(shape: string, values: Values, statements = new Map<string, Known>(), own = new Map<unknown, unknown>()) {
    this.shape = shape;
    this.statements = statements;
    this.#values = values;
    this.#own = own;
  }

  get values(): readonly unknown[] {
    return this.#values.all;
  }

  /** The same for a call: with its own values in place of those that stand for them. */
  withOwn(values: Map<unknown, unknown>): KeptSelection {
    return new KeptSelection(this.shape, this.#values, this.statements, values);
  }

  /** Adds the values to those of the call, of which they must be the first. */
  addTo(values: Values): void {
    if (values.all.length > 0 || values.kept) throw new Unsupported('a selection after a value');
    values.kept = this;
    values.beginWith(this.#values, this.#valueOf);
  }

  /** As Prisma reads it. */
  plain(): unknown {
    return JSON.parse(this.shape, (_name, part: unknown) => {
      const [, position] = typeof part === 'string' ? (/^\w(?:\[\])?(\d+)$/.exec(part) ?? []) : [];
      return position === undefined ? part : this.#valueOf(this.values[Number(position)]);
    });
  }

  readonly #valueOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(this.#valueOf) : (this.#own.get(value) ?? value);
}
