import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DatabaseError } from './error.js';
import { checksum, hasChecksum, type Migration, readMigrations } from './migrationFiles.js';
import { Primary } from './primary.js';

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

// The same lock and table as Prisma's, so that its tools and ours see the same state.
const migrationLock = 72707369;
const connectMilliseconds = 10_000;
/** Makes the table of the migrations that a database has had, unless it exists. */
export const migrationsTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;
const insertRow = `INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;
const insufficientPrivilege = '42501';
const mayNotMigrate =
  'The database is not up to date, and this role may not migrate it. Run `goalpost migrate` as the role that owns it.';

const earlierStructure =
  'This database was made before the first release, and its structure cannot be migrated. ' +
  'Use a new DATA_DIR or a new database, and import the workspace again.';

/**
 * Applies the pending migrations of `directory`, each in its own transaction, and returns their names. Several
 * processes may call it at once. Throws a DatabaseError; a migration that fails is rolled back.
 */
export function applyMigrations(connectionString: string, directory: string): Promise<string[]> {
  return withClient(connectionString, async (client) => {
    const applied: string[] = [];
    for (let name = await applyNext(client, directory); name; name = await applyNext(client, directory)) {
      applied.push(name);
    }
    return applied;
  });
}

/** The names of the migrations that `applyMigrations` would apply. Throws the same errors. */
export function pendingMigrations(connectionString: string, directory: string): Promise<string[]> {
  return withClient(connectionString, async (client) => {
    const pending = await findPending(client, directory);
    return pending.map(({ name }) => name);
  });
}

/** Connects to the primary, and closes the connection after the work. Throws a DatabaseError if it cannot. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = await new Primary(url, connectMilliseconds).url();
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectMilliseconds });
  client.on('error', () => {}); // a lost connection fails the running query
  try {
    await client.connect().catch((error) => {
      const { host, port, user, database } = client;
      const where = `database "${database}" at ${host}:${port}${user ? ` as "${user}"` : ''}`;
      const reason = error.message || error.code;
      throw new DatabaseError(`Cannot connect to ${where}: ${reason}. Check DATABASE_URL; goalpost check says more.`);
    });
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS major");
    if (rows[0].major < 14) throw new DatabaseError(`PostgreSQL 14 or newer is needed, this is ${rows[0].major}.`);
    return await work(client);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? new DatabaseError(`Cannot migrate: ${error.message}`) : error;
  } finally {
    await client.end();
  }
}

async function findPending(client: pg.Client, directory: string): Promise<Migration[]> {
  const migrations = await readMigrations(directory).catch((error) => {
    throw new DatabaseError(`Cannot read the migrations: ${error.message}`);
  });
  const table = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
  if (!table.rows[0].exists) return migrations;

  const query = 'SELECT * FROM _prisma_migrations WHERE rolled_back_at IS NULL';
  const { rows } = await client.query<AppliedRow>(query);
  if (rows.some((row) => row.migration_name < (migrations[0]?.name ?? ''))) throw new DatabaseError(earlierStructure);
  for (const row of rows) {
    const problem = problemWith(row, migrations);
    if (problem) throw new DatabaseError(`Migration ${row.migration_name} ${problem}`);
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !applied.has(name));
}

function problemWith(row: AppliedRow, migrations: Migration[]): string | undefined {
  const migration = migrations.find(({ name }) => name === row.migration_name);
  if (!migration) return 'is in the database, but not in this version of the program. Start a newer version.';
  if (!row.finished_at) return 'failed half-way. Repair the database, then run "prisma migrate resolve".';
  if (!hasChecksum(migration.sql, row.checksum)) return 'was edited after it was applied. Restore its file.';
  return undefined;
}

/** Applies the first pending migration in a transaction and returns its name; undefined if there is none. */
async function applyNext(client: pg.Client, directory: string): Promise<string | undefined> {
  await client.query('BEGIN');
  try {
    await lock(client);
    const [migration] = await findPending(client, directory);
    if (migration) await apply(client, migration);
    await client.query('COMMIT');
    return migration?.name;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Within the transaction only, because a pooler may give each transaction another connection. */
async function lock(client: pg.Client): Promise<void> {
  await client.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'");
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]).catch((error) => {
    const message = 'Another process has held the migration lock for a minute. Wait for it, or stop it.';
    throw error.code === '55P03' ? new DatabaseError(message) : error;
  });
}

async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  try {
    if (/^\s*(BEGIN|COMMIT|ROLLBACK)\s*;/im.test(sql))
      throw new Error('it has its own BEGIN or COMMIT, but each file already runs in one transaction');
    await client.query(sql);
    await client.query(migrationsTable);
    await client.query(insertRow, [randomUUID(), name, checksum(sql)]);
  } catch (error) {
    const { message, position, code } = error as Error & { position?: string; code?: string };
    if (code === insufficientPrivilege) throw new DatabaseError(`${mayNotMigrate} (${name}: ${message})`);
    const line = position ? `line ${sql.slice(0, Number(position)).split('\n').length}: ` : '';
    throw new DatabaseError(`Migration ${name} failed and was rolled back: ${line}${message}`);
  }
}
