import { Prisma } from '../generated/client/client.js';
import type { Database } from '../query/client.js';

interface OldRows {
  table: string;
  /** The columns of its key besides `company_id`. */
  key: readonly string[];
  /** The column that says how old a row is. */
  time: string;
  /** Rows of this moment and before are deleted. */
  until: Prisma.Sql;
  /** The most rows that one statement deletes. */
  batch: number;
}

/**
 * Deletes old rows, company by company and in batches, the oldest first, except those that another transaction has
 * locked. Returns their number.
 */
export async function purgeRows(db: Database, { table, key, time, until, batch }: OldRows): Promise<number> {
  const rows = Prisma.raw(table);
  const isOld = Prisma.sql`r.${Prisma.raw(time)} <= ${until}`;
  const columns = Prisma.raw(key.map((column) => `r.${column}`).join());
  const isSame = Prisma.raw(key.map((column) => `r.${column} = batch.${column}`).join(' AND '));
  const companies = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT c.id FROM companies c
    WHERE EXISTS (SELECT ${columns} FROM ${rows} r WHERE r.company_id = c.id AND ${isOld})`);
  let purged = 0;
  for (const { id } of companies) {
    for (let count = batch; count === batch; purged += count) {
      // As a step, not as `IN (SELECT …)`: that may run again for each row, and find others each time.
      count = await db.$executeRaw(Prisma.sql`
        WITH batch AS MATERIALIZED (
          SELECT ${columns} FROM ${rows} r WHERE r.company_id = ${id} AND ${isOld}
          ORDER BY r.${Prisma.raw(time)} LIMIT ${batch}::integer FOR UPDATE SKIP LOCKED
        )
        DELETE FROM ${rows} r USING batch WHERE r.company_id = ${id} AND ${isSame}`);
    }
  }
  return purged;
}
