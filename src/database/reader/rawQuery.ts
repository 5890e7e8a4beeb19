import type { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { Prisma } from '../generated/client/client.js';
import type { Connection } from './reader.js';

type Types = typeof ColumnTypeEnum;
type Make = (value: unknown) => unknown;

const unknown = { scalarType: 'unknown', arity: 'scalar' } as const;

const int64: Types['Int64'] = 1;
const date: Types['Date'] = 8;
const dateTime: Types['DateTime'] = 10;
/** Numbers, texts, booleans and lists of them, which `pg` returns as Prisma does. */
const asTheyAre: number[] = [0, 2, 3, 5, 7, 15, 64, 69, 71] satisfies Types[keyof Types][];

/** Runs SQL as it is, and returns its rows as Prisma would. */
export async function rawRows(connection: Connection, { text, values }: Prisma.Sql): Promise<object[]> {
  const args = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  const found = await connection.queryRaw({ sql: text, args, argTypes: args.map(() => unknown) });
  const { columnNames: names, rows } = found;
  const makes = found.columnTypes.map(makeOf);
  return rows.map((row) =>
    Object.fromEntries(row.map((value, index) => [names[index], value === null ? null : makes[index]?.(value)])),
  );
}

function makeOf(type: number): Make {
  if (type === dateTime || type === date) return (value) => new Date(String(value));
  if (type === int64) return (value) => BigInt(String(value));
  if (asTheyAre.includes(type)) return (value) => value;
  throw new Error(`column type ${type} is not read by raw queries`);
}
