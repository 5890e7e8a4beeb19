import type { Known } from './reader.js';

/** The reader leaves this call to Prisma. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

export interface Column {
  /** Its name in the database. */
  name: string;
  /** As in Prisma; `Enum` for an enum; `Other` for what the reader leaves to Prisma, such as lists. */
  type: string;
  isNullable: boolean;
  /** Those of an enum. */
  values?: string[];
}

export interface Relation {
  model: string;
  isList: boolean;
  isNullable: boolean;
  /** The fields that are equal here and there. */
  on: [here: string, there: string][];
}

/** A model as prisma/readerModels.mjs writes it. Everything but `table` and a column's `name` is named as in Prisma. */
export interface Model {
  table: string;
  /** The fields of its key. */
  key: string[];
  uniques: Record<string, string[]>;
  columns: Record<string, Column>;
  relations: Record<string, Relation>;
}

export type Models = Record<string, Model>;

/** The arguments of a call, with its values apart: calls of one shape differ only in these. */
export interface Call {
  /**
   * The arguments as JSON, in which `"s0"` stands for the first value, a string, and `"*"` for a selection that was read
   * before. The type of a value is part of it.
   */
  shape: string;
  values: unknown[];
  kept: KeptSelection | undefined;
}

/** What a shape says once it is parsed. It has no values, so that what is compiled from it cannot depend on one. */
export type Shape = { [name: string]: Part };

export type Part = Shape | Shape[] | string | number | true | null;

export function objectOf(part: Part | undefined): Shape {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) throw new Unsupported('not an object');
  return part;
}

/** What the record says of a name that a caller may have chosen, such as `constructor`. */
export const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Reads the arguments of a call once. Throws Unsupported at anything it does not know for sure. */
export function callOf(args: object): Call {
  const values = new Values();
  return { shape: argumentsOf(args, values), values: values.all, kept: values.kept };
}

/** The shape with the selection that was read before. */
export const wholeShape = ({ shape, kept }: Call) => (kept ? shape.replace(keptMark, () => kept.shape) : shape);

const keptMark = '"*"';

const clauses: Record<string, (value: unknown, values: Values) => string> = {
  where: filterOf,
  select: selectionOf,
  include: selectionOf,
  orderBy: orderOf,
  take: takeOf,
};

function argumentsOf(args: unknown, values: Values): string {
  return textOf(args, (value, name) => {
    const clause = own(clauses, name);
    if (!clause) throw new Unsupported(name);
    return clause(value, values);
  });
}

/** Reads a `select` or `include` once for many calls. Throws Unsupported at anything it does not know for sure. */
export function cachedSelection(selection: unknown): KeptSelection {
  const values = new Values();
  return new KeptSelection(selectionOf(selection, values), values);
}

function selectionOf(selection: unknown, values: Values): string {
  if (selection instanceof KeptSelection) {
    selection.addTo(values);
    return keptMark;
  }
  return textOf(selection, (value) => {
    if (value === false) return undefined;
    return value === true ? 'true' : argumentsOf(value, values);
  });
}

function orderOf(order: unknown): string {
  if (Array.isArray(order)) return `[${order.map(orderOf).join()}]`;
  return textOf(order, (direction) => {
    if (direction !== 'asc' && direction !== 'desc') throw new Unsupported('order');
    return `"${direction}"`;
  });
}

function takeOf(take: unknown): string {
  if (!Number.isInteger(take) || Number(take) < 1) throw new Unsupported('take');
  return String(take);
}

function filterOf(filter: unknown, values: Values): string {
  return textOf(filter, (value, name) => conditionOf(value, values, name));
}

function conditionOf(value: unknown, values: Values, name: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return listOf(value, values);
  const type = typeOf(value);
  if (type === undefined) return filterOf(value, values);
  return `"${type}${values.add(storable(value), name)}"`;
}

/** Either filters, as under OR, or the values of one parameter. */
function listOf(list: unknown[], values: Values): string {
  if (list.length === 0) throw new Unsupported('empty list');
  const [type, ...others] = new Set(list.map(typeOf));
  if (others.length > 0) throw new Unsupported('mixed list');
  if (type === undefined) return `[${list.map((item) => filterOf(item, values)).join()}]`;
  return `"${type}[]${values.add(list.map(storable))}"`;
}

/** A plain object as JSON. Prisma ignores what is undefined. */
function textOf(object: unknown, entryOf: (value: unknown, name: string) => string | undefined): string {
  if (typeof object !== 'object' || object === null || Object.getPrototypeOf(object) !== Object.prototype) {
    throw new Unsupported('not a plain object');
  }
  let text = '';
  for (const [name, value] of Object.entries(object)) {
    const entry = value === undefined ? undefined : entryOf(value, name);
    if (entry !== undefined) text += `${text && ','}${JSON.stringify(name)}:${entry}`;
  }
  return `{${text}}`;
}

/** The values of a call, in the order of its arguments. */
class Values {
  readonly all: unknown[] = [];
  /** The selection that they begin with, if that was read before. */
  kept: KeptSelection | undefined;
  #company: number | undefined;

  /** Adds a value, and returns its position. The company, which conditions repeat, is one value. */
  add(value: unknown, name?: string): number {
    const isCompany = name === 'companyId';
    if (isCompany && this.#company !== undefined && this.all[this.#company] === value) return this.#company;
    const position = this.all.push(value) - 1;
    if (isCompany) this.#company ??= position;
    return position;
  }

  /** Begins with the values of others, as they are here. */
  beginWith(others: Values, own: (value: unknown) => unknown): void {
    for (const value of others.all) this.all.push(own(value));
    this.#company = others.#company;
  }
}

/** One letter for each type of value; undefined for what may be a filter. */
function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return 's';
  if (typeof value === 'boolean') return 'b';
  if (typeof value === 'bigint') return 'l';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 'i' : 'f';
  return value instanceof Date ? 'd' : undefined;
}

/** A value as Postgres reads it, whatever the time zone of the session. */
function storable(value: unknown): unknown {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw new Unsupported('text');
  // Beside a larger number in a list, Prisma rounds the others.
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new Unsupported('number');
  if (!(value instanceof Date)) return value;
  const year = value.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new Unsupported('date');
  return value.toISOString();
}

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
