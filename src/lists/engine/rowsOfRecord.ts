import { Prisma } from '../../database/generated/client/client.js';
import type { Actor } from '../../policies/access.js';
import { type CursorKind, eachOf, type List } from './list.js';

interface Rows extends CursorKind {
  table: string;
  /** The column with the id of the record in the scope. */
  of: string;
  /** The column to order by. It is null for rows that are not in the list. */
  by: string;
}

/** The rows of a table that belong to each record in the scopes, newest first. */
export function rowsOfRecord({ companyId }: Actor, { table, of, by, ...cursor }: Rows): List {
  const [key, id] = [Prisma.raw(`r.${by}`), Prisma.sql`r.id`];
  return {
    ...cursor,
    descending: true,
    branches: (scopes, walk) => [
      Prisma.sql`SELECT scope.id AS scope, 0 AS rank, ${key} AS key, r.id
        FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
          SELECT ${key}, r.id FROM ${Prisma.raw(table)} r
          WHERE r.company_id = ${companyId} AND r.${Prisma.raw(of)} = scope.id AND ${key} IS NOT NULL ${walk({ key, id })}
        ) r`,
    ],
  };
}
