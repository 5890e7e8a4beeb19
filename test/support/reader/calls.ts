import type fc from 'fast-check';
import { models } from '../../../src/database/generated/models.js';
import type { Column, Model } from '../../../src/database/reader/models.js';
import { companies, ids, values } from './hostileData.js';

type Args = Record<string, unknown>;

export interface Call {
  model: string;
  method: string;
  args: Args;
}

type Generate = fc.GeneratorValue;

/** Draws calls that Prisma accepts, more often such as the reader answers. */
export class Calls {
  readonly #g: Generate;
  readonly #nat: (max: number) => fc.Arbitrary<number>;
  #companyId = '';

  constructor(g: Generate, nat: (max: number) => fc.Arbitrary<number>) {
    this.#g = g;
    this.#nat = nat;
  }

  /** One call, or several that look up different rows. */
  draw(): Call[] {
    const call = this.#call();
    const [[key = '', values] = []] = Object.entries(call.args.where as Record<string, Args>);
    if (!call.method.startsWith('findUnique') || !this.#chance(30)) return [call];
    const others = ids.map((id) => ({ ...values, ...(values && 'id' in values && { id }) }));
    return [call, ...others.map((other) => ({ ...call, args: { ...call.args, where: { [key]: other } } }))];
  }

  #call(): Call {
    this.#companyId = this.#pick(companies);
    const model = this.#pick(Object.keys(models).filter((name) => models[name]?.columns.companyId));
    const keys = keysOf(models[model] as Model);
    const method = this.#pick([
      'findFirst',
      'findMany',
      ...(keys.length > 0 ? ['findUnique', 'findUniqueOrThrow'] : []),
    ]);
    const args = this.#argumentsOf(model, 0);
    if (method.startsWith('findUnique')) {
      return { model, method, args: { ...args, where: this.#unique(models[model] as Model, this.#pick(keys)) } };
    }
    const companyId = this.#chance(3) ? undefined : { companyId: this.#companyId };
    const where = { ...companyId, ...(this.#chance(60) && this.#filter(model, 2)) };
    return { model, method, args: { ...args, where, ...this.#order(model, method === 'findMany') } };
  }

  #chance = (percent: number) => this.#g(this.#nat, 99) >= 100 - percent;

  #pick<T>(items: readonly T[]): T {
    return items[this.#g(this.#nat, items.length - 1)] as T;
  }

  #some<T>(items: readonly T[], most: number): T[] {
    const count = 1 + this.#g(this.#nat, Math.min(most, items.length) - 1);
    return [...new Set(Array.from({ length: count }, () => this.#pick(items)))];
  }

  #unique({ columns }: Model, [key, fields]: [string, string[]]): Args {
    const found = fields.map((field) => [
      field,
      field === 'companyId' ? this.#companyId : this.#value(columns[field], field),
    ]);
    return { [key]: Object.fromEntries(found) };
  }

  #argumentsOf(name: string, depth: number): Args {
    if (this.#chance(15)) return {};
    const { columns } = models[name] as Model;
    const relations = depth < 3 && this.#chance(75) ? this.#relations(name, depth) : {};
    if (this.#chance(30)) return Object.keys(relations).length > 0 ? { include: relations } : {};
    const chosen = this.#some(Object.keys(columns), 6).map((column) => [column, !this.#chance(3)]);
    const select = { ...Object.fromEntries(chosen), ...relations };
    return { select: Object.values(select).some(Boolean) ? select : { ...select, companyId: true } };
  }

  #relations(name: string, depth: number): Args {
    const all = Object.entries(models[name]?.relations ?? {});
    if (all.length === 0) return {};
    const chosen = this.#some(all, 3).map(([field, { isList, model }]) => {
      const args = this.#argumentsOf(model, depth + 1);
      if (!isList) return [field, Object.keys(args).length > 0 ? args : true];
      const where = this.#chance(60) ? { where: this.#filter(model, 1) } : {};
      return [field, { ...args, ...where, ...this.#order(model) }];
    });
    const lists = all.filter(([, { isList }]) => isList);
    const counted = lists.length > 0 && this.#chance(25) ? this.#some(lists, 2) : [];
    const counts = counted.map(([field, { model }]) => [
      field,
      this.#chance(70) ? { where: this.#filter(model, 1) } : true,
    ]);
    return {
      ...Object.fromEntries(chosen),
      ...(counts.length > 0 && { _count: { select: Object.fromEntries(counts) } }),
    };
  }

  /** Leaves no order to chance, except for what only Prisma answers. */
  #order(name: string, canCut = true): Args {
    const { columns, key } = models[name] as Model;
    const direction = () => this.#pick(['asc', 'desc']);
    const orderable = Object.keys(columns).filter((field) => columns[field]?.type !== 'Bytes');
    const given = this.#chance(50) ? this.#some(orderable, 2).map((field) => ({ [field]: direction() })) : [];
    const take = { take: this.#pick([1, 2, 3]) };
    const skip = this.#chance(3) ? { skip: 1 } : {};
    if (canCut && this.#chance(3)) return { ...(given.length > 0 && { orderBy: given }), ...take, ...skip };
    const rest = key.filter((field) => !given.some((term) => field in term)).map((field) => ({ [field]: direction() }));
    return { orderBy: [...given, ...rest], ...(canCut && this.#chance(35) && { ...take, ...skip }) };
  }

  #filter(name: string, depth: number): Args {
    if (this.#chance(5)) return {};
    const { columns, relations } = models[name] as Model;
    const fields = this.#some(Object.keys(columns), 2).filter((field) => columns[field]?.type !== 'Bytes');
    const filter: Args = Object.fromEntries(
      fields.map((field) => [field, this.#condition(columns[field] as Column, field)]),
    );
    if (this.#chance(40)) filter.companyId = this.#chance(85) ? this.#companyId : this.#pick(companies);
    if (depth === 0) return filter;
    const related = Object.entries(relations);
    if (related.length > 0 && this.#chance(45)) {
      const [field, { model, isList, isNullable }] = this.#pick(related);
      filter[field] = isList ? this.#ofList(model, depth) : this.#ofOne(model, depth, isNullable);
    }
    if (this.#chance(25)) filter.OR = this.#filters(name, depth);
    if (this.#chance(4)) filter.NOT = this.#chance(50) ? this.#filters(name, depth) : this.#filter(name, 0);
    if (this.#chance(4)) filter.AND = this.#filters(name, depth);
    return filter;
  }

  #filters(name: string, depth: number): Args[] {
    return this.#chance(4) ? [] : Array.from({ length: this.#pick([1, 2]) }, () => this.#filter(name, depth - 1));
  }

  #ofList(model: string, depth: number): Args {
    const operator = this.#chance(25) ? 'every' : this.#pick(['some', 'none']);
    return { [operator]: this.#chance(6) ? {} : this.#filter(model, depth - 1) };
  }

  #ofOne(model: string, depth: number, isNullable: boolean): unknown {
    const filter = this.#filter(model, depth - 1);
    if (this.#chance(20)) return { isNot: isNullable && this.#chance(30) ? null : filter };
    if (isNullable && this.#chance(8)) return this.#chance(50) ? null : { is: null };
    return this.#chance(40) ? { is: filter } : filter;
  }

  #condition(column: Column, field: string): unknown {
    const { type, isNullable } = column;
    if (isNullable && this.#chance(30)) return this.#pick([null, { not: null }, { equals: null }]);
    if (this.#chance(35)) return this.#value(column, field);
    const isPlain = type === 'Boolean';
    if (this.#chance(8)) return { not: this.#value(column, field) };
    if (isPlain) return { equals: this.#value(column, field) };
    const list = () =>
      Array.from({ length: this.#chance(5) ? 0 : this.#pick([1, 2, 3, 4]) }, () => this.#value(column, field));
    if (this.#chance(5)) return { notIn: list() };
    if (this.#chance(3) && type === 'String') return { contains: this.#value(column, field) };
    if (this.#chance(40)) return { in: list() };
    if (type === 'Enum') return { equals: this.#value(column, field) };
    return Object.fromEntries(
      this.#some(['equals', 'lt', 'lte', 'gt', 'gte'], 2).map((name) => [name, this.#value(column, field)]),
    );
  }

  #value(column: Column | undefined, field = ''): unknown {
    const isId = field.toLowerCase().endsWith('id');
    const value = this.#pick(isId ? ids : (column?.values ?? values[column?.type ?? ''] ?? ids));
    if (column?.type === 'BigInt') return BigInt(value);
    return column?.type === 'DateTime' ? new Date(String(value)) : value;
  }
}

/** The unique keys with which a call can look up a row. */
const keysOf = ({ uniques, columns }: Model) =>
  Object.entries(uniques).filter(
    ([, fields]) => fields.length > 1 && fields.every((field) => columns[field]?.type !== 'Bytes'),
  );
