import { randomUUID } from 'node:crypto';
import { Prisma } from '../../generated/client/client.js';
import { readOf, type Statements } from './read.js';
import type { ReadStatement } from './statement.js';

/** A row as a JSON value in SQL, and how that becomes what Prisma returns. */
export interface RowInSql {
  sql: Prisma.Sql;
  make: (json: unknown) => unknown;
}

/** What stands for the id until it is known as SQL. */
const idOfRow = randomUUID();

/** The row with an id that another part of the statement finds, if it meets the filter; undefined if it is left to Prisma. */
export function rowAt(
  statements: Statements,
  model: string,
  args: { where: object },
  id: Prisma.Sql,
): RowInSql | undefined {
  const read = readOf(statements, model, 'findMany', { ...args, where: { ...args.where, id: idOfRow } });
  if (!read) return undefined;
  const { texts, positions } = partsOf(read.statement);
  const values = positions.map((position) => (read.values[position] === idOfRow ? id : read.values[position]));
  return { sql: Prisma.sql(texts, ...values), make: read.statement.make };
}

/** The text between the placeholders of a statement, and what value each of them stands for. */
function partsOf(statement: ReadStatement): NonNullable<ReadStatement['parts']> {
  statement.parts ??= {
    texts: statement.sql.split(/\$\d+/),
    positions: [...statement.sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1),
  };
  return statement.parts;
}
