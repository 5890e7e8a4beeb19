import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, rawSql, type Sql, sql } from '../postgres/index.js';

interface OldRows {
  tenants: string;
  table: string;
  /** The columns of its key besides `company_id`. */
  key: readonly string[];
  /** The column that says how old a row is. */
  time: string;
  /** Rows of this moment and before are deleted. */
  until: Sql;
  /** The most rows that one statement deletes. */
  batch: number;
}

/** Deletes old rows, company by company, the oldest first, except those that are locked. Returns their number. */
export async function purgeRows(db: Database, { tenants, table, key, time, until, batch }: OldRows): Promise<number> {
  const rows = rawSql(table);
  const isOld = sql`r.${rawSql(time)} <= ${until}`;
  const columns = rawSql(key.map((column) => `r.${column}`).join());
  const isSame = rawSql(key.map((column) => `r.${column} = batch.${column}`).join(' AND '));
  const companies = await db.$queryRaw<{ id: string }[]>(sql`
    SELECT c.id FROM ${rawSql(tenants)} c
    WHERE EXISTS (SELECT ${columns} FROM ${rows} r WHERE r.company_id = c.id AND ${isOld})`);
  let purged = 0;
  for (const { id } of companies) {
    for (let count = batch; count === batch; purged += count) {
      // As a step, not as `IN (SELECT …)`: that may run again for each row, and find others each time.
      count = await db.$executeRaw(sql`
        WITH batch AS MATERIALIZED (
          SELECT ${columns} FROM ${rows} r WHERE r.company_id = ${id} AND ${isOld}
          ORDER BY r.${rawSql(time)} LIMIT ${batch}::integer FOR UPDATE SKIP LOCKED
        )
        DELETE FROM ${rows} r USING batch WHERE r.company_id = ${id} AND ${isSame}`);
    }
  }
  return purged;
}

const purgeEvery = 10 * 60_000;
const stopMilliseconds = 2_000;

/** Runs the purges now and every ten minutes. What it returns stops them, and waits up to two seconds for a running one. */
export function purgeRegularly(
  purges: readonly (() => Promise<unknown>)[],
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const start = () => {
    for (const purge of purges) running = running.then(purge).catch(onError);
  };
  start();
  const timer = setInterval(start, purgeEvery).unref();
  return async () => {
    clearInterval(timer);
    await Promise.race([running, sleep(stopMilliseconds, undefined, { ref: false })]);
  };
}
