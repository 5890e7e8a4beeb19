import { Prisma } from '../../database/generated/client/client.js';
import type { Database } from '../../database/query/client.js';

/**
 * Deletes the attempts of more than that many days ago, by the clock of the database, company by company and in batches.
 * Returns their number.
 */
export async function purgeAttempts(db: Database, days: number, batch = 1000): Promise<number> {
  const old = (attempts: string) =>
    Prisma.sql`${Prisma.raw(attempts)}.attempted_at < now() - make_interval(days => ${days}::integer)`;
  const companies = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT c.id FROM companies c
    WHERE EXISTS (SELECT a.id FROM webhook_attempts a WHERE a.company_id = c.id AND ${old('a')})`);
  let purged = 0;
  for (const { id } of companies) {
    for (let count = batch; count === batch; purged += count) {
      count = await db.$executeRaw(Prisma.sql`
        WITH batch AS MATERIALIZED (
          SELECT a.id FROM webhook_attempts a WHERE a.company_id = ${id} AND ${old('a')}
          ORDER BY a.attempted_at LIMIT ${batch}::integer FOR UPDATE SKIP LOCKED
        )
        DELETE FROM webhook_attempts a USING batch WHERE a.company_id = ${id} AND a.id = batch.id`);
    }
  }
  return purged;
}
