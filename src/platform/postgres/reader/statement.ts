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

  const scope = new Scope(models, placeholder(company.position));
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
  if (fields.length !== Object.keys(values).length || !fields.every((field) => isValue(values[field])))
    throw new UnknownCall();
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
const chosen = ({ model }: ReadTable, { select }: Arguments): Selection =>
  select ? fieldsOf(select) : Object.fromEntries(Object.keys(model.columns).map((name) => [name, true as const]));

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
  return [existence(scope, table, relation, part)];
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
  if (part === null && column.isNullable && (operator === 'equals' || operator === 'not'))
    return `${sql} IS ${operator === 'not' ? 'NOT ' : ''}NULL`;
  if (operator === 'in' && column.type === 'String')
    return `${sql} = ANY(${textListOf(scope.parameter(column, part, true))})`;
  if (operator === 'in' && column.type === 'Enum') return `${sql} = ANY(${scope.parameter(column, part, true)})`;
  if (operator === 'equals') return `${sql} = ${scope.parameter(column, part)}`;
  if (operator === 'gte' && column.type === 'Int') return `${sql} >= ${scope.parameter(column, part)}`;
  throw new UnknownCall();
}

function existence(scope: Scope, here: ReadTable, relation: Relation, filters: Filter): string {
  const [[operator, filter] = [], ...others] = entriesOf(filters);
  const there = scope.table(relation.model);
  const some = relation.isList ? filter : filters;
  if (relation.isList ? operator !== 'some' || others.length > 0 : operator === 'is' || operator === 'isNot')
    throw new UnknownCall();
  if (!isFilter(some)) throw new UnknownCall();
  const conditions = [...scope.join(relation, here, there), ...conditionsOf(scope, there, some)];
  // OFFSET: looked up for each row. A semi-join is planned badly while PostgreSQL believes that a table has few rows.
  return `EXISTS (SELECT ${scope.from(there, conditions)} OFFSET 0)`;
}

/** An empty filter means something else in each place. */
function entriesOf(filter: Filter): [string, Condition][] {
  const entries = Object.entries(filter);
  if (entries.length === 0) throw new UnknownCall();
  return entries;
}

/** The order of the rows, and how many of them there may be, which the order must decide. */
function orderOf(table: ReadTable, { orderBy = [], take }: Arguments): string {
  const isDecided = table.model.key.every((key) => key === 'companyId' || orderBy.some(([field]) => field === key));
  if (take !== undefined && !isDecided) throw new UnknownCall();
  const order = orderBy.map(([field, direction]) => `${columnOf(table, field)} ${direction}`).join(', ');
  return `${order && `ORDER BY ${order}`}${take === undefined ? '' : ` LIMIT ${take}`}`;
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
};

/** A column's value, as JSON has it and as Prisma returns it. */
function columnValue(table: ReadTable, name: string, type: string): Selected {
  const make = own(makes, type);
  if (!make) throw new UnknownCall();
  const sql = columnOf(table, name);
  // A number in JSON would lose digits.
  return { sql: type === 'BigInt' ? `${sql}::text` : sql, make };
}

/** Rows of a table in the statement. */
interface ReadTable {
  model: Model;
  alias: string;
}

/** What the parts of one statement share. */
class Scope {
  #tables = 0;

  constructor(
    private readonly models: Models,
    /** The placeholder of the company, to which every table of the statement is bound. */
    private readonly company: string,
  ) {}

  table(name: string): ReadTable {
    const model = modelOf(this.models, name);
    const alias = `t${this.#tables}`;
    this.#tables += 1;
    return { model, alias };
  }

  /** The table with only the company's rows, and only those that meet the conditions. */
  from(table: ReadTable, conditions: string[]): string {
    const bound = `${columnOf(table, 'companyId')} = ${this.company}`;
    const all = new Set([bound, ...conditions]);
    return `FROM ${quoted(table.model.table)} ${table.alias} WHERE ${[...all].join(' AND ')}`;
  }

  /** What makes a row of `there` one of the row of `here`. Both have the company already. */
  join(relation: Relation, here: ReadTable, there: ReadTable): string[] {
    const pairs = relation.on.filter(([own, other]) => own !== 'companyId' || other !== 'companyId');
    if (pairs.length === 0 || pairs.length === relation.on.length) throw new UnknownCall();
    return pairs.map(([own, other]) => `${columnOf(there, other)} = ${columnOf(here, own)}`);
  }

  /** The placeholder of a value, or of a list of texts, which must be of the column's type. */
  parameter({ type }: Column, part: Condition, isList = false): string {
    const taken = type === 'Int' ? 'integer' : type === 'String' || type === 'Enum' ? 'text' : undefined;
    if (!(part instanceof Parameter && part.isList === isList && part.type === taken)) throw new UnknownCall();
    return placeholder(part.position);
  }
}

const placeholder = (position: number) => `$${position + 1}`;

const quoted = (name: string) => `"${name}"`;

function columnOf({ alias, model }: ReadTable, name: string): string {
  const column = own(model.columns, name);
  if (!column) throw new UnknownCall();
  return `${alias}.${quoted(column.name)}`;
}
