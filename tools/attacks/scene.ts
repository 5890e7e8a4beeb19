import { readFile } from 'node:fs/promises';
import { openModels } from '../../src/database.js';
import { applyMigrations, migrationsDirectory } from '../../src/platform/administration/migrations.js';
import { createToken } from '../../src/tokens.js';
import { startPostgres } from '../../test/support/postgres.js';
import { query } from '../../test/support/query.js';

export type Scene = Awaited<ReturnType<typeof setScene>>;

/** A PostgreSQL with a company of much data, whose tokens attack, and another company. */
export async function setScene() {
  const postgres = await startPostgres();
  const { url, cpuSeconds } = postgres;
  await applyMigrations(url, migrationsDirectory);
  await query(url, await readFile(new URL('dataset.sql', import.meta.url), 'utf8'));
  const db = openModels({ url, poolSize: 2, preparedStatements: false });
  const issue = async (companyId: string, personId: string, canWrite = false) =>
    (await createToken(db, { companyId, personId, name: 'attack', canWrite })).token;
  const stop = async () => {
    await db.$disconnect();
    await postgres.stop();
  };
  return { url, issue, stop, cpuSeconds };
}
