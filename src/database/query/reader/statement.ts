import { conditionsOf } from './filter.js';
import type { Model, Models } from './models.js';
import { orderOf } from './order.js';
import { Scope } from './scope.js';
import { selectionOf } from './selection.js';
import { objectOf, own, type Part, type Shape } from './shape.js';
import { Unsupported } from './unsupported.js';

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
