import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buildSchema, type GraphQLSchema, isEnumType } from 'graphql';
import pg, { escapeLiteral as literal } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import * as enums from '../../src/generated/client/enums.js';
import {
  isOlder,
  type Migration,
  migrationsDirectory,
  readMigrations,
  versionNeededBy,
} from '../../src/platform/administration/migrations.js';
import { version } from '../../src/version.js';
import { tables } from '../../src/workspace/tables.js';
import { pathOf, textOf } from '../support/documents.js';
import { importDocument } from '../support/importDocument.js';
import { query } from '../support/query.js';
import { temporaryDatabase, temporaryEmptyDatabase } from '../support/temporary.js';

type Row = Record<string, string | number | boolean | null>;

/** What gateways rely on: one row for each column, constraint, enum value, routine and trigger, by its name. */
const structure = `
  SELECT 'table ' || c.relname AS name, c.relkind::text AS kind, NULL::text AS type, false AS is_required, c.oid::text AS id
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')
  UNION ALL
  SELECT format('column %s.%s', c.relname, a.attname), c.relkind::text, format_type(a.atttypid, a.atttypmod),
    a.attnotnull AND NOT a.atthasdef, c.oid || '.' || a.attnum
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT format('value %s of %s', e.enumlabel, t.typname), 'e', NULL, false, e.oid::text
  FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
  UNION ALL
  SELECT 'routine ' || p.oid::regprocedure, 'f', pg_get_function_result(p.oid), false, p.oid::text
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

/** What refuses rows: unique indexes, checks, foreign keys and exclusions, with the columns that they look at. */
const constraints = `
  SELECT format('%s on %s', replace(pg_get_constraintdef(n.oid), ' NOT VALID', ''), n.conrelid::regclass) AS name,
    ARRAY(SELECT format('column %s.%s', c.relname, a.attname) FROM pg_attribute a
      WHERE a.attrelid = n.conrelid AND a.attnum = ANY(n.conkey)) AS columns
  FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
  WHERE c.relnamespace = 'public'::regnamespace AND n.contype IN ('c', 'f', 'x', 'u')
  UNION ALL
  SELECT pg_get_indexdef(i.indexrelid), ARRAY(SELECT format('column %s.%s', c.relname, a.attname) FROM pg_attribute a
      WHERE a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey))
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique
    AND NOT EXISTS (SELECT FROM pg_constraint n WHERE n.conindid = i.indexrelid)`;

/** What the transaction does to each table: the locks it holds, whole reads, changed rows, and its file. */
const work = `
  SELECT c.relname AS name, pg_relation_filenode(c.oid) AS file,
    pg_stat_get_xact_numscans(c.oid)::int AS scans,
    (pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid)
      + pg_stat_get_xact_tuples_inserted(c.oid))::int AS changes,
    ARRAY(SELECT l.mode FROM pg_locks l WHERE l.relation = c.oid AND l.pid = pg_backend_pid() AND l.mode IN
      ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS locks
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
  ORDER BY c.relname`;

interface Work {
  name: string;
  file: number;
  scans: number;
  changes: number;
  locks: string[];
}

interface Structure {
  parts: Map<string, Row>;
  constraints: Map<string, string[]>;
}

/**
 * Runs a migration on a database with rows in every table, and returns why gateways would not survive it while they
 * serve. An expanding migration leaves everything in place that gateways of earlier versions use; one that contracts is
 * named `…_needs_1.2.3`, after the oldest version that does without.
 */
async function problemsOf(url: string, migration: Migration): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const before = await structureOf(client);
    const working = migration.isOutside ? await runOutside(client, migration) : await runInside(client, migration);
    const contracting = versionNeededBy(migration.name) ? [] : contractions(before, await structureOf(client));
    return [...working, ...contracting];
  } finally {
    await client.end();
  }
}

async function structureOf(client: pg.Client): Promise<Structure> {
  const parts = (await client.query(structure)).rows;
  const found = (await client.query(constraints)).rows;
  return {
    parts: new Map(parts.map((row) => [row.name, row])),
    constraints: new Map(found.map(({ name, columns }) => [name, columns])),
  };
}

/** In the transaction that the program gives it; before its end, all that it did can be seen. */
async function runInside(client: pg.Client, { sql }: Migration): Promise<string[]> {
  await client.query('BEGIN');
  const before = new Map((await client.query<Work>(work)).rows.map((row) => [row.name, row]));
  await client.query(sql);
  const after = (await client.query<Work>(work)).rows.filter(({ name }) => before.has(name));
  await client.query('COMMIT');
  const blocked = after.filter(({ locks }) => locks.length > 0);
  const closed = after.filter(({ locks }) => locks.includes('AccessExclusiveLock')).map(({ name }) => name);
  const isWhole = ({ name, scans, file }: Work) => scans > 0 || file !== before.get(name)?.file;
  const whole = after.filter(isWhole);
  const changed = after.filter(({ changes }) => changes > 0);
  return [
    ...(blocked.length > 0 ? whole : []).map(
      ({ name }) =>
        `reads or rewrites all of ${name} while nobody can write to ${blocked.map((table) => table.name).join(', ')}`,
    ),
    ...(closed.length > 1 ? [`locks ${closed.join(', ')} at once, which gateways lock in another order`] : []),
    ...changed.map(({ name }) => `changes rows of ${name} in one transaction, which locks them until it ends`),
  ];
}

const harmless = /^(CREATE (UNIQUE )?INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY|DO\b)/i;

/** Twice: if it is interrupted, the next start repeats it. */
async function runOutside(client: pg.Client, { sql }: Migration): Promise<string[]> {
  const statement = sql.replace(/^\s*--.*$/gm, '').trim();
  if (!harmless.test(statement))
    return ['runs something else than an index CONCURRENTLY or batches (DO) outside a transaction'];
  if (/^DO\b/i.test(statement) && !/\bCOMMIT;/i.test(statement))
    return ['changes rows in one transaction: it has no COMMIT'];
  await client.query(sql);
  return client.query(sql).then(
    () => [],
    (error) => [`cannot be repeated: ${error.message}`],
  );
}

/** What gateways of earlier versions would miss, or be refused. */
function contractions(before: Structure, after: Structure): string[] {
  const ids = new Map([...after.parts.values()].map((row) => [row.id, row]));
  const kept = [...before.parts].flatMap(([name, old]) => {
    const now = after.parts.get(name);
    if (!now) {
      const renamed = old.kind === 'f' ? undefined : ids.get(old.id ?? '');
      return [renamed ? `renames ${name} to ${renamed.name}` : `drops ${name}`];
    }
    if (now.type !== old.type) return [`changes the type of ${name} from ${old.type} to ${now.type}`];
    return now.is_required && !old.is_required ? [`makes ${name} required`] : [];
  });
  const isNew = (column: string) => !before.parts.has(column);
  const tableOf = (column: string) => column.replace(/^column (.*)\..*/, 'table $1');
  const required = [...after.parts.values()]
    .filter(({ name, is_required }) => is_required && isNew(`${name}`) && before.parts.has(tableOf(`${name}`)))
    .map(({ name }) => `adds ${name}, which gateways of earlier versions do not fill`);
  const refusing = [...after.constraints]
    .filter(([name, columns]) => !before.constraints.has(name) && !columns.some(isNew))
    .map(([name]) => `adds ${name}, which may refuse what gateways of earlier versions write`);
  return [...kept, ...required, ...refusing];
}

const [first, ...later] = await readMigrations(migrationsDirectory);
const { directUrl: url } = await temporaryEmptyDatabase();
const { url: current } = await temporaryDatabase();

beforeAll(async () => {
  await query(url, first?.sql ?? '');
  await fillAsFirst();
});

/** Fills the tables of the first migration from a database that has had all of them, without the columns of the later ones. */
async function fillAsFirst(): Promise<void> {
  const db = openModels({ url: current, poolSize: 1, preparedStatements: false });
  await importDocument(db, JSON.parse(await readFile(pathOf('prisma/demo-workspace.json'), 'utf8')));
  await db.$disconnect();
  for (const table of tables) {
    const rows = await query(current, `SELECT to_jsonb(t) AS row FROM ${table} t`);
    const json = literal(JSON.stringify(rows.map(({ row }) => row)));
    const names = await query(
      url,
      `SELECT string_agg(quote_ident(attname), ', ') AS all FROM pg_attribute
       WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    );
    await query(
      url,
      `BEGIN; SET LOCAL session_replication_role = replica; INSERT INTO ${table} (${names[0]?.all})
       SELECT ${names[0]?.all} FROM jsonb_populate_recordset(NULL::${table}, ${json}); COMMIT`,
    );
  }
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

// There is none yet but the first: what the rules find in one that is as it should be, and in one that is not.
test('a migration that breaks a rule is found', async () => {
  const sql = (text: string, isOutside = false): Migration => ({ name: 'given', sql: text, isOutside });
  const added = sql('CREATE TABLE added (id text PRIMARY KEY)');
  const column = sql('ALTER TABLE goals ADD COLUMN color text');
  const index = sql('CREATE INDEX CONCURRENTLY IF NOT EXISTS goals_color ON goals (company_id, color)', true);
  for (const migration of [added, column, index]) expect(await problemsOf(url, migration)).toEqual([]);
  expect(await problemsOf(url, sql('CREATE INDEX goals_name ON goals (company_id, name)'))).toEqual([
    'reads or rewrites all of goals while nobody can write to goals',
  ]);
  expect(await problemsOf(url, sql('ALTER TABLE goals DROP COLUMN description'))).toEqual([
    'drops column goals.description',
  ]);
});

/** The files that may write a value: those of the gateway's statements, and migrations. */
const writers = ['src', 'prisma/migrations']
  .flatMap((folder) => readdirSync(pathOf(folder), { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((name) => /\.(ts|sql)$/.test(name) && !/^src\/(generated|schema|rules)\//.test(name))
  .map((name) => ({ name, text: textOf(name).replace(/\b(ADD VALUE|AS ENUM)\b[^;]*/g, '') }));

/**
 * Which values of enums are written before a release has understood them: a gateway beside this one, or one that takes
 * over from it again, may be of the release whose contract this is. Each is named with the files that have it.
 */
function writtenTooSoon(released: GraphQLSchema): string[] {
  return Object.entries(enums).flatMap(([name, values]) => {
    const type = released.getType(name);
    if (!isEnumType(type)) return [];
    const understood = new Set(type.getValues().map((each) => each.name.toLowerCase()));
    return Object.values<string>(values)
      .filter((value) => !understood.has(value))
      .flatMap((value) => {
        const files = writers.filter(({ text }) => text.includes(`'${value}'`)).map((each) => each.name);
        return files.length > 0 ? [`${value} of ${name}: ${files.join(', ')}`] : [];
      });
  });
}

test('a value of an enum is understood by one release before the next one writes it', () => {
  const contract = textOf('test/contract/released/schema.graphql');
  expect(writtenTooSoon(buildSchema(contract))).toEqual([]);
  // Of a release that knows less, these would be new.
  const older = contract.replace(/^ {2}(GOAL_REOPENED|GOAL_CREATED|RESTORED)$/gm, '  OTHER_$1');
  const found = writtenTooSoon(buildSchema(older));
  expect(found).toEqual([
    expect.stringMatching(/^restored of VersionOrigin: .*\bsrc\/operations\/restoreDocumentVersion\.ts\b/),
    expect.stringMatching(/^goal_reopened of ActivityAction: .*\bsrc\/operations\/reopenGoal\.ts\b/),
  ]);
});
