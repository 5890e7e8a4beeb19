import { createHash } from 'node:crypto';
import { KeptSelection } from '../values.js';

/** A call that the reader does not know for sure: Prisma's client executes it. */
export class UnknownCall extends Error {}

export interface Column {
  name: string;
  /** As in Prisma; `Enum` for an enum; `Other` for what the reader does not know, such as lists. */
  type: string;
  isNullable: boolean;
  values?: string[];
  /** What the schema says of it. */
  about?: string;
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

/** The shape of a call: its arguments without the values, so that what is compiled from it cannot depend on one. */
export interface Arguments {
  where?: Filter;
  select?: Selection | ReadSelection;
  orderBy?: Term[];
  take?: number;
}

export type Selection = { [field: string]: true | Arguments };

export type Filter = { [name: string]: Condition };

export type Condition = Parameter | null | Filter | Filter[];

type Term = [field: string, direction: 'asc' | 'desc'];

/** What stands for a value, or for a list of texts, of a call. */
export class Parameter {
  constructor(
    readonly type: 'text' | 'integer',
    readonly isList: boolean,
    /** Among the values of the call. */
    readonly position: number,
  ) {}
}

/** A call, with its values apart: calls with one key differ only in these. */
export interface Call {
  key: string;
  args: Arguments;
  values: unknown[];
}

/** What the record says of a name that a caller may have chosen, such as `constructor`. */
export const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Reads the arguments of a call. Throws UnknownCall at anything it does not know for sure. */
export function callOf(given: object): Call {
  const values = new Values();
  const args = argumentsOf(given, values);
  return { key: JSON.stringify(args), args, values: values.all };
}

function argumentsOf(given: unknown, values: Values): Arguments {
  const args: Arguments = {};
  for (const [name, value] of entriesOf(given)) {
    if (name === 'where') args.where = filterOf(value, values);
    else if (name === 'select') args.select = selectionOf(value, values);
    else if (name === 'orderBy') args.orderBy = orderOf(value);
    else if (name === 'take') args.take = takeOf(value);
    else throw new UnknownCall();
  }
  return args;
}

function selectionOf(given: unknown, values: Values): Selection | ReadSelection {
  if (given instanceof KeptSelection) return values.beginWith(given);
  const selected = entriesOf(given).filter(([, value]) => value !== false);
  return Object.fromEntries(selected.map(([name, value]) => [name, value === true || argumentsOf(value, values)]));
}

function orderOf(given: unknown): Term[] {
  const order = (Array.isArray(given) ? given : [given]).map((term): Term => {
    const [[field, direction] = [], ...others] = entriesOf(term);
    if (field === undefined || others.length > 0 || (direction !== 'asc' && direction !== 'desc')) {
      throw new UnknownCall();
    }
    return [field, direction];
  });
  // The first counts of those that name a field twice.
  return order.filter(([field], index) => order.findIndex(([other]) => other === field) === index);
}

function takeOf(given: unknown): number {
  if (!Number.isInteger(given) || Number(given) < 0) throw new UnknownCall();
  return Number(given);
}

function filterOf(given: unknown, values: Values): Filter {
  return Object.fromEntries(entriesOf(given).map(([name, value]) => [name, conditionOf(value, values, name)]));
}

function conditionOf(value: unknown, values: Values, name: string): Condition {
  if (value === null) return null;
  if (Array.isArray(value)) return listOf(value, values);
  const type = typeOf(value);
  return type === undefined ? filterOf(value, values) : new Parameter(type, false, values.add(value, name));
}

/** Either filters, as under OR, or the texts of one parameter. */
const listOf = (list: unknown[], values: Values): Condition =>
  list.every((item) => typeOf(item) === 'text')
    ? new Parameter('text', true, values.add(list))
    : list.map((item) => filterOf(item, values));

/** What a plain object says. Prisma ignores what is undefined. */
function entriesOf(object: unknown): [string, unknown][] {
  if (typeof object !== 'object' || object === null || Object.getPrototypeOf(object) !== Object.prototype) {
    throw new UnknownCall();
  }
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

/** The values of a call, in the order of its arguments. */
class Values {
  all: unknown[] = [];
  company: number | undefined;

  /** Adds a value, and returns its position. The company, which conditions repeat, is one value. */
  add(value: unknown, name?: string): number {
    const isCompany = name === 'companyId';
    if (isCompany && this.company !== undefined && this.all[this.company] === value) return this.company;
    const position = this.all.push(value) - 1;
    if (isCompany) this.company ??= position;
    return position;
  }

  /** Begins with the values of a selection that was read before, as they are in this call. */
  beginWith(kept: KeptSelection): ReadSelection {
    if (this.all.length > 0) throw new UnknownCall();
    const read = readOnce(kept);
    this.all = read.values.map((value) => (Array.isArray(value) ? value.map(kept.valueOf) : kept.valueOf(value)));
    this.company = read.company;
    return read;
  }
}

/** A selection that is kept, as the reader has read it. In the key of a call, its digest stands for it. */
export class ReadSelection {
  readonly #digest: string;

  constructor(
    readonly selection: Selection,
    readonly values: readonly unknown[],
    readonly company: number | undefined,
  ) {
    this.#digest = createHash('sha256').update(JSON.stringify(selection)).digest('base64');
  }

  toJSON(): string {
    return this.#digest;
  }
}

const kept = new WeakMap<object, ReadSelection>();

function readOnce({ template }: KeptSelection): ReadSelection {
  let read = kept.get(template);
  if (!read) {
    const values = new Values();
    read = new ReadSelection(selectionOf(template, values) as Selection, values.all, values.company);
    kept.set(template, read);
  }
  return read;
}

/** The type of a value; undefined for what may be a filter. */
function typeOf(value: unknown): Parameter['type'] | undefined {
  // PostgreSQL takes no other.
  if (typeof value === 'string' && !value.includes('\0') && value.isWellFormed()) return 'text';
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? 'integer' : undefined;
}
