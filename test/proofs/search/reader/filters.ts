import { models } from '../../../../src/generated/models.js';
import type { Column, Model, Relation } from '../../../../src/platform/postgres/reader/shape.js';
import { type Draw, hasCompany } from './draw.js';
import { companies, ids, type Row, values } from './hostileData.js';

type Args = Record<string, unknown>;

/** Draws filters that mostly let the wanted row through. */
export class Filters {
  readonly #draw: Draw;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  filter(name: string, depth: number, wanted: Row | undefined): Args {
    const { columns, relations } = models[name] as Model;
    const fields = this.#draw.some(
      Object.keys(columns).filter((field) => columns[field]?.type !== 'Bytes'),
      2,
    );
    const filter: Args = Object.fromEntries(
      fields.map((field) => [field, this.#condition(columns[field] as Column, field, wanted)]),
    );
    if (this.#draw.chance(40))
      filter.companyId = this.#draw.chance(90) ? this.#draw.companyId : this.#draw.pick(companies);
    if (depth === 0) return filter;
    const related = Object.entries(relations).filter(([, { model }]) => hasCompany(model));
    if (related.length > 0 && this.#draw.chance(45)) {
      const [field, relation] = this.#draw.pick(related);
      filter[field] = relation.isList ? this.#ofList(relation, depth, wanted) : this.#ofOne(relation, depth, wanted);
    }
    if (this.#draw.chance(25)) filter.OR = this.#filters(name, depth, wanted);
    return filter;
  }

  #filters(name: string, depth: number, wanted?: Row): Args[] {
    return Array.from({ length: this.#draw.pick([1, 2]) }, () => this.filter(name, depth - 1, wanted));
  }

  #ofList(relation: Relation, depth: number, row: Row | undefined): Args {
    const operator = this.#draw.pick(['some', 'some', 'none']);
    const wanted = operator !== 'none' || this.#draw.chance(30) ? this.#draw.related(relation, row) : undefined;
    return { [operator]: this.filter(relation.model, depth - 1, wanted) };
  }

  #ofOne(relation: Relation, depth: number, row: Row | undefined): unknown {
    const filter = this.filter(relation.model, depth - 1, this.#draw.related(relation, row));
    return this.#draw.chance(40) ? { is: filter } : filter;
  }

  #condition(column: Column, field: string, wanted: Row | undefined): unknown {
    const { type, isNullable } = column;
    const value = () => this.value(column, field, wanted);
    const isNull = wanted ? wanted[field] === null : this.#draw.chance(50);
    if (isNullable && (isNull ? this.#draw.chance(70) : this.#draw.chance(20))) {
      return isNull === this.#draw.chance(90) ? this.#draw.pick([null, { equals: null }]) : { not: null };
    }
    if (this.#draw.chance(35)) return value();
    if (type === 'Boolean') return { equals: value() };
    if (this.#draw.chance(40)) return { in: Array.from({ length: this.#draw.pick([1, 2, 3, 4]) }, value) };
    if (type === 'Enum') return { equals: value() };
    return Object.fromEntries(this.#draw.some(['equals', 'lt', 'lte', 'gt', 'gte'], 2).map((name) => [name, value()]));
  }

  /** Mostly what the wanted row has. */
  value(column: Column | undefined, field: string, wanted: Row | undefined): unknown {
    const actual = wanted?.[field] ?? null;
    if (actual !== null && this.#draw.chance(75)) return actual;
    const isId = field.toLowerCase().endsWith('id');
    const value = this.#draw.pick(isId ? ids : (column?.values ?? values[column?.type ?? ''] ?? ids));
    if (column?.type === 'BigInt') return BigInt(value);
    return column?.type === 'DateTime' ? new Date(String(value)) : value;
  }
}
