import type { ColumnTypeEnum, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Prisma } from '../../generated/client/client.js';
import type { Connection } from './read.js';

type Types = typeof ColumnTypeEnum;
type Make = (value: unknown) => unknown;

const asIs: Make = (value) => value;
const asDate: Make = (value) => new Date(String(value));
const asBigInt: Make = (value) => BigInt(String(value));

/** How the types of a raw query's columns become what Prisma returns. A query of another type fails. */
const makes: Record<number, Make> = {
  [0 satisfies Types['Int32']]: asIs,
  [1 satisfies Types['Int64']]: asBigInt,
  [2 satisfies Types['Float']]: asIs,
  [3 satisfies Types['Double']]: asIs,
  [5 satisfies Types['Boolean']]: asIs,
  [7 satisfies Types['Text']]: asIs,
  [8 satisfies Types['Date']]: asDate,
  [10 satisfies Types['DateTime']]: asDate,
  [15 satisfies Types['Uuid']]: asIs,
  [64 satisfies Types['Int32Array']]: asIs,
  [69 satisfies Types['BooleanArray']]: asIs,
  [71 satisfies Types['TextArray']]: asIs,
};

const unknown = { scalarType: 'unknown', arity: 'scalar' } as const;

/** SQL as it is, for a connection. */
export function rawStatement({ text, values }: Prisma.Sql): SqlQuery {
  const args = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return { sql: text, args, argTypes: args.map(() => unknown) };
}

/** Runs SQL as it is, and returns its rows as Prisma would. */
export async function rawRows(connection: Connection, sql: Prisma.Sql): Promise<object[]> {
  const found = await connection.queryRaw(rawStatement(sql));
  const columns = found.columnNames.map((name, index) => ({ name, make: makeOf(found.columnTypes[index] as number) }));
  return found.rows.map((values) => {
    const row: Record<string, unknown> = {};
    columns.forEach(({ name, make }, index) => {
      const value = values[index];
      row[name] = value === null ? null : make(value);
    });
    return row;
  });
}

function makeOf(type: number): Make {
  const make = makes[type];
  if (!make) throw new Error(`raw queries do not read columns of type ${type}`);
  return make;
}
