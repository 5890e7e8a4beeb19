import { textListOf } from '../values.js';
import {
  type Column,
  type Model,
  type Models,
  objectOf,
  own,
  type Part,
  type Relation,
  type Shape,
  Unsupported,
} from './shape.js';

export type Method = 'findUnique' | 'findUniqueOrThrow' | 'findFirst' | 'findMany';

/** What all calls of one shape have in common. */
export interface ReadStatement {
  sql: string;
  /** For each value that must be one of an enum: its position and the enum's values. */
  enums: readonly [position: number, values: readonly string[]][];
  /** Makes a row of what PostgreSQL returns. */
  make: (json: unknown) => unknown;
  /** Once it has stood in another statement. */
  parts?: { texts: readonly string[]; positions: readonly number[] };
}

/** The statement for a call. Throws Unsupported if Prisma might return something else. */
export function statementOf(models: Models, name: string, method: Method, shape: Shape): ReadStatement {
  const model = own(models, name);
  if (!model) throw new Unsupported(name);
  const isLookUp = method.startsWith('findUnique');
  const where = isLookUp ? uniqueOf(model, objectOf(shape.where)) : objectOf(shape.where);
  const company = positionOf(where.companyId);
  if (company === undefined) throw new Unsupported('no company');
  if (method !== 'findMany' && shape.take !== undefined) throw new Unsupported('take');
  if (isLookUp && shape.orderBy !== undefined) throw new Unsupported('orderBy');

  const scope = new Scope(models, company);
  const table = scope.table(name);
  const { sql, make } = selectionOf(scope, table, shape);
  const from = scope.from(table, conditionsOf(scope, table, where));
  const limit = method === 'findFirst' ? 'LIMIT 1' : '';
  const text = [`SELECT ${sql} ${from}`, orderOf(table, shape), limit].filter(Boolean).join(' ');
  return { sql: text, enums: scope.enums, make };
}

/** The position of a text. */
function positionOf(part: Part | undefined): number | undefined {
  const [, position] = typeof part === 'string' ? (/^s(\d+)$/.exec(part) ?? []) : [];
  return position === undefined ? undefined : Number(position);
}

/** The filter of a look-up by a unique key, such as `companyId_id`, which it must name as a whole. */
function uniqueOf(model: Model, where: Shape): Shape {
  const [[key, part] = [], ...others] = Object.entries(where);
  const fields = key === undefined ? undefined : own(model.uniques, key);
  if (key === undefined || !fields || others.length > 0) throw new Unsupported('not one unique key');
  const values = objectOf(part);
  const isWhole =
    fields.length === Object.keys(values).length && fields.every((field) => typeof values[field] === 'string');
  if (!isWhole) throw new Unsupported('not a whole key');
  return values;
}

/** A function of Postgres takes no more arguments. */
const mostParts = 100;

/** What the arguments select of a table's rows. */
function selectionOf(scope: Scope, table: ReadTable, args: Shape): Selection {
  const parts: [name: string, part: Selection][] = [];
  for (const [name, part] of Object.entries(chosen(table, args))) {
    const column = own(table.model.columns, name);
    if (column && part !== true) throw new Unsupported(name);
    parts.push([name, column ? columnValue(table, name, column.type) : nested(scope, table, name, part)]);
  }
  if (parts.length === 0 || parts.length > mostParts) throw new Unsupported(`${parts.length} columns`);
  const names = parts.map(([name]) => name);
  const makes = parts.map(([, { make }]) => make);
  return {
    sql: `json_build_array(${parts.map(([, { sql }]) => sql).join(', ')})`,
    make: (json) => {
      if (json === null) return null;
      const values = json as unknown[];
      const row: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index += 1) {
        row[names[index] as string] = (makes[index] as Make)(values[index]);
      }
      return row;
    },
  };
}

/** Without `select`, all columns. */
function chosen({ model }: ReadTable, { select, include }: Shape): Shape {
  if (select !== undefined && include !== undefined) throw new Unsupported('select and include');
  if (select !== undefined) return objectOf(select);
  const columns = Object.fromEntries(Object.keys(model.columns).map((name) => [name, true as const]));
  return { ...columns, ...(include !== undefined && objectOf(include)) };
}

function nested(scope: Scope, table: ReadTable, name: string, part: Part): Selection {
  if (name === '_count') return counts(scope, table, objectOf(part));
  const relation = own(table.model.relations, name);
  if (!relation) throw new Unsupported(name);
  const args = part === true ? {} : objectOf(part);
  return relation.isList ? rows(scope, table, relation, args) : row(scope, table, relation, args);
}

function row(scope: Scope, here: ReadTable, relation: Relation, args: Shape): Selection {
  if (['where', 'orderBy', 'take'].some((name) => name in args)) throw new Unsupported('arguments of one row');
  const there = scope.table(relation.model);
  const { sql, make } = selectionOf(scope, there, args);
  return { sql: `(SELECT ${sql} ${scope.from(there, scope.join(relation, here, there))})`, make };
}

function rows(scope: Scope, here: ReadTable, relation: Relation, args: Shape): Selection {
  const there = scope.table(relation.model);
  const { sql, make } = selectionOf(scope, there, args);
  const from = `${scope.from(there, related(scope, relation, here, there, args))} ${orderOf(there, args)}`;
  return {
    sql: `(SELECT coalesce(json_agg(r.j), '[]') FROM (SELECT ${sql} AS j ${from}) r)`,
    make: (json) => (json as unknown[]).map(make),
  };
}

function counts(scope: Scope, here: ReadTable, args: Shape): Selection {
  const entries = Object.entries(objectOf(args.select));
  const isPlain = Object.keys(args).length === 1 && entries.length > 0 && entries.length <= mostParts;
  if (!isPlain) throw new Unsupported('_count');
  const parts = entries.map(([name, part]) => {
    const relation = own(here.model.relations, name);
    const filter = part === true ? {} : objectOf(part);
    if (!relation?.isList || Object.keys(filter).some((key) => key !== 'where')) throw new Unsupported('_count');
    const there = scope.table(relation.model);
    return `(SELECT count(*) ${scope.from(there, related(scope, relation, here, there, filter))})`;
  });
  const make: Make = (json) => Object.fromEntries(entries.map(([name], index) => [name, (json as number[])[index]]));
  return { sql: `json_build_array(${parts.join(', ')})`, make };
}

const related = (scope: Scope, relation: Relation, here: ReadTable, there: ReadTable, { where }: Shape) => [
  ...scope.join(relation, here, there),
  ...(where === undefined ? [] : conditionsOf(scope, there, where)),
];

/** The conditions that a filter says about a table's rows, of which there is at least one. */
function conditionsOf(scope: Scope, table: ReadTable, filter: Part | undefined): string[] {
  return entriesOf(filter).flatMap(([name, part]) => condition(scope, table, name, part));
}

function condition(scope: Scope, table: ReadTable, name: string, part: Part): string[] {
  if (name === 'OR') return [either(scope, table, part)];
  const column = own(table.model.columns, name);
  if (column) return comparisons(scope, columnOf(table, name), column, part);
  const relation = own(table.model.relations, name);
  if (!relation) throw new Unsupported(name);
  return existence(scope, table, relation, part);
}

function either(scope: Scope, table: ReadTable, part: Part): string {
  if (!Array.isArray(part)) throw new Unsupported('OR');
  return `(${part.map((filter) => `(${conditionsOf(scope, table, filter).join(' AND ')})`).join(' OR ')})`;
}

function comparisons(scope: Scope, sql: string, column: Column, part: Part): string[] {
  const operators: [string, Part][] = part === null || typeof part === 'string' ? [['equals', part]] : entriesOf(part);
  return operators.map(([operator, value]) => comparison(scope, sql, column, operator, value));
}

function comparison(scope: Scope, sql: string, column: Column, operator: string, part: Part): string {
  if (part === null) return nullness(sql, column, operator);
  if (operator === 'in') {
    const list = scope.parameter(column, part, '[]');
    return `${sql} = ANY(${column.type === 'String' ? textListOf(list) : list})`;
  }
  const symbol = own(symbols, operator);
  const isOrder = operator !== 'equals';
  if (symbol === undefined || (isOrder && !ordered.has(column.type))) throw new Unsupported(operator);
  return `${sql} ${symbol} ${scope.parameter(column, part)}`;
}

function nullness(sql: string, { isNullable }: Column, operator: string): string {
  if (!isNullable) throw new Unsupported('null in a required column');
  if (operator === 'equals') return `${sql} IS NULL`;
  if (operator === 'not') return `${sql} IS NOT NULL`;
  throw new Unsupported(`${operator} null`);
}

function existence(scope: Scope, here: ReadTable, relation: Relation, part: Part): string[] {
  const exists = (filter: Part) => {
    const there = scope.table(relation.model);
    const conditions = [...scope.join(relation, here, there), ...conditionsOf(scope, there, filter)];
    return `EXISTS (SELECT ${scope.from(there, conditions)})`;
  };
  const filters = objectOf(part);
  const isPlain = !relation.isList && !Object.hasOwn(filters, 'is') && !Object.hasOwn(filters, 'isNot');
  if (isPlain) return [exists(filters)];
  return entriesOf(filters).map(([operator, filter]) => {
    if (operator === (relation.isList ? 'some' : 'is')) return exists(filter);
    if (operator === 'none' && relation.isList) return `NOT ${exists(filter)}`;
    throw new Unsupported(operator);
  });
}

/** An empty filter means something else in each place. */
function entriesOf(filter: Part | undefined): [string, Part][] {
  const entries = Object.entries(objectOf(filter));
  if (entries.length === 0) throw new Unsupported('an empty filter');
  return entries;
}

const symbols: Record<string, string> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const ordered = new Set(['String', 'Int', 'Float', 'BigInt', 'DateTime']);

/** The order of the rows, and how many of them there may be, which the order must decide. */
function orderOf(table: ReadTable, { orderBy = [], take }: Shape): string {
  const given = Array.isArray(orderBy) ? orderBy : [objectOf(orderBy)];
  const directions = new Map<string, string>();
  for (const term of given) {
    const [[name, direction] = [], ...others] = Object.entries(objectOf(term));
    if (name === undefined || typeof direction !== 'string' || others.length > 0) throw new Unsupported('order');
    if (!directions.has(name)) directions.set(name, direction);
  }
  const isTotal = table.model.key.every((name) => name === 'companyId' || directions.has(name));
  if (take !== undefined && !isTotal) throw new Unsupported('a cut between equals');
  const order = [...directions].map(([name, direction]) => `${columnOf(table, name)} ${direction}`);
  return [...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []), ...(take ? [`LIMIT ${take}`] : [])].join(' ');
}

/** Makes what Prisma returns of what Postgres says in JSON. */
type Make = (json: unknown) => unknown;

/** SQL for a value in JSON, and how that becomes what Prisma returns. */
interface Selection {
  sql: string;
  make: Make;
}

const asIs: Make = (json) => json;

const makes: Record<string, Make> = {
  String: asIs,
  Enum: asIs,
  Int: asIs,
  Boolean: asIs,
  // JSON has no NaN and no infinity, so Postgres writes them as text.
  Float: (json) => (json === null ? null : Number(json)),
  BigInt: (json) => (json === null ? null : BigInt(json as string)),
  DateTime: (json) => (json === null ? null : new Date(json as string)),
  Bytes: (json) => (json === null ? null : Uint8Array.from(Buffer.from(json as string, 'hex'))),
};

/** The types whose columns JSON would not have as they are. */
const spelled: Record<string, (sql: string) => string> = {
  // A number in JSON would lose digits.
  BigInt: (sql) => `${sql}::text`,
  // The session's `bytea_output` would decide.
  Bytes: (sql) => `encode(${sql}, 'hex')`,
};

/** A column's value, as JSON has it and as Prisma returns it. */
function columnValue(table: ReadTable, name: string, type: string): Selection {
  const make = own(makes, type);
  if (!make) throw new Unsupported(type);
  const sql = columnOf(table, name);
  return { sql: own(spelled, type)?.(sql) ?? sql, make };
}

/** Rows of a table in the statement. */
interface ReadTable {
  model: Model;
  alias: string;
}

/** What the parts of one statement share. */
class Scope {
  /** For each value that must be one of an enum: its position and the enum's values. */
  readonly enums: [position: number, values: readonly string[]][] = [];
  readonly #models: Models;
  readonly #company: string;
  #tables = 0;

  /** `company` is the position of the company, to which every table of the statement is bound. */
  constructor(models: Models, company: number) {
    this.#models = models;
    this.#company = placeholder(company);
  }

  table(name: string): ReadTable {
    const model = own(this.#models, name);
    if (!model?.columns.companyId) throw new Unsupported(`${name} has no company`);
    const alias = `t${this.#tables}`;
    this.#tables += 1;
    return { model, alias };
  }

  /** The table with only the company's rows, and only those that meet the conditions. */
  from(table: ReadTable, conditions: string[]): string {
    const bound = `${columnOf(table, 'companyId')} = ${this.#company}`;
    const all = new Set([bound, ...conditions]);
    return `FROM ${quoted(table.model.table)} ${table.alias} WHERE ${[...all].join(' AND ')}`;
  }

  /** What makes a row of `there` one of the row of `here`. Both have the company already. */
  join(relation: Relation, here: ReadTable, there: ReadTable): string[] {
    const pairs = relation.on.filter(([own, other]) => own !== 'companyId' || other !== 'companyId');
    if (pairs.length === 0 || pairs.length === relation.on.length) throw new Unsupported('a relation across companies');
    return pairs.map(([own, other]) => `${columnOf(there, other)} = ${columnOf(here, own)}`);
  }

  /** The placeholder of a value, which must be of the column's type; with `[]`, of a list of such values. */
  parameter(column: Column, part: Part | undefined, list: '' | '[]' = ''): string {
    const [, type = '', brackets = '', position = ''] =
      typeof part === 'string' ? (/^(\w)(\[\])?(\d+)$/.exec(part) ?? []) : [];
    const isOfType = type !== '' && own(letters, column.type)?.includes(type);
    if (!isOfType || brackets !== list) throw new Unsupported(`a value of ${column.type}`);
    if (column.values) this.enums.push([Number(position), column.values]);
    return placeholder(Number(position));
  }
}

/** What a value of each column may be. Prisma takes more, such as a date as text. */
const letters: Record<string, string> = {
  String: 's',
  Enum: 's',
  Int: 'i',
  Float: 'if',
  BigInt: 'il',
  Boolean: 'b',
  DateTime: 'd',
};

const placeholder = (position: number) => `$${position + 1}`;

const quoted = (name: string) => `"${name}"`;

function columnOf({ alias, model }: ReadTable, name: string): string {
  const column = own(model.columns, name);
  if (!column) throw new Unsupported(name);
  return `${alias}.${quoted(column.name)}`;
}
