import type fc from 'fast-check';
import { models } from '../../../../src/generated/models.js';
import type { Relation } from '../../../../src/platform/postgres/reader/shape.js';
import { companies, type Row } from './hostileData.js';

/** The choices of one call. */
export class Draw {
  readonly companyId: string;
  readonly #g: fc.GeneratorValue;
  readonly #nat: (max: number) => fc.Arbitrary<number>;
  readonly #rows: Map<string, Row[]>;

  constructor(g: fc.GeneratorValue, nat: (max: number) => fc.Arbitrary<number>, rows: Map<string, Row[]>) {
    this.#g = g;
    this.#nat = nat;
    this.#rows = rows;
    this.companyId = this.pick(companies);
  }

  chance = (percent: number) => this.#g(this.#nat, 99) >= 100 - percent;

  pick<T>(items: readonly T[]): T {
    return items[this.#g(this.#nat, items.length - 1)] as T;
  }

  some<T>(items: readonly T[], most: number): T[] {
    const count = 1 + this.#g(this.#nat, Math.min(most, items.length) - 1);
    return [...new Set(Array.from({ length: count }, () => this.pick(items)))];
  }

  /** The company's rows of a table. */
  rowsOf = (model: string): Row[] =>
    (this.#rows.get(model) ?? []).filter(({ companyId = this.companyId }) => companyId === this.companyId);

  /** A row that the filters shall let through. */
  wanted = (rows: Row[]): Row | undefined => (rows.length > 0 && this.chance(90) ? this.pick(rows) : undefined);

  related = ({ model, on }: Relation, row: Row | undefined): Row | undefined =>
    this.wanted(row ? this.rowsOf(model).filter((there) => on.every(([own, other]) => there[other] === row[own])) : []);
}

export const hasCompany = (model: string) => models[model]?.columns.companyId !== undefined;
