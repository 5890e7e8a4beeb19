import type fc from 'fast-check';
import { models } from '../../../src/database/generated/models.js';
import type { Column, Model, Relation } from '../../../src/database/reader/models.js';
import type { Method } from '../../../src/database/reader/statement.js';
import { companies, ids, type Row, values } from './hostileData.js';

type Args = Record<string, unknown>;

export interface Call {
  model: string;
  method: Method;
  args: Args;
}

type Generate = fc.GeneratorValue;

/** What the reader leaves to Prisma. A call has one of these at most: it shows if the reader takes that for known. */
const leftToPrisma = [
  ...['no company', 'a table of no company', 'ties', 'skip', 'an empty filter', 'an empty list', 'no alternative'],
  ...['NOT', 'AND', 'every', 'isNot', 'is null', 'not', 'notIn', 'contains'],
] as const;

/** In how many calls of a hundred. */
const share = 33;

/** Draws calls that Prisma accepts, and that mostly find something. */
export class Calls {
  readonly #g: Generate;
  readonly #nat: (max: number) => fc.Arbitrary<number>;
  readonly #rows: Map<string, Row[]>;
  #companyId = '';
  #left: (typeof leftToPrisma)[number] | undefined;

  constructor(g: Generate, nat: (max: number) => fc.Arbitrary<number>, rows: Map<string, Row[]>) {
    this.#g = g;
    this.#nat = nat;
    this.#rows = rows;
  }

  /** One call, or several that look up different rows. */
  draw(): Call[] {
    this.#companyId = this.#pick(companies);
    this.#left = this.#chance(share) ? this.#pick(leftToPrisma) : undefined;
    const call = this.#call();
    if (this.#chance(40)) return [call, { ...call, args: ofCompany(call.args, this.#pick(companies)) }];
    const [[key = '', values] = []] = Object.entries(call.args.where as Record<string, Args>);
    if (!call.method.startsWith('findUnique') || !this.#chance(30)) return [call];
    const others = ids.map((id) => ({ ...values, ...(values && 'id' in values && { id }) }));
    return [call, ...others.map((other) => ({ ...call, args: { ...call.args, where: { [key]: other } } }))];
  }

  #call(): Call {
    const model = this.#pick(Object.keys(models).filter(hasCompany));
    const keys = keysOf(models[model] as Model);
    const method = this.#pick<Method>(
      keys.length > 0
        ? ['findFirst', 'findMany', 'findMany', 'findUnique', 'findUniqueOrThrow']
        : ['findFirst', 'findMany'],
    );
    const wanted = this.#wanted(this.#rowsOf(model));
    const args = this.#argumentsOf(model, 0, wanted);
    if (method.startsWith('findUnique')) {
      return {
        model,
        method,
        args: { ...args, where: this.#unique(models[model] as Model, this.#pick(keys), wanted) },
      };
    }
    const company = this.#leaves('no company') ? undefined : { companyId: this.#companyId };
    const where = { ...company, ...(this.#chance(this.#left ? 90 : 60) && this.#filter(model, 2, wanted)) };
    return { model, method, args: { ...args, where, ...this.#order(model, method === 'findMany') } };
  }

  #chance = (percent: number) => this.#g(this.#nat, 99) >= 100 - percent;

  #leaves = (what: (typeof leftToPrisma)[number]) => this.#left === what && this.#chance(70);

  #pick<T>(items: readonly T[]): T {
    return items[this.#g(this.#nat, items.length - 1)] as T;
  }

  #some<T>(items: readonly T[], most: number): T[] {
    const count = 1 + this.#g(this.#nat, Math.min(most, items.length) - 1);
    return [...new Set(Array.from({ length: count }, () => this.#pick(items)))];
  }

  /** The company's rows of a table. */
  #rowsOf = (model: string): Row[] =>
    (this.#rows.get(model) ?? []).filter(({ companyId = this.#companyId }) => companyId === this.#companyId);

  /** A row that the filters shall let through. */
  #wanted = (rows: Row[]): Row | undefined => (rows.length > 0 && this.#chance(90) ? this.#pick(rows) : undefined);

  #related = ({ model, on }: Relation, row: Row | undefined): Row | undefined =>
    this.#wanted(
      row ? this.#rowsOf(model).filter((there) => on.every(([own, other]) => there[other] === row[own])) : [],
    );

  #unique({ columns }: Model, [key, fields]: [string, string[]], wanted: Row | undefined): Args {
    const found = fields.map((field) => [
      field,
      field === 'companyId' ? this.#companyId : this.#value(columns[field], field, wanted),
    ]);
    return { [key]: Object.fromEntries(found) };
  }

  /** `row` is one of those that are read. */
  #argumentsOf(name: string, depth: number, row: Row | undefined): Args {
    if (this.#chance(15)) return {};
    const { columns } = models[name] as Model;
    const relations = this.#chance([75, 40, 20][depth] ?? 0) ? this.#relations(name, depth, row) : {};
    if (this.#chance(30)) return Object.keys(relations).length > 0 ? { include: relations } : {};
    const chosen = this.#some(Object.keys(columns), 6).map((column) => [column, this.#chance(4) ? this.#not() : true]);
    const select = { ...Object.fromEntries(chosen), ...relations };
    return { select: Object.values(select).some(Boolean) ? select : { ...select, companyId: true } };
  }

  /** What is not selected, such as by a variable under `@include`. */
  #not = () => this.#pick([false, undefined]);

  #relations(name: string, depth: number, row: Row | undefined): Args {
    const all = Object.entries(models[name]?.relations ?? {}).filter(
      ([, { model }]) => hasCompany(model) || this.#leaves('a table of no company'),
    );
    if (all.length === 0) return {};
    const chosen = this.#some(all, 3).map(([field, relation]): [string, unknown] => {
      const { isList, model } = relation;
      const there = this.#related(relation, row);
      const args = this.#argumentsOf(model, depth + 1, there);
      if (!isList) return [field, Object.keys(args).length > 0 ? args : true];
      const where = this.#chance(60) ? { where: this.#filter(model, 1, there) } : {};
      return [field, { ...args, ...where, ...this.#order(model) }];
    });
    if (this.#chance(5)) chosen.push([this.#pick(all)[0], this.#not()]);
    const lists = all.filter(([, { isList }]) => isList);
    const counted = lists.length > 0 && this.#chance(25) ? this.#some(lists, 2) : [];
    const counts = counted.map(([field, relation]) => [
      field,
      this.#chance(70) ? { where: this.#filter(relation.model, 1, this.#related(relation, row)) } : true,
    ]);
    const relations = Object.fromEntries(chosen);
    if (counts.length > 0) relations._count = { select: Object.fromEntries(counts) };
    // Prisma refuses an `include` in which nothing is left.
    return Object.values(relations).some(Boolean) ? relations : {};
  }

  /** Leaves no order to chance, except for what only Prisma answers. */
  #order(name: string, canCut = true): Args {
    const { columns, key } = models[name] as Model;
    const direction = () => this.#pick(['asc', 'desc']);
    const orderable = Object.keys(columns).filter((field) => columns[field]?.type !== 'Bytes');
    const given = this.#chance(50) ? this.#some(orderable, 2).map((field) => ({ [field]: direction() })) : [];
    const take = { take: this.#pick([1, 2, 3]) };
    const skip = this.#leaves('skip') ? { skip: 1 } : {};
    if (canCut && this.#leaves('ties')) return { ...(given.length > 0 && { orderBy: given }), ...take, ...skip };
    const rest = key.filter((field) => !given.some((term) => field in term)).map((field) => ({ [field]: direction() }));
    return { orderBy: [...given, ...rest], ...(canCut && this.#chance(35) && { ...take, ...skip }) };
  }

  #filter(name: string, depth: number, wanted: Row | undefined): Args {
    if (this.#leaves('an empty filter')) return {};
    const { columns, relations } = models[name] as Model;
    const fields = this.#some(
      Object.keys(columns).filter((field) => columns[field]?.type !== 'Bytes'),
      2,
    );
    const filter: Args = Object.fromEntries(
      fields.map((field) => [field, this.#condition(columns[field] as Column, field, wanted)]),
    );
    if (this.#chance(40)) filter.companyId = this.#chance(90) ? this.#companyId : this.#pick(companies);
    if (depth === 0) return filter;
    const related = Object.entries(relations).filter(
      ([, { model }]) => hasCompany(model) || this.#leaves('a table of no company'),
    );
    if (related.length > 0 && this.#chance(this.#left ? 80 : 45)) {
      const [field, relation] = this.#pick(related);
      filter[field] = relation.isList ? this.#ofList(relation, depth, wanted) : this.#ofOne(relation, depth, wanted);
    }
    if (this.#chance(25)) filter.OR = this.#filters(name, depth, wanted);
    if (this.#leaves('NOT'))
      filter.NOT = this.#chance(50) ? this.#filters(name, depth) : this.#filter(name, 0, undefined);
    if (this.#leaves('AND')) filter.AND = this.#filters(name, depth, wanted);
    return filter;
  }

  #filters(name: string, depth: number, wanted?: Row): Args[] {
    if (this.#leaves('no alternative')) return [];
    return Array.from({ length: this.#pick([1, 2]) }, () => this.#filter(name, depth - 1, wanted));
  }

  #ofList(relation: Relation, depth: number, row: Row | undefined): Args {
    const operator = this.#leaves('every') ? 'every' : this.#pick(['some', 'some', 'none']);
    if (this.#leaves('an empty filter')) return { [operator]: {} };
    const wanted = operator !== 'none' || this.#chance(30) ? this.#related(relation, row) : undefined;
    return { [operator]: this.#filter(relation.model, depth - 1, wanted) };
  }

  #ofOne(relation: Relation, depth: number, row: Row | undefined): unknown {
    const { model, isNullable } = relation;
    if (this.#leaves('isNot')) {
      const filter = this.#filter(model, depth - 1, undefined);
      return { isNot: isNullable && this.#chance(30) ? null : filter };
    }
    if (isNullable && this.#leaves('is null')) return this.#chance(50) ? null : { is: null };
    const filter = this.#filter(model, depth - 1, this.#related(relation, row));
    return this.#chance(40) ? { is: filter } : filter;
  }

  #condition(column: Column, field: string, wanted: Row | undefined): unknown {
    const { type, isNullable } = column;
    const value = () => this.#value(column, field, wanted);
    const isNull = wanted ? wanted[field] === null : this.#chance(50);
    if (isNullable && (isNull ? this.#chance(70) : this.#chance(20))) {
      return isNull === this.#chance(90) ? this.#pick([null, { equals: null }]) : { not: null };
    }
    if (this.#chance(35)) return value();
    if (this.#leaves('not')) return { not: value() };
    if (type === 'Boolean') return { equals: value() };
    const list = () => Array.from({ length: this.#leaves('an empty list') ? 0 : this.#pick([1, 2, 3, 4]) }, value);
    if (this.#leaves('notIn')) return { notIn: list() };
    if (type === 'String' && this.#leaves('contains')) return { contains: value() };
    if (this.#chance(40)) return { in: list() };
    if (type === 'Enum') return { equals: value() };
    return Object.fromEntries(this.#some(['equals', 'lt', 'lte', 'gt', 'gte'], 2).map((name) => [name, value()]));
  }

  /** Mostly what the wanted row has. */
  #value(column: Column | undefined, field: string, wanted: Row | undefined): unknown {
    const actual = wanted?.[field] ?? null;
    if (actual !== null && this.#chance(75)) return actual;
    const isId = field.toLowerCase().endsWith('id');
    const value = this.#pick(isId ? ids : (column?.values ?? values[column?.type ?? ''] ?? ids));
    if (column?.type === 'BigInt') return BigInt(value);
    return column?.type === 'DateTime' ? new Date(String(value)) : value;
  }
}

/** The same arguments, in which every company is this one. */
const ofCompany = (args: Args, companyId: string): Args =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (name === 'companyId' && typeof value === 'string') return [name, companyId];
      const isNested = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
      return [name, isNested ? ofCompany(value as Args, companyId) : value];
    }),
  );

const hasCompany = (model: string) => models[model]?.columns.companyId !== undefined;

/** The unique keys with which a call can look up a row. */
const keysOf = ({ uniques, columns }: Model) =>
  Object.entries(uniques).filter(
    ([, fields]) => fields.length > 1 && fields.every((field) => columns[field]?.type !== 'Bytes'),
  );
