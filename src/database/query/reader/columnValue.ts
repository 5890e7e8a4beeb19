import { columnOf, type ReadTable } from './scope.js';
import { own } from './shape.js';
import { Unsupported } from './unsupported.js';

/** Makes what Prisma returns of what Postgres says in JSON. */
export type Make = (json: unknown) => unknown;

/** SQL for a value in JSON, and how that becomes what Prisma returns. */
export interface Selection {
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
export function columnValue(table: ReadTable, name: string, type: string): Selection {
  const make = own(makes, type);
  if (!make) throw new Unsupported(type);
  const sql = columnOf(table, name);
  return { sql: own(spelled, type)?.(sql) ?? sql, make };
}
