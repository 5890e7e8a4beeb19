import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, escapeIdentifier, type DatabaseError as PgError } from 'pg';
import { fileUrl } from '../../fileSystem.js';
import { version } from '../../version.js';
import { DatabaseError, withClient } from '../postgres/index.js';

/** One folder of prisma/migrations. */
export interface Migration {
  name: string;
  sql: string;
  /** Whether it is one statement that cannot run in a transaction. It may be repeated: nothing undoes its half. */
  isOutside: boolean;
}

export const migrationsDirectory = fileURLToPath(fileUrl('../prisma/migrations'));

const outside = /^-- outside a transaction$/m;

/** The migrations of `directory`, oldest first. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = async (name: string) => {
    const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
    return { name, sql, isOutside: outside.test(sql) };
  };
  return Promise.all(names.sort().map(read));
}

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** The oldest version that can run once a contracting migration is applied; undefined if the migration only expands. */
export const versionNeededBy = (name: string): string | undefined => /_needs_(\d+\.\d+\.\d+)$/.exec(name)?.[1];

/** Whether one version comes before another. Both have the form 1.2.3; what follows does not count. */
export function isOlder(one: string, other: string): boolean {
  const [own, needed] = [one, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  const position = own?.findIndex((number, index) => number !== needed?.[index]) ?? -1;
  return position >= 0 && (own?.[position] ?? 0) < (needed?.[position] ?? 0);
}

// The same lock and table as Prisma's, so that its tools and ours see the same state.
const migrationLock = 72707369;

/** Makes the table of the migrations that a database has had, unless it exists. */
const migrationsTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;
const insertRow = `INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;

/** Read committed: an index that is built concurrently would wait for our snapshot. Waits no longer than a gateway may. */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '500ms'`;

/** Whether a migration was rolled back because others held a lock for too long. It may be tried again. */
const hasLostALock = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string } | undefined)?.code ?? '');

/** Applies a migration if it is still pending. False at once if another process holds the lock: waiting would block indexes. */
async function applyMigration(
  client: Client,
  directory: string,
  migration: Migration,
  connect: () => Promise<Client>,
): Promise<boolean> {
  await client.query(begin);
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [migrationLock]);
    const isOurs = rows[0].locked && (await findPending(client, directory))[0]?.name === migration.name;
    if (isOurs) {
      // Before the migration, which may say who reads it.
      await client.query(migrationsTable);
      await run(migration, migration.isOutside ? await connect() : client);
      await client.query(insertRow, [randomUUID(), migration.name, checksum(migration.sql)]);
    }
    await client.query('COMMIT');
    return isOurs;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw isDenied(error) ? new DatabaseError(notAllowed(migration, error)) : error;
  }
}

const isDenied = (error: unknown): error is PgError => (error as { code?: string }).code === '42501';
const notAllowed = ({ name }: Migration, { message }: Error) =>
  `The database lacks the migration ${name}, and this role may not apply it (${message}). ` +
  'Run "npx goalpost migrate" of this version with the role that owns the tables.';

async function run({ name, sql, isOutside }: Migration, client: Client): Promise<void> {
  try {
    if (isOutside) await prepareOutside(client, sql);
    else if (/^\s*(BEGIN|COMMIT|ROLLBACK)\s*;/im.test(sql))
      throw new Error('it has its own BEGIN or COMMIT, but each file already runs in one transaction');
    await client.query(sql);
  } catch (error) {
    if (hasLostALock(error) || isDenied(error)) throw error;
    const { message, position } = error as Error & { position?: string };
    const line = position ? `line ${sql.slice(0, Number(position)).split('\n').length}: ` : '';
    const outcome = isOutside ? 'failed, and is repeated by the next start' : 'failed and was rolled back';
    throw new DatabaseError(`Migration ${name} ${outcome}: ${line}${message}`);
  }
}

/** A setting of the session would outlive us in a pooler, so the role must not have the limit in the first place. */
async function prepareOutside(client: Client, sql: string): Promise<void> {
  const { rows: limits } = await client.query("SELECT current_setting('statement_timeout') AS timeout");
  if (limits[0].timeout !== '0')
    throw new Error(
      `it may take longer than the statement_timeout of this role (${limits[0].timeout}) allows: use a role without one`,
    );
  // An index whose building was interrupted stays behind, invalid.
  const { rows } = await client.query<{ name: string }>(
    'SELECT c.oid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid',
  );
  const ours = rows.filter(({ name }) => sql.split(/[^\w$."]+/).includes(name));
  for (const { name } of ours) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
}

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

const turnMilliseconds = 60_000;

/**
 * Applies the pending migrations and returns their names. Tries again for so long while other transactions hold the locks
 * that a migration needs. Several processes may call it at once. Throws a DatabaseError.
 */
export function applyMigrations(
  connectionString: string,
  directory: string,
  patienceMilliseconds = 300_000,
): Promise<string[]> {
  return withClient(connectionString, 'migrate', async (client, connect) => {
    const applied: string[] = [];
    let turnEnds = Date.now() + turnMilliseconds;
    let patienceEnds = Date.now() + patienceMilliseconds;
    for (;;) {
      const [next] = await findPending(client, directory);
      if (!next) return applied;
      try {
        if (await applyMigration(client, directory, next, connect)) {
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

/** What the database lacks. It may have migrations of newer versions, as long as this version can run on them. */
async function findPending(client: Client, directory: string): Promise<Migration[]> {
  const migrations = await readMigrations(directory).catch((error) => {
    throw new DatabaseError(`Cannot read the migrations: ${error.message}`);
  });
  // From the table of tables: within a transaction, to_regclass may still say what it said before another committed.
  const found = await client.query(`
    SELECT (current_schemas(false))[1] AS schema, current_user::text AS "user",
      EXISTS (SELECT FROM pg_class WHERE relname = '_prisma_migrations' AND pg_table_is_visible(oid)) AS "isThere"`);
  const { schema, user, isThere } = found.rows[0];
  const misplaced = schemaProblem(schema, user);
  if (misplaced) throw new DatabaseError(misplaced);
  if (!isThere) return migrations;
  const hidden = await hiddenRows(client);
  if (hidden) throw new DatabaseError(hidden);

  const query = 'SELECT * FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at';
  const { rows } = await client.query<AppliedRow>(query);
  for (const row of rows) {
    const problem = problemWith(row, migrations);
    if (problem) throw new DatabaseError(`Migration ${row.migration_name} ${problem}`);
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  const [[first], [oldest]] = [migrations, applied];
  if (first && oldest && !applied.has(first.name)) throw new DatabaseError(withoutFirst(first, oldest));
  return migrations.filter(({ name }) => !applied.has(name));
}

/** Why tables would be made and found elsewhere than in `public`, where every statement of ours expects them. */
export const schemaProblem = (schema: string | null, user: string): string | undefined =>
  schema === 'public'
    ? undefined
    : `The tables must be in the schema public, but ${schema === null ? 'the search_path of this role leads to none' : `the schema ${schema} comes first`}: ` +
      `ALTER ROLE ${escapeIdentifier(user)} SET search_path = public`;

/** Why statements of this role would not see all rows, and what helps; undefined if they would. */
async function hiddenRows(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string; role: string }>(`
    SELECT oid::regclass::text AS name, quote_ident(current_user) AS role FROM pg_class
    WHERE relkind IN ('r', 'p') AND row_security_active(oid) AND relnamespace = 'public'::regnamespace
      AND relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('public._prisma_migrations'))
    ORDER BY relname`);
  const [first] = rows;
  if (!first) return undefined;
  const ends = rows.map(({ name }) => `ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;`);
  return (
    `Row-level security hides rows of ${rows.map(({ name }) => name).join(', ')} from this role, which must see all. ` +
    `As a superuser, run ALTER ROLE ${first.role} BYPASSRLS; or as the owner of the tables, ${ends.join(' ')}`
  );
}

function problemWith(row: AppliedRow, migrations: Migration[]): string | undefined {
  const migration = migrations.find(({ name }) => name === row.migration_name);
  if (!migration) return newerProblem(row.migration_name);
  if (!row.finished_at) return 'failed half-way. Repair the database, then run "prisma migrate resolve".';
  if (checksum(migration.sql) !== row.checksum)
    return `was applied with another text than its file has here. Restore the file; or, if another checkout made this database, ${anew}`;
  return undefined;
}

const anew =
  'run `npx goalpost export` there for each company, and `npx goalpost import` here, with an empty database.';

const withoutFirst = ({ name }: Migration, oldest: string) =>
  `The table _prisma_migrations has ${oldest}, and lacks ${name}, with which every database of this program begins. ` +
  `If it is another application's, use another database. If a checkout from before ${name} made it, ${anew}`;

function newerProblem(name: string): string | undefined {
  const needed = versionNeededBy(name);
  if (needed === undefined || !isOlder(version, needed)) return undefined;
  return `is in the database, and needs version ${needed} of the program. Start that version or a newer one.`;
}
