import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { applyMigrations, pendingMigrations } from '../../src/platform/administration/migrations.js';
import { DatabaseError } from '../../src/platform/postgres/index.js';
import { eventually } from '../support/eventually.js';
import { holding } from '../support/holding.js';
import { query } from '../support/query.js';
import { temporaryEmptyDatabase, temporaryFolder } from '../support/temporary.js';

const GOALS = ['0001_goals', 'CREATE TABLE goals (id int PRIMARY KEY);\nINSERT INTO goals VALUES (1);\n'] as const;
const FILES = [
  '0002_files',
  `CREATE TABLE files (id int);
   CREATE FUNCTION one() RETURNS int AS $$ BEGIN RETURN 1; END; $$ LANGUAGE plpgsql;`,
] as const;

let directory: string;
const { directUrl: url } = await temporaryEmptyDatabase();

beforeEach(async () => {
  directory = await temporaryFolder();
  await query(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC');
});

test('applies what the database lacks, in order, and records it as Prisma would', async () => {
  await write(...GOALS);
  expect(await applyMigrations(url, directory)).toEqual(['0001_goals']);
  await write(...FILES);
  expect(await pendingMigrations(url, directory)).toEqual(['0002_files']);
  expect(await applyMigrations(url, directory)).toEqual(['0002_files']);
  expect(await applyMigrations(url, directory)).toEqual([]);

  const rows = await query(url, 'SELECT * FROM _prisma_migrations ORDER BY migration_name');
  expect(rows).toMatchObject([{ migration_name: '0001_goals' }, { migration_name: '0002_files' }]);
  expect(rows[0]).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    checksum: '3ef356260bdd754386a0af1eecf9a374752cb908ec1f42f56d228931de6326c5',
    started_at: expect.any(Date),
    finished_at: expect.any(Date),
    rolled_back_at: null,
    logs: null,
    applied_steps_count: 1,
  });
});

test('four starts at once on an empty database apply each migration once', async () => {
  await write(...GOALS);
  await write(...FILES);
  const answers = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(url, directory)));
  expect(answers.flat().sort()).toEqual(['0001_goals', '0002_files']);
  expect(await query(url, 'SELECT id FROM goals')).toEqual([{ id: 1 }]);
});

test('a process that gets the lock after another has migrated sees what that one did', async () => {
  await write(...GOALS);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(72707369)');
  const original = pg.Client.prototype.query;
  let asked = 0;
  // Another process applies the migrations after our second transaction has begun, and before it asks for the lock.
  const intercepted = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    if (String(args[0]).includes('pg_try_advisory_xact_lock') && ++asked === 2) {
      intercepted.mockRestore();
      await holder.end();
      expect(await applyMigrations(url, directory)).toEqual(['0001_goals']);
    }
    return Reflect.apply(original, this, args);
  });
  expect(await applyMigrations(url, directory)).toEqual([]);
  expect(asked).toBe(2);
  expect(await query(url, 'SELECT id FROM goals')).toEqual([{ id: 1 }]);
});

test('a migration that fails names itself and its line, and leaves nothing of itself', async () => {
  await write(...GOALS);
  await write('0002_bad', 'CREATE TABLE half (id int);\nINSERT INTO nowhere VALUES (1);\n');
  await refused(/0002_bad failed.*line 2: relation "nowhere" does not exist/);
  expect(await query(url, "SELECT to_regclass('goals') AS goals, to_regclass('half') AS half")).toEqual([
    { goals: 'goals', half: null },
  ]);
  expect(await query(url, 'SELECT migration_name FROM _prisma_migrations')).toEqual([{ migration_name: '0001_goals' }]);

  await write('0002_bad', 'CREATE TABLE half (id int);\n');
  expect(await applyMigrations(url, directory)).toEqual(['0002_bad']);
});

test('a migration that would commit by itself is refused before it starts', async () => {
  await write('0001_own', 'BEGIN;\nCREATE TABLE half (id int);\nCOMMIT;\nSELECT 1/0;');
  await refused(/0001_own.*its own BEGIN or COMMIT/);
  expect(await query(url, "SELECT to_regclass('half') AS found")).toEqual([{ found: null }]);
});

test('an edited migration is refused', async () => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  await write(GOALS[0], `${GOALS[1]}-- and more`);
  await refused(
    /0001_goals was applied with another text than its file has here\. Restore the file; or, if another checkout made .* `npx goalpost export` there .*`npx goalpost import` here/,
  );
});

test('a database of another application, or from before the first migration, is refused with what is known and the way out', async () => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  await rm(join(directory, GOALS[0]), { recursive: true });
  await write('0002_structure', GOALS[1]);
  await refused(
    /^The table _prisma_migrations has 0001_goals, and lacks 0002_structure, .*If it is another application's, use another database\. If a checkout from before 0002_structure made it, run `npx goalpost export` there .*`npx goalpost import` here/,
  );
  await expect(pendingMigrations(url, directory)).rejects.toBeInstanceOf(DatabaseError);
});

test('a migration of a newer version leaves the program running, unless it needs that version', async () => {
  await write(...GOALS);
  await write(...FILES);
  await write('0003_drop_needs_0.0.1', 'SELECT 1;');
  await write('0004_drop_needs_999.0.0', 'SELECT 1;');
  await applyMigrations(url, directory);
  await rm(join(directory, '0003_drop_needs_0.0.1'), { recursive: true });
  await rm(join(directory, FILES[0]), { recursive: true });
  await rm(join(directory, '0004_drop_needs_999.0.0'), { recursive: true });
  await refused(/0004_drop_needs_999.0.0 is in the database, and needs version 999.0.0 of the program/);
  await query(url, "DELETE FROM _prisma_migrations WHERE migration_name LIKE '0004%'");
  expect(await applyMigrations(url, directory)).toEqual([]);
  expect(await pendingMigrations(url, directory)).toEqual([]);
});

test('a database that lacks a migration is refused to a role that may not apply it', async () => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  const own = new URL(url);
  const name = own.pathname.slice(1);
  own.username = name;
  own.password = 'secret';
  await query(url, `CREATE ROLE ${name} LOGIN PASSWORD 'secret'; GRANT SELECT ON _prisma_migrations TO ${name}`);
  try {
    expect(await applyMigrations(own.href, directory)).toEqual([]);
    await write('0002_column', 'ALTER TABLE goals ADD COLUMN name text;');
    await refused(
      /lacks the migration 0002_column.*may not apply it \((must be owner of table goals|permission denied for schema public)\).*owns the/,
      own.href,
    );
  } finally {
    await query(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`);
  }
});

test('a migration waits for a lock for a moment only, lets others pass, and tries again', async () => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  await write('0002_column', 'ALTER TABLE goals ADD COLUMN name text;');
  const { release } = await holding(url, 'SELECT FROM goals');
  const [error] = await Promise.all([failure(url, 1), readsOfGoals()]);
  expect(error.message).toMatch(
    /0002_column needs a lock that other transactions hold.*run "npx goalpost migrate" again/,
  );

  const migrated = applyMigrations(url, directory);
  await readsOfGoals();
  await release();
  expect(await migrated).toEqual(['0002_column']);
});

test.each(['55P03', '40P01'])('a migration that loses a lock with %s is tried again', async (state) => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  // What a sequence has counted is not rolled back.
  await query(url, 'CREATE SEQUENCE tries');
  await write(
    '0002_column',
    `DO $$ BEGIN IF nextval('tries') < 3 THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF; END $$;
     ALTER TABLE goals ADD COLUMN name text;`,
  );
  expect(await applyMigrations(url, directory)).toEqual(['0002_column']);
});

/** Reads the table for a second, and each time within what a gateway waits for a lock. */
async function readsOfGoals(): Promise<void> {
  const reader = new pg.Client({ connectionString: url });
  onTestFinished(() => reader.end());
  await reader.connect();
  for (const end = Date.now() + 1_000; Date.now() < end; await sleep(20))
    await reader.query("SET lock_timeout = '3s'; SELECT FROM goals");
}

describe('a migration outside a transaction', () => {
  const INDEX = [
    '0002_index',
    '-- outside a transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS goals_by_id ON goals (id);\n',
  ] as const;
  const BATCHES = [
    '0002_batches',
    `-- outside a transaction
DO $$ BEGIN
  FOR n IN 2..4 LOOP INSERT INTO goals VALUES (n) ON CONFLICT DO NOTHING; COMMIT; END LOOP;
  PERFORM 1 / (SELECT count(*) FROM allowed);
END $$`,
  ] as const;

  test('builds an index that several starts want at once', async () => {
    await write(...GOALS);
    await write(...INDEX);
    const answers = await Promise.all([1, 2, 3].map(() => applyMigrations(url, directory)));
    expect(answers.flat().sort()).toEqual(['0001_goals', '0002_index']);
    expect(await validity()).toEqual([{ indisvalid: true }]);
  });

  test('builds an index anew that was interrupted', async () => {
    await write(...GOALS);
    await applyMigrations(url, directory);
    await write(...INDEX);
    const { release } = await holding(url, 'SELECT FROM goals; INSERT INTO goals VALUES (2)');
    const interrupted = failure(url);
    await eventually(async () => expect(await validity()).toHaveLength(1));
    await query(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '-- outside%'");
    expect((await interrupted).message).toMatch(/0002_index failed, and is repeated by the next start/);
    await release();
    expect(await validity()).toEqual([{ indisvalid: false }]);
    expect(await applyMigrations(url, directory)).toEqual(['0002_index']);
    expect(await validity()).toEqual([{ indisvalid: true }]);
  });

  const validity = () => query(url, "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('goals_by_id')");

  test('commits in batches, and is repeated if it fails', async () => {
    await write(...GOALS);
    await applyMigrations(url, directory);
    await query(url, 'CREATE TABLE allowed ()');
    await write(...BATCHES);
    await refused(/0002_batches failed, and is repeated by the next start: division by zero/);
    expect(await query(url, 'SELECT FROM goals')).toHaveLength(4);
    await query(url, 'INSERT INTO allowed DEFAULT VALUES');
    expect(await applyMigrations(url, directory)).toEqual(['0002_batches']);
  });

  test('is refused where the role has a time limit for statements', async () => {
    await write(...GOALS);
    await applyMigrations(url, directory);
    await write(...INDEX);
    const database = new URL(url).pathname.slice(1);
    await query(url, `ALTER DATABASE ${database} SET statement_timeout = '4s'`);
    await refused(/0002_index.*longer than the statement_timeout of this role \(4s\) allows/);
    await query(url, `ALTER DATABASE ${database} RESET statement_timeout`);
  });
});

test('a migration that failed half-way is refused until it is marked as rolled back', async () => {
  await write(...GOALS);
  await applyMigrations(url, directory);
  await query(url, 'DROP TABLE goals; UPDATE _prisma_migrations SET finished_at = NULL');
  await refused(/0001_goals failed half-way/);
  await query(url, 'UPDATE _prisma_migrations SET rolled_back_at = now()');
  expect(await applyMigrations(url, directory)).toEqual(['0001_goals']);
});

test('a stranger, a missing database and a silent port are told apart, without the password', async () => {
  const { port } = new URL(url);
  const stranger = new URL(url);
  stranger.username = 'stranger';
  stranger.password = 'secret';
  // A server set to trust its clients checks the name only.
  await refused(/at .*:\d+ as "stranger": (password authentication|role).*"stranger"/, stranger.href);
  expect((await failure(stranger.href)).message).not.toContain('secret');
  await refused(/database "nowhere" does not exist/, url.replace(/[^/]+$/, 'nowhere'));
  await refused(/Cannot connect to .*ECONNREFUSED/, url.replace(`:${port}`, `:${await closedPort()}`));
});

async function refused(message: RegExp, at = url) {
  const error = await failure(at);
  expect(error).toBeInstanceOf(DatabaseError);
  expect(error.message).toMatch(message);
}

async function failure(at: string, patienceMilliseconds?: number): Promise<Error> {
  return applyMigrations(at, directory, patienceMilliseconds).then(
    () => expect.fail('nothing was refused'),
    (error) => error,
  );
}

async function write(name: string, sql: string) {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
