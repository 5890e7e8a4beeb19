import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { DatabaseError } from '../error.js';
import { checksum, type Migration } from './migrationFiles.js';

// The same lock and table as Prisma's, so that its tools and ours see the same state.
const migrationLock = 72707369;

/** Makes the table of the migrations that a database has had, unless it exists. */
export const migrationsTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;
const insertRow = `INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;

/**
 * Whoever asks for a table after us waits for as long as we wait for it: shorter than a gateway waits. Read committed,
 * because an index that is built concurrently would wait for our snapshot.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '500ms'`;

/** Whether a migration was rolled back because others held a lock for too long. It may be tried again. */
export const hasLostALock = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string } | undefined)?.code ?? '');

/**
 * Applies one migration under the migration lock, if it is still pending then. Returns false at once if another process
 * holds the lock: whoever waits for it in a statement would hold up an index that is built concurrently.
 */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  connect: () => Promise<pg.Client>,
  isPending: () => Promise<boolean>,
): Promise<boolean> {
  await client.query(begin);
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [migrationLock]);
    const isOurs = rows[0].locked && (await isPending());
    if (isOurs) {
      await run(migration, migration.isOutside ? await connect() : client);
      await client.query(migrationsTable);
      await client.query(insertRow, [randomUUID(), migration.name, checksum(migration.sql)]);
    }
    await client.query('COMMIT');
    return isOurs;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw isDenied(error) ? new DatabaseError(notAllowed(migration, error)) : error;
  }
}

const isDenied = (error: unknown): error is pg.DatabaseError => (error as { code?: string }).code === '42501';
const notAllowed = ({ name }: Migration, { message }: Error) =>
  `The database lacks the migration ${name}, and this role may not apply it (${message}). ` +
  'Run "npx goalpost migrate" of this version with the role that owns the tables.';

async function run({ name, sql, isOutside }: Migration, client: pg.Client): Promise<void> {
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
async function prepareOutside(client: pg.Client, sql: string): Promise<void> {
  const { rows: limits } = await client.query("SELECT current_setting('statement_timeout') AS timeout");
  if (limits[0].timeout !== '0')
    throw new Error(`it may take longer than the statement_timeout of this role (${limits[0].timeout}) allows`);
  // An index whose building was interrupted stays behind, invalid.
  const { rows } = await client.query<{ name: string }>(
    'SELECT c.oid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid',
  );
  const ours = rows.filter(({ name }) => sql.split(/[^\w$."]+/).includes(name));
  for (const { name } of ours) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
}
