import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { DatabaseError } from '../error.js';
import { withClient } from '../servers/withClient.js';
import { applyMigration, hasLostALock } from './applyMigration.js';
import { checksum, type Migration, newerVersionNeededBy, readMigrations } from './migrationFiles.js';

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

export interface MigrateOptions {
  /** How long to try again while other transactions hold the locks that a migration needs. */
  patienceMilliseconds?: number;
}

const defaultPatience = 300_000;
const turnMilliseconds = 60_000;

/**
 * Applies the pending migrations of `directory`, one after the other, and returns their names. Several processes may call
 * it at once, while gateways serve. Throws a DatabaseError; a migration that fails is rolled back.
 */
export function applyMigrations(
  connectionString: string,
  directory: string,
  { patienceMilliseconds = defaultPatience }: MigrateOptions = {},
): Promise<string[]> {
  return withClient(connectionString, 'migrate', async (client, connect) => {
    const applied: string[] = [];
    let turnEnds = Date.now() + turnMilliseconds;
    let patienceEnds = Date.now() + patienceMilliseconds;
    for (;;) {
      const [next] = await findPending(client, directory);
      if (!next) return applied;
      try {
        if (await applyMigration(client, next, connect, () => isPending(client, directory, next))) {
          applied.push(next.name);
          patienceEnds = Date.now() + patienceMilliseconds;
          turnEnds = Date.now() + turnMilliseconds;
          continue;
        }
      } catch (error) {
        if (!hasLostALock(error)) throw error;
        if (Date.now() > patienceEnds) throw new DatabaseError(noLock(next));
        await sleep(Math.min(1_000 + Math.random() * 2_000, patienceMilliseconds));
        turnEnds = Date.now() + turnMilliseconds;
        continue;
      }
      if (Date.now() > turnEnds) throw new DatabaseError(noTurn);
      await sleep(50 + Math.random() * 100);
    }
  });
}

const noTurn = 'Another process has held the migration lock for a minute. Wait for it, or stop it.';
const noLock = ({ name }: Migration) =>
  `Migration ${name} needs a lock that other transactions hold. Nothing of it was changed. ` +
  'Wait for long transactions to end (see pg_stat_activity), then run "npx goalpost migrate" again.';

/** The names of the migrations that `applyMigrations` would apply. Throws the same errors. */
export function pendingMigrations(connectionString: string, directory: string): Promise<string[]> {
  return withClient(connectionString, 'read which migrations the database has had', async (client) => {
    const pending = await findPending(client, directory);
    return pending.map(({ name }) => name);
  });
}

const isPending = async (client: Client, directory: string, { name }: Migration) =>
  (await findPending(client, directory))[0]?.name === name;

/** What the database lacks. It may have migrations of newer versions, as long as this version can run on them. */
async function findPending(client: Client, directory: string): Promise<Migration[]> {
  const migrations = await readMigrations(directory).catch((error) => {
    throw new DatabaseError(`Cannot read the migrations: ${error.message}`);
  });
  // From the table of tables: within a transaction, to_regclass may still say what it said before another committed.
  const table = await client.query(
    "SELECT FROM pg_class WHERE relname = '_prisma_migrations' AND pg_table_is_visible(oid)",
  );
  if (!table.rowCount) return migrations;

  const query = 'SELECT * FROM _prisma_migrations WHERE rolled_back_at IS NULL';
  const { rows } = await client.query<AppliedRow>(query);
  for (const row of rows) {
    const problem = problemWith(row, migrations);
    if (problem) throw new DatabaseError(`Migration ${row.migration_name} ${problem}`);
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !applied.has(name));
}

function problemWith(row: AppliedRow, migrations: Migration[]): string | undefined {
  const migration = migrations.find(({ name }) => name === row.migration_name);
  if (!migration) return newerProblem(row.migration_name);
  if (!row.finished_at) return 'failed half-way. Repair the database, then run "prisma migrate resolve".';
  if (checksum(migration.sql) !== row.checksum) return 'was edited after it was applied. Restore its file.';
  return undefined;
}

function newerProblem(name: string): string | undefined {
  const needed = newerVersionNeededBy(name);
  return needed && `is in the database, and needs version ${needed} of the program. Start that version or a newer one.`;
}
