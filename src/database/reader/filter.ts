import type { Column, Model, Models, Relation } from './models.js';
import type { Shape } from './shape.js';
import { Unsupported } from './unsupported.js';

type Part = Shape[string];

/** Rows of a table in the statement. */
export interface Table {
  model: Model;
  alias: string;
}

/** What the parts of one statement share. */
export class Scope {
  readonly models: Models;
  /** The parameter with the company, which every table of the statement is bound to. */
  readonly company: string;
  /** For each value that must be one of an enum: its position and the enum's values. */
  readonly enums: [position: number, values: readonly string[]][] = [];
  #tables = 0;

  constructor(models: Models, company: string) {
    this.models = models;
    this.company = company;
  }

  table(name: string): Table {
    const model = this.models[name];
    if (!model?.columns.companyId) throw new Unsupported(`${name} has no company`);
    const alias = `t${this.#tables}`;
    this.#tables += 1;
    return { model, alias };
  }

  /** The table with only the company's rows, and the conditions that follow. */
  from({ model, alias }: Table, conditions: string[]): string {
    const bound = `${columnOf(alias, model, 'companyId')} = ${this.company}`;
    const others = new Set(conditions.filter((condition) => condition !== bound));
    return `FROM ${quoted(model.table)} ${alias} WHERE ${[bound, ...others].join(' AND ')}`;
  }

  /** What makes a row of `there` one of the row of `here`. The company of both is a value, which says more. */
  join(relation: Relation, here: Table, there: Table): string[] {
    const pairs = relation.on.filter(([own, other]) => own !== 'companyId' || other !== 'companyId');
    if (pairs.length === 0 || pairs.length === relation.on.length) throw new Unsupported('a relation across companies');
    return pairs.map(
      ([own, other]) => `${columnOf(there.alias, there.model, other)} = ${columnOf(here.alias, here.model, own)}`,
    );
  }

  /** The conditions that a filter says, of which there is at least one. */
  filter(table: Table, filter: Part | undefined): string[] {
    const entries = Object.entries(objectOf(filter));
    if (entries.length === 0) throw new Unsupported('an empty filter');
    return entries.flatMap(([name, part]) => this.#condition(table, name, part));
  }

  #condition(table: Table, name: string, part: Part): string[] {
    const { model, alias } = table;
    if (name === 'OR') {
      if (!Array.isArray(part)) throw new Unsupported('OR');
      return [`(${part.map((item) => `(${this.filter(table, item).join(' AND ')})`).join(' OR ')})`];
    }
    const column = own(model.columns, name);
    if (column) return this.#comparisons(`${alias}.${quoted(column.name)}`, column, part);
    const relation = own(model.relations, name);
    if (!relation) throw new Unsupported(name);
    return this.#existence(table, relation, part);
  }

  #comparisons(sql: string, column: Column, part: Part): string[] {
    if (part === null || typeof part === 'string') return [this.#comparison(sql, column, 'equals', part)];
    const operators = Object.entries(objectOf(part));
    if (operators.length === 0) throw new Unsupported('an empty filter');
    return operators.map(([operator, value]) => this.#comparison(sql, column, operator, value));
  }

  #comparison(sql: string, column: Column, operator: string, part: Part): string {
    if (part === null) {
      if (!column.isNullable) throw new Unsupported('null in a required column');
      if (operator === 'equals') return `${sql} IS NULL`;
      if (operator === 'not') return `${sql} IS NOT NULL`;
    }
    if (operator === 'in') return `${sql} = ANY(${this.parameter(column, part, '[]')})`;
    const symbol = own(symbols, operator);
    const isOrder = operator !== 'equals';
    if (symbol === undefined || (isOrder && !ordered.has(column.type))) throw new Unsupported(operator);
    return `${sql} ${symbol} ${this.parameter(column, part)}`;
  }

  #existence(here: Table, relation: Relation, part: Part): string[] {
    const filters = objectOf(part);
    const isWrapped = relation.isList || Object.hasOwn(filters, 'is') || Object.hasOwn(filters, 'isNot');
    const there = (filter: Part) => {
      const table = this.table(relation.model);
      return `EXISTS (SELECT ${this.from(table, [...this.join(relation, here, table), ...this.filter(table, filter)])})`;
    };
    if (!isWrapped) return [there(filters)];
    const operators = Object.entries(filters);
    if (operators.length === 0) throw new Unsupported('an empty filter');
    return operators.map(([operator, filter]) => {
      if (operator === (relation.isList ? 'some' : 'is')) return there(filter);
      if (operator === 'none' && relation.isList) return `NOT ${there(filter)}`;
      throw new Unsupported(operator);
    });
  }

  /** The placeholder of a value, which must be of the column's type. */
  parameter(column: Column, part: Part | undefined, list = ''): string {
    const [, type = '', brackets, position = ''] =
      typeof part === 'string' ? (/^(\w)(\[\])?(\d+)$/.exec(part) ?? []) : [];
    if (!own(letters, column.type)?.includes(type) || type === '' || (brackets ?? '') !== list) {
      throw new Unsupported(`a value of ${column.type}`);
    }
    if (column.values) this.enums.push([Number(position), column.values]);
    return `$${Number(position) + 1}`;
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

const symbols: Record<string, string> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const ordered = new Set(['String', 'Int', 'Float', 'BigInt', 'DateTime']);

export const quoted = (name: string) => `"${name}"`;

export function columnOf(alias: string, { columns }: Model, name: string): string {
  const column = own(columns, name);
  if (!column) throw new Unsupported(name);
  return `${alias}.${quoted(column.name)}`;
}

export const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export function objectOf(part: Part | undefined): Shape {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) throw new Unsupported('not an object');
  return part;
}
