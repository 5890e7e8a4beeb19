import { textListOf } from '../textList.js';
import type { Column, Relation } from './models.js';
import { columnOf, type ReadTable, type Scope } from './scope.js';
import { objectOf, own, type Part } from './shape.js';
import { Unsupported } from './unsupported.js';

/** The conditions that a filter says about a table's rows, of which there is at least one. */
export function conditionsOf(scope: Scope, table: ReadTable, filter: Part | undefined): string[] {
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
