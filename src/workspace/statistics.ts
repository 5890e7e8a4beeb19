import { type Database, sql } from '../platform/postgres/index.js';
import type { ImportReport } from './report.js';
import { type Table, tables } from './tables.js';

/** If it fails, PostgreSQL does it by itself. */
async function analyze(db: Database, wanted: readonly Table[]): Promise<void> {
  const all = async () => {
    for (const table of wanted) await db.$executeRaw`SELECT analyze_table(${table}::regclass)`;
  };
  await all().catch(() => {});
}

/** Counts tables that nobody has counted, as after an upgrade: PostgreSQL would read all rows of a company for each. */
export async function analyzeUncounted(db: Database): Promise<void> {
  const rows = await db.$queryRaw<{ name: Table }[]>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND reltuples < 0 AND relname = ANY (${[...tables]}::text[])`);
  await analyze(
    db,
    rows.map(({ name }) => name),
  );
}

/** Counts tables with many new rows: the planner must know that they have grown. */
export const analyzeGrown = (db: Database, report: ImportReport): Promise<void> =>
  analyze(
    db,
    tables.filter((table) => report.isNew || report.tables[table].added + report.tables[table].changed > 10_000),
  );
