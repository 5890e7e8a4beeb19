import { KeptSelection } from './keptSelection.js';
import { Unsupported } from './unsupported.js';
import { storable, typeOf, Values } from './values.js';

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
export function keptSelection(selection: unknown): KeptSelection {
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
