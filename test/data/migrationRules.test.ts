import { readFile } from 'node:fs/promises';
import { escapeLiteral as literal } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import {
  isOlder,
  type Migration,
  migrationsDirectory,
  readMigrations,
  versionNeededBy,
} from '../../src/platform/administration/migrations.js';
import { version } from '../../src/version.js';
import { importDocument } from '../../src/workspace/import.js';
import { tables } from '../../src/workspace/tables.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { pathOf } from '../support/documents.js';
import { problemsOf } from '../support/migrationEffects.js';
import { query } from '../support/query.js';

const [first, ...later] = await readMigrations(migrationsDirectory);
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ directUrl: url, drop } = await createEmptyDatabase());
  await query(url, first?.sql ?? '');
  await fillAsFirst();
});
afterAll(() => drop());

/** Fills the tables of the first migration from a database that has had all of them, without the columns of the later ones. */
async function fillAsFirst(): Promise<void> {
  const { url: current, drop: dropCurrent } = await createDatabase();
  const db = openModels({ url: current, poolSize: 1, preparedStatements: false });
  await importDocument(db, JSON.parse(await readFile(pathOf('prisma/demo-workspace.json'), 'utf8')));
  await db.$disconnect();
  for (const table of tables) {
    const rows = await query(current, `SELECT to_jsonb(t) AS row FROM ${table} t`);
    const json = literal(JSON.stringify(rows.map(({ row }) => row)));
    await query(
      url,
      `BEGIN; SET LOCAL session_replication_role = replica; INSERT INTO ${table}
       SELECT * FROM jsonb_populate_recordset(NULL::${table}, ${json}); COMMIT`,
    );
  }
  await dropCurrent();
}

// In the order in which they are applied: each is tried on what those before it have made.
test.each(later.length > 0 ? later : [{ name: 'none yet', sql: '', isOutside: false }])(
  'gateways survive the migration $name while they serve',
  async (migration) => {
    expect(await problemsOf(url, migration)).toEqual([]);
    const needed = versionNeededBy(migration.name);
    if (needed) expect(isOlder(needed, version), 'the version that it needs was released before').toBe(true);
  },
);

const given = (sql: string, { contracting = false } = {}): Migration => ({
  name: contracting ? 'fixture_needs_0.0.1' : 'fixture',
  sql,
  isOutside: sql.startsWith('-- outside a transaction'),
});

describe('a migration may', () => {
  test.each([
    ['add a table', 'CREATE TABLE added (company_id text NOT NULL, id text NOT NULL, PRIMARY KEY (company_id, id))'],
    ['add a nullable column', 'ALTER TABLE goals ADD COLUMN color text'],
    ['add a column with a default', 'ALTER TABLE goals ADD COLUMN weight integer NOT NULL DEFAULT 1'],
    ['add a value to an enum', "ALTER TYPE person_type ADD VALUE 'robot'"],
    ['add a view', 'CREATE VIEW added_view AS SELECT company_id, id FROM goals'],
    [
      'add a foreign key of a new column that it does not check',
      `ALTER TABLE goals ADD COLUMN owner_id text;
       ALTER TABLE goals ADD CONSTRAINT owner FOREIGN KEY (company_id, owner_id) REFERENCES people (company_id, id) NOT VALID`,
    ],
    ['check a constraint later, in a migration of its own', 'ALTER TABLE goals VALIDATE CONSTRAINT owner'],
    [
      'build an index concurrently',
      '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS goals_color ON goals (company_id, color)',
    ],
    [
      'fill a new column in batches',
      `-- outside a transaction
       DO $$ BEGIN
         LOOP
           UPDATE goals SET color = 'red' WHERE (company_id, id) IN
             (SELECT company_id, id FROM goals WHERE color IS NULL LIMIT 1000);
           EXIT WHEN NOT FOUND;
           COMMIT;
         END LOOP;
       END $$`,
    ],
  ])('%s', async (_, sql) => {
    expect(await problemsOf(url, given(sql))).toEqual([]);
  });
});

describe('a migration that expands may not', () => {
  test.each([
    ['drop a table', 'DROP TABLE goal_checks', 'drops table goal_checks'],
    ['drop a column', 'ALTER TABLE goals DROP COLUMN description', 'drops column goals.description'],
    [
      'rename a column',
      'ALTER TABLE people RENAME COLUMN title TO role',
      'renames column people.title to column people.role',
    ],
    ['rename a table', 'ALTER TABLE targets RENAME TO aims', 'renames table targets to table aims'],
    [
      'change the type of a column',
      'ALTER TABLE people ALTER COLUMN title TYPE varchar(100)',
      'changes the type of column people.title from text to character varying(100)',
    ],
    [
      'require a column',
      'ALTER TABLE projects ALTER COLUMN description SET NOT NULL',
      'makes column projects.description required',
    ],
    [
      'add a required column without a default',
      'CREATE TABLE empty (); ALTER TABLE rate_limits ADD COLUMN kind text NOT NULL',
      'adds column rate_limits.kind, which gateways of earlier versions do not fill',
    ],
    [
      'require what was optional',
      "ALTER TABLE people ADD CONSTRAINT titled CHECK (title <> '') NOT VALID",
      "adds CHECK ((title <> ''::text)) on people, which may refuse what gateways of earlier versions write",
    ],
    [
      'make a column unique',
      'CREATE UNIQUE INDEX people_email ON people (company_id, email)',
      'adds CREATE UNIQUE INDEX people_email ON public.people USING btree (company_id, email), which may refuse what gateways of earlier versions write',
    ],
    ['drop a function', 'DROP FUNCTION name_key(text) CASCADE', 'drops routine name_key(text)'],
    [
      'rename a value of an enum',
      "ALTER TYPE person_type RENAME VALUE 'ai' TO 'bot'",
      'renames value ai of person_type to value bot of person_type',
    ],
  ])('%s', async (_, sql, problem) => {
    expect(await problemsIn(given(sql))).toContain(problem);
  });
});

describe('no migration may', () => {
  test.each([
    [
      'build an index while nobody can write',
      'CREATE INDEX goals_name ON goals (company_id, name)',
      'reads or rewrites all of goals while nobody can write to goals',
    ],
    [
      'rewrite a table',
      'ALTER TABLE goals ADD COLUMN random float NOT NULL DEFAULT random()',
      'reads or rewrites all of goals while nobody can write to goals',
    ],
    [
      'change a type by rewriting the table',
      'ALTER TABLE targets ALTER COLUMN unit TYPE char(20)',
      'reads or rewrites all of targets while nobody can write to targets',
    ],
    [
      'check all rows for a required column',
      'ALTER TABLE people ALTER COLUMN full_name DROP NOT NULL; ALTER TABLE people ALTER COLUMN full_name SET NOT NULL',
      'reads or rewrites all of people while nobody can write to people',
    ],
    [
      'check all rows for a new constraint',
      "ALTER TABLE goals ADD COLUMN kind text; ALTER TABLE goals ADD CONSTRAINT kinds CHECK (kind <> '')",
      'reads or rewrites all of goals while nobody can write to goals',
    ],
    [
      'read one table while another is locked',
      'ALTER TABLE people ADD COLUMN nick text; ALTER TABLE goals VALIDATE CONSTRAINT later',
      'reads or rewrites all of goals while nobody can write to people',
    ],
    [
      'change two tables in one transaction',
      'ALTER TABLE goals ADD COLUMN one text; ALTER TABLE people ADD COLUMN other text',
      'locks goals, people at once, which gateways lock in another order',
    ],
    [
      'change rows in its transaction',
      "UPDATE goals SET description = 'none'",
      'changes rows of goals in one transaction, which locks them until it ends',
    ],
    [
      'change rows outside of one, but all at once',
      "-- outside a transaction\nDO $$ BEGIN UPDATE goals SET description = 'none'; END $$",
      'changes rows in one transaction: it has no COMMIT',
    ],
    [
      'run other statements outside a transaction',
      '-- outside a transaction\nALTER TABLE goals ADD COLUMN other text',
      'runs something else than an index CONCURRENTLY or batches (DO) outside a transaction',
    ],
    [
      'do outside a transaction what it cannot repeat',
      '-- outside a transaction\nCREATE INDEX CONCURRENTLY goals_twice ON goals (company_id, name)',
      'cannot be repeated: relation "goals_twice" already exists',
    ],
  ])('%s', async (_, sql, problem) => {
    expect(await problemsIn(given(sql, { contracting: true }))).toContain(problem);
  });
});

test('a migration that contracts may drop what the version it needs does without', async () => {
  const sql = 'ALTER TABLE goals DROP COLUMN description';
  expect(await problemsIn(given(sql, { contracting: true }))).toEqual([]);
});

/** On a copy, which is dropped. */
async function problemsIn(migration: Migration): Promise<string[]> {
  const name = `${new URL(url).pathname.slice(1)}_copy`;
  const admin = new URL(url);
  admin.pathname = 'postgres';
  await query(admin.href, `CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`);
  const copy = new URL(url);
  copy.pathname = name;
  try {
    const constraint = "CHECK (name <> '') NOT VALID";
    await query(copy.href, `ALTER TABLE goals ADD CONSTRAINT later ${constraint}`);
    return await problemsOf(copy.href, migration);
  } finally {
    await query(admin.href, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}
