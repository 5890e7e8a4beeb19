import { models } from '../../../../src/generated/models.js';
import type { Model } from '../../../../src/platform/postgres/reader/shape.js';
import type { Method } from '../../../../src/platform/postgres/values.js';

import { type Draw, hasCompany } from './draw.js';
import { Filters } from './filters.js';
import { companies, ids, type Row } from './hostileData.js';

type Args = Record<string, unknown>;

export interface Call {
  model: string;
  method: Method;
  args: Args;
}

/** Draws calls that Prisma accepts, and that mostly find something. */
export class Calls {
  readonly #draw: Draw;
  readonly #filters: Filters;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#filters = new Filters(draw);
  }

  /** One call, or several that look up different rows. */
  draw(): Call[] {
    const call = this.#call();
    if (this.#draw.chance(40)) return [call, { ...call, args: ofCompany(call.args, this.#draw.pick(companies)) }];
    const [[key = '', values] = []] = Object.entries(call.args.where as Record<string, Args>);
    if (!call.method.startsWith('findUnique') || !this.#draw.chance(30)) return [call];
    const others = ids.map((id) => ({ ...values, ...(values && 'id' in values && { id }) }));
    return [call, ...others.map((other) => ({ ...call, args: { ...call.args, where: { [key]: other } } }))];
  }

  #call(): Call {
    const model = this.#draw.pick(Object.keys(models).filter(hasCompany));
    const keys = keysOf(models[model] as Model);
    const method = this.#draw.pick<Method>(
      keys.length > 0
        ? ['findFirst', 'findMany', 'findMany', 'findUnique', 'findUniqueOrThrow']
        : ['findFirst', 'findMany'],
    );
    const wanted = this.#draw.wanted(this.#draw.rowsOf(model));
    const args = this.#argumentsOf(model, 0, wanted);
    if (method.startsWith('findUnique')) {
      return {
        model,
        method,
        args: { ...args, where: this.#unique(models[model] as Model, this.#draw.pick(keys), wanted) },
      };
    }
    const where = {
      companyId: this.#draw.companyId,
      ...(this.#draw.chance(60) && this.#filters.filter(model, 2, wanted)),
    };
    return { model, method, args: { ...args, where, ...this.#order(model, method === 'findMany') } };
  }

  #unique({ columns }: Model, [key, fields]: [string, string[]], wanted: Row | undefined): Args {
    const found = fields.map((field) => [
      field,
      field === 'companyId' ? this.#draw.companyId : this.#filters.value(columns[field], field, wanted),
    ]);
    return { [key]: Object.fromEntries(found) };
  }

  /** `row` is one of those that are read. */
  #argumentsOf(name: string, depth: number, row: Row | undefined): Args {
    if (this.#draw.chance(15)) return {};
    const { columns } = models[name] as Model;
    const relations = this.#draw.chance([75, 40, 20][depth] ?? 0) ? this.#relations(name, depth, row) : {};
    if (this.#draw.chance(30)) return Object.keys(relations).length > 0 ? { include: relations } : {};
    const chosen = this.#draw
      .some(Object.keys(columns), 6)
      .map((column) => [column, this.#draw.chance(4) ? this.#not() : true]);
    const select = { ...Object.fromEntries(chosen), ...relations };
    return { select: Object.values(select).some(Boolean) ? select : { ...select, companyId: true } };
  }

  /** What is not selected, such as by a variable under `@include`. */
  #not = () => this.#draw.pick([false, undefined]);

  #relations(name: string, depth: number, row: Row | undefined): Args {
    const all = Object.entries(models[name]?.relations ?? {}).filter(([, { model }]) => hasCompany(model));
    if (all.length === 0) return {};
    const chosen = this.#draw.some(all, 3).map(([field, relation]): [string, unknown] => {
      const { isList, model } = relation;
      const there = this.#draw.related(relation, row);
      const args = this.#argumentsOf(model, depth + 1, there);
      if (!isList) return [field, Object.keys(args).length > 0 ? args : true];
      const where = this.#draw.chance(60) ? { where: this.#filters.filter(model, 1, there) } : {};
      return [field, { ...args, ...where, ...this.#order(model) }];
    });
    if (this.#draw.chance(5)) chosen.push([this.#draw.pick(all)[0], this.#not()]);
    const lists = all.filter(([, { isList }]) => isList);
    const counted = lists.length > 0 && this.#draw.chance(25) ? this.#draw.some(lists, 2) : [];
    const counts = counted.map(([field, relation]) => [
      field,
      this.#draw.chance(70)
        ? { where: this.#filters.filter(relation.model, 1, this.#draw.related(relation, row)) }
        : true,
    ]);
    const relations = Object.fromEntries(chosen);
    if (counts.length > 0) relations._count = { select: Object.fromEntries(counts) };
    // Prisma refuses an `include` in which nothing is left.
    return Object.values(relations).some(Boolean) ? relations : {};
  }

  /** Leaves no order to chance. */
  #order(name: string, canCut = true): Args {
    const { columns, key } = models[name] as Model;
    const direction = () => this.#draw.pick(['asc', 'desc']);
    const orderable = Object.keys(columns).filter((field) => columns[field]?.type !== 'Bytes');
    const given = this.#draw.chance(50) ? this.#draw.some(orderable, 2).map((field) => ({ [field]: direction() })) : [];
    const take = { take: this.#draw.pick([1, 2, 3]) };
    const rest = key.filter((field) => !given.some((term) => field in term)).map((field) => ({ [field]: direction() }));
    return { orderBy: [...given, ...rest], ...(canCut && this.#draw.chance(35) && take) };
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

/** The unique keys with which a call can look up a row. */
const keysOf = ({ uniques, columns }: Model) =>
  Object.entries(uniques).filter(
    ([, fields]) => fields.length > 1 && fields.every((field) => columns[field]?.type !== 'Bytes'),
  );
