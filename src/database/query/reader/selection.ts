import { columnValue, type Make, type Selection } from './columnValue.js';
import { conditionsOf } from './filter.js';
import type { Relation } from './models.js';
import { orderOf } from './order.js';
import type { ReadTable, Scope } from './scope.js';
import { objectOf, own, type Part, type Shape } from './shape.js';
import { Unsupported } from './unsupported.js';

/** A function of Postgres takes no more arguments. */
const mostParts = 100;

/** What the arguments select of a table's rows. */
export function selectionOf(scope: Scope, table: ReadTable, args: Shape): Selection {
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
