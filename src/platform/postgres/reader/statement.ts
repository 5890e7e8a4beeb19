import { type Method, textListOf } from '../values.js';
import {
  type Arguments,
  type Column,
  type Condition,
  type Filter,
  type Model,
  type Models,
  own,
  Parameter,
  ReadSelection,
  type Relation,
  type Selection,
  UnknownCall,
  type ValueType,
} from './shape.js';

/** What all calls of one shape have in common. */
export interface ReadStatement {
  sql: string;
  /** Makes a row of what PostgreSQL returns. */
  make: (json: unknown) => unknown;
  /** Once it has stood in another statement. */
  parts?: { texts: readonly string[]; positions: readonly number[] };
}

/** The statement for a call. Throws UnknownCall if Prisma might return something else. */
export function statementOf(models: Models, name: string, method: Method, args: Arguments): ReadStatement {
  const model = modelOf(models, name);
  const isLookUp = method.startsWith('findUnique');
  const where = isLookUp ? uniqueOf(model, args.where ?? {}) : (args.where ?? {});
  const company = where.companyId;
  if (!isText(company)) throw new UnknownCall();
  if (method !== 'findMany' && args.take !== undefined) throw new UnknownCall();
  if (isLookUp && args.orderBy !== undefined) throw new UnknownCall();

  const scope = new Scope(models, company.position);
  const table = scope.table(name);
  const { sql, make } = selectionOf(scope, table, args);
  const from = scope.from(table, conditionsOf(scope, table, where));
  const limit = method.startsWith('findFirst') ? 'LIMIT 1' : '';
  const text = [`SELECT ${sql} ${from}`, orderOf(table, args), limit].filter(Boolean).join(' ');
  return { sql: text, make };
}

function modelOf(models: Models, name: string): Model {
  const model = own(models, name);
  if (!model?.columns.companyId) throw new UnknownCall();
  return model;
}

const isText = (condition: Condition | undefined): condition is Parameter =>
  condition instanceof Parameter && condition.type === 'text' && !condition.isList;

/** The filter of a look-up by a unique key, such as `companyId_id`, which it must name as a whole. */
function uniqueOf(model: Model, where: Filter): Filter {
  const [[key, values] = [], ...others] = Object.entries(where);
  const fields = key === undefined ? undefined : own(model.uniques, key);
  if (!fields || !isFilter(values) || others.length > 0) {
    throw new UnknownCall();
  }
  const isWhole = fields.length === Object.keys(values).length && fields.every((field) => isValue(values[field]));
  if (!isWhole) throw new UnknownCall();
  return values;
}

const isFilter = (condition: Condition | undefined): condition is Filter =>
  typeof condition === 'object' && condition !== null && !Array.isArray(condition) && !(condition instanceof Parameter);

const isValue = (condition: Condition | undefined) => condition instanceof Parameter && !condition.isList;

/** What the arguments select of a table's rows. */
function selectionOf(scope: Scope, table: ReadTable, args: Arguments): Selected {
  const parts: [name: string, part: Selected][] = [];
  for (const [name, part] of Object.entries(chosen(table, args))) {
    const column = own(table.model.columns, name);
    if (column && part !== true) throw new UnknownCall();
    parts.push([name, column ? columnValue(table, name, column.type) : nested(scope, table, name, part)]);
  }
  if (parts.length === 0) throw new UnknownCall();
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
function chosen({ model }: ReadTable, { select, include }: Arguments): Selection {
  if (select && include) throw new UnknownCall();
  if (select) return fieldsOf(select);
  const columns = Object.fromEntries(Object.keys(model.columns).map((name) => [name, true as const]));
  return { ...columns, ...(include && fieldsOf(include)) };
}

const fieldsOf = (given: Selection | ReadSelection): Selection =>
  given instanceof ReadSelection ? given.selection : given;

function nested(scope: Scope, table: ReadTable, name: string, part: true | Arguments): Selected {
  const args = part === true ? {} : part;
  if (name === '_count') return counts(scope, table, args);
  const relation = own(table.model.relations, name);
  if (!relation) throw new UnknownCall();
  return relation.isList ? rows(scope, table, relation, args) : row(scope, table, relation, args);
}

function row(scope: Scope, here: ReadTable, relation: Relation, args: Arguments): Selected {
  if (args.where || args.orderBy || args.take !== undefined) throw new UnknownCall();
  const there = scope.table(relation.model);
  const { sql, make } = selectionOf(scope, there, args);
  return { sql: `(SELECT ${sql} ${scope.from(there, scope.join(relation, here, there))})`, make };
}

function rows(scope: Scope, here: ReadTable, relation: Relation, args: Arguments): Selected {
  const there = scope.table(relation.model);
  const { sql, make } = selectionOf(scope, there, args);
  const from = `${scope.from(there, related(scope, relation, here, there, args))} ${orderOf(there, args)}`;
  return {
    sql: `(SELECT coalesce(json_agg(r.j), '[]') FROM (SELECT ${sql} AS j ${from}) r)`,
    make: (json) => (json as unknown[]).map(make),
  };
}

function counts(scope: Scope, here: ReadTable, args: Arguments): Selected {
  const entries = Object.entries(fieldsOf(args.select ?? {}));
  const isPlain = Object.keys(args).length === 1 && entries.length > 0;
  if (!isPlain) throw new UnknownCall();
  const parts = entries.map(([name, part]) => {
    const relation = own(here.model.relations, name);
    const filter = part === true ? {} : part;
    if (!relation?.isList || Object.keys(filter).some((key) => key !== 'where')) throw new UnknownCall();
    const there = scope.table(relation.model);
    return `(SELECT count(*) ${scope.from(there, related(scope, relation, here, there, filter))})`;
  });
  const make: Make = (json) => Object.fromEntries(entries.map(([name], index) => [name, (json as number[])[index]]));
  return { sql: `json_build_array(${parts.join(', ')})`, make };
}

const related = (scope: Scope, relation: Relation, here: ReadTable, there: ReadTable, { where }: Arguments) => [
  ...scope.join(relation, here, there),
  ...(where && Object.keys(where).length > 0 ? conditionsOf(scope, there, where) : []),
];

/** The conditions that a filter says about a table's rows, of which there is at least one. */
const conditionsOf = (scope: Scope, table: ReadTable, filter: Filter): string[] =>
  entriesOf(filter).flatMap(([name, part]) => condition(scope, table, name, part));

function condition(scope: Scope, table: ReadTable, name: string, part: Condition): string[] {
  if (name === 'OR') return [either(scope, table, part)];
  const column = own(table.model.columns, name);
  if (column) return comparisons(scope, columnOf(table, name), column, part);
  const relation = own(table.model.relations, name);
  if (!relation || !isFilter(part)) throw new UnknownCall();
  return existence(scope, table, relation, part);
}

function either(scope: Scope, table: ReadTable, part: Condition): string {
  if (!Array.isArray(part)) throw new UnknownCall();
  return `(${part.map((filter) => `(${conditionsOf(scope, table, filter).join(' AND ')})`).join(' OR ')})`;
}

function comparisons(scope: Scope, sql: string, column: Column, part: Condition): string[] {
  if (Array.isArray(part)) throw new UnknownCall();
  const operators: [string, Condition][] = isFilter(part) ? entriesOf(part) : [['equals', part]];
  return operators.map(([operator, value]) => comparison(scope, sql, column, operator, value));
}

function comparison(scope: Scope, sql: string, column: Column, operator: string, part: Condition): string {
  if (part === null) return nullness(sql, column, operator);
  if (operator === 'in') {
    const list = scope.parameter(column, part, { isList: true });
    return `${sql} = ANY(${column.type === 'String' ? textListOf(list) : list})`;
  }
  const symbol = own(symbols, operator);
  const isOrder = operator !== 'equals';
  if (symbol === undefined || (isOrder && !ordered.has(column.type))) throw new UnknownCall();
  return `${sql} ${symbol} ${scope.parameter(column, part)}`;
}

function nullness(sql: string, { isNullable }: Column, operator: string): string {
  if (!isNullable) throw new UnknownCall();
  if (operator === 'equals') return `${sql} IS NULL`;
  if (operator === 'not') return `${sql} IS NOT NULL`;
  throw new UnknownCall();
}

function existence(scope: Scope, here: ReadTable, relation: Relation, filters: Filter): string[] {
  const exists = (filter: Condition) => {
    if (!isFilter(filter)) throw new UnknownCall();
    const there = scope.table(relation.model);
    const conditions = [...scope.join(relation, here, there), ...conditionsOf(scope, there, filter)];
    // OFFSET: looked up for each row. A semi-join is planned badly while PostgreSQL believes that a table has few rows.
    return `EXISTS (SELECT ${scope.from(there, conditions)} OFFSET 0)`;
  };
  const isPlain = !relation.isList && !Object.hasOwn(filters, 'is') && !Object.hasOwn(filters, 'isNot');
  if (isPlain) return [exists(filters)];
  return entriesOf(filters).map(([operator, filter]) => {
    if (operator === (relation.isList ? 'some' : 'is')) return exists(filter);
    if (operator === 'none' && relation.isList) return `NOT ${exists(filter)}`;
    throw new UnknownCall();
  });
}

/** An empty filter means something else in each place. */
function entriesOf(filter: Filter): [string, Condition][] {
  const entries = Object.entries(filter);
  if (entries.length === 0) throw new UnknownCall();
  return entries;
}

const symbols: Record<string, string> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const ordered = new Set(['String', 'Int', 'Float', 'BigInt', 'DateTime']);

/** The order of the rows, and how many of them there may be, which the order must decide. */
function orderOf(table: ReadTable, { orderBy = [], take }: Arguments): string {
  const undecided = table.model.key.filter((key) => key !== 'companyId' && !orderBy.some(([field]) => field === key));
  if (take !== undefined && undecided.length > 0) throw new UnknownCall();
  const order = orderBy.map(([field, direction]) => `${columnOf(table, field)} ${direction}`);
  return [
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    ...(take === undefined ? [] : [`LIMIT ${take}`]),
  ].join(' ');
}

type Make = (json: unknown) => unknown;

/** SQL for a value in JSON, and how that becomes what Prisma returns. */
interface Selected {
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
function columnValue(table: ReadTable, name: string, type: string): Selected {
  const make = own(makes, type);
  if (!make) throw new UnknownCall();
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
  readonly #models: Models;
  readonly #company: string;
  #tables = 0;

  /** `company` is the position of the company, to which every table of the statement is bound. */
  constructor(models: Models, company: number) {
    this.#models = models;
    this.#company = placeholder(company);
  }

  table(name: string): ReadTable {
    const model = modelOf(this.#models, name);
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
    if (pairs.length === 0 || pairs.length === relation.on.length) throw new UnknownCall();
    return pairs.map(([own, other]) => `${columnOf(there, other)} = ${columnOf(here, own)}`);
  }

  /** The placeholder of a value, or of a list of values, which must be of the column's type. */
  parameter(column: Column, part: Condition, { isList = false } = {}): string {
    const taken = own(types, column.type) ?? [];
    const isTaken = (type: ValueType) => taken.includes(type) || (type === 'none' && taken.length > 0);
    if (!(part instanceof Parameter && part.isList === isList && isTaken(part.type))) throw new UnknownCall();
    return placeholder(part.position);
  }
}

/** What a value of each column may be. Prisma takes more, such as a date as text. */
const types: Record<string, ValueType[]> = {
  String: ['text'],
  Enum: ['text'],
  Int: ['integer'],
  Float: ['integer', 'number'],
  BigInt: ['integer', 'bigint'],
  Boolean: ['boolean'],
  DateTime: ['date'],
};

const placeholder = (position: number) => `$${position + 1}`;

const quoted = (name: string) => `"${name}"`;

function columnOf({ alias, model }: ReadTable, name: string): string {
  const column = own(model.columns, name);
  if (!column) throw new UnknownCall();
  return `${alias}.${quoted(column.name)}`;
}
