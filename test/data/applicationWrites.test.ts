import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createRoles } from '../../src/platform/administration/roles.js';
import { workspace } from '../../src/workspace/format/workspace.js';
import { unwrap } from '../../src/workspace/rows.js';
import { children, type ListName, lists, type Table, tables } from '../../src/workspace/tables.js';
import { asAdministrator } from '../support/database.js';
import { rowsOf, sectionOf, textOf } from '../support/documents.js';
import { query } from '../support/query.js';
import { createWorld } from '../support/world.js';

// As the role that `goalpost roles --application` makes.
const world = await createWorld({ isAlone: true });
const { template, gateway } = inject('database');
const application = { name: `${template}_application`, password: 'application' };
const admin = asAdministrator(world.url);
await createRoles(admin, {
  owner: { name: `${template}_owner` },
  gateway: { name: gateway.name },
  application,
  // A run after another on the same server finds the role.
  replacePasswords: true,
});
const url = Object.assign(new URL(admin), { username: application.name, password: application.password });
const client = new pg.Client({ connectionString: url.href });

const furniture = `
  BEGIN;
  INSERT INTO companies (id, name) VALUES ('c', 'Ours'), ('c2', 'Theirs');
  INSERT INTO people (company_id, id, full_name, email) VALUES ('c', 'p', 'Ann', 'ann@example.com'), ('c', 'q', 'Bob', 'bob@example.com'), ('c2', 'p2', 'Eve', 'eve@example.com');
  INSERT INTO spaces (company_id, id, name) VALUES ('c', 's', 'Sales'), ('c2', 's2', 'Theirs');
  INSERT INTO space_members (company_id, space_id, person_id) VALUES ('c', 's', 'p');
  INSERT INTO goals (company_id, id, space_id, parent_goal_id, name, champion_id, company_level, space_level)
    VALUES ('c', 'g', 's', NULL, 'Sell', 'p', 70, 100), ('c', 'gg', 's', 'g', 'Ask', NULL, 70, 100);
  INSERT INTO targets (company_id, id, goal_id, index, name, "from", "to", value) VALUES ('c', 'm', 'g', 0, 'Money', 0, 1, 0);
  INSERT INTO goal_progress_updates (company_id, id, goal_id, author_id, status) VALUES ('c', 'u', 'g', 'p', 'on_track');
  INSERT INTO projects (company_id, id, space_id, name, company_level, space_level) VALUES ('c2', 'r2', 's2', 'Theirs', 70, 100);
  INSERT INTO access_grants (company_id, person_id, goal_id, level) VALUES ('c', 'p', 'g', 70);
  INSERT INTO resource_hubs (company_id, id, space_id, name) VALUES ('c', 'h', 's', 'Hub'), ('c', 'h1', 's', 'Other');
  INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, parent_folder_id, name)
    VALUES ('c', 'f', 'h', NULL, 'Top'), ('c', 'ff', 'h', 'f', 'Inside'), ('c', 'f1', 'h1', NULL, 'Elsewhere');
  INSERT INTO blobs (company_id, id, filename, size, content_type) VALUES ('c', 'b', 'a.txt', 1, 'text/plain');
  INSERT INTO resource_hub_files (company_id, id, resource_hub_id, parent_folder_id, name, author_id, blob_id) VALUES ('c', 'x', 'h', 'ff', 'a.txt', 'p', 'b');
  INSERT INTO public_links (company_id, token) VALUES ('c2', 'theirs');
  INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id, state, current_version, published_at)
    VALUES ('c', 'd', 'h', 'Two', 'two', 'p', 'published', 2, now());
  INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id) VALUES ('c', 'draft', 'h', 'Draft', '', 'p');
  INSERT INTO document_versions (company_id, id, document_id, version_number, title, content, editor_id, origin)
    VALUES ('c', 'v1', 'd', 1, 'One', 'one', 'p', 'published'), ('c', 'v2', 'd', 2, 'Two', 'two', 'p', 'edited');
  INSERT INTO activities (company_id, id, action, author_id, goal_id) VALUES ('c', 't', 'goal_closed', 'p', 'g');
  INSERT INTO reactions (company_id, person_id, emoji, file_id) VALUES ('c', 'p', '+', 'x');
  INSERT INTO subscription_lists (company_id, id, file_id) VALUES ('c', 'l', 'x');
  INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type) VALUES ('c', 'l', 'p', 'joined');
  INSERT INTO notifications (company_id, activity_id, person_id) VALUES ('c', 't', 'q');
  COMMIT`;

beforeAll(async () => {
  await client.connect();
  await client.query(furniture);
  // What an operation has done.
  await query(
    admin,
    `INSERT INTO activities (company_id, id, action, author_id, file_id, origin) VALUES ('c', 'done', 'resource_hub_file_recovered', 'p', 'x', 'api')`,
  );
});
afterAll(() => client.end());

/** What the application is told when its transaction commits; nothing stays. */
async function attempt(sql: string): Promise<string> {
  await client.query('BEGIN');
  try {
    await client.query(`${sql}; SET CONSTRAINTS ALL IMMEDIATE`);
    return 'stored';
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    // From PostgreSQL 18 on, it says so of what others still refer to.
    return `${code} ${message}`.replace('23001', '23503').replace('RESTRICT setting of ', '');
  } finally {
    await client.query('ROLLBACK');
  }
}

const version =
  'INSERT INTO document_versions (company_id, document_id, version_number, title, content, editor_id, origin) VALUES';

// What is wrong | the SQL | what the application is told.
const wrong = `
# Another company: the foreign keys are those of the Prisma schema, as test/data/prismaSchema.test.ts compares.
a row moved to another company | UPDATE people SET company_id = 'c2' WHERE company_id = 'c' AND id = 'q' | 42501 permission denied for table people
a public link of another company | UPDATE resource_hub_documents SET public_token = 'theirs' WHERE company_id = 'c' AND id = 'd' | 23503 insert or update on table "resource_hub_documents" violates foreign key constraint "resource_hub_documents_company_id_public_token_fkey"
# Ids, names and values.
an id that changes | UPDATE goals SET id = 'other' WHERE company_id = 'c' AND id = 'g' | 42501 permission denied for table goals
an empty id | INSERT INTO spaces (company_id, id, name) VALUES ('c', '', 'Sales') | 23514 new row for relation "spaces" violates check constraint "spaces_id"
a company without a name | UPDATE companies SET name = '' WHERE id = 'c' | 23514 new row for relation "companies" violates check constraint "companies_name"
a goal with an empty name | UPDATE goals SET name = '' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_name"
a file without a file name | INSERT INTO blobs (company_id, filename, size, content_type) VALUES ('c', '', 1, 'text/plain') | 23514 new row for relation "blobs" violates check constraint "blobs_filename"
a target that is not a number | UPDATE targets SET value = 'NaN' WHERE company_id = 'c' AND id = 'm' | 23514 new row for relation "targets" violates check constraint "targets_numbers"
a negative position | UPDATE targets SET index = -1 WHERE company_id = 'c' AND id = 'm' | 23514 new row for relation "targets" violates check constraint "targets_index"
# Times.
a time that never comes | UPDATE goals SET next_update_scheduled_at = 'infinity' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_times"
a date that never comes | UPDATE goals SET end_date_type = 'day', end_date_value = 'Never', end_date = 'infinity' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_dates"
a date without its type | UPDATE goals SET start_date = '2026-05-01' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_start_date"
a date that shows nothing | UPDATE goals SET end_date_type = 'day', end_date_value = '', end_date = '2026-05-01' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_date_values"
# Goals.
half an end date | UPDATE goals SET end_date_type = 'day', end_date_value = 'May' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_end_date"
a closed goal without an outcome | UPDATE goals SET closed_at = now(), closed_by_id = 'p' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_closed"
a goal that is part of itself | UPDATE goals SET parent_goal_id = 'g' WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_parent"
a goal that is part of one of its parts | UPDATE goals SET parent_goal_id = 'gg' WHERE company_id = 'c' AND id = 'g' | 23514 goal g would be part of itself
a check-in that nobody has acknowledged, at some time | UPDATE goal_progress_updates SET acknowledged_at = now() WHERE company_id = 'c' AND id = 'u' | 23514 new row for relation "goal_progress_updates" violates check constraint "goal_progress_updates_acknowledged"
a deleted goal | DELETE FROM goals WHERE company_id = 'c' AND id = 'g' | 42501 permission denied for table goals
# People and access.
a level of a space that is none of the ladder | UPDATE spaces SET space_level = 50 WHERE company_id = 'c' AND id = 's' | 23514 new row for relation "spaces" violates check constraint "spaces_levels"
a level of a project that is none of the ladder | UPDATE projects SET public_level = 50 WHERE company_id = 'c2' AND id = 'r2' | 23514 new row for relation "projects" violates check constraint "projects_levels"
a level that is none of the ladder | UPDATE goals SET company_level = 50 WHERE company_id = 'c' AND id = 'g' | 23514 new row for relation "goals" violates check constraint "goals_levels"
a grant on two records | INSERT INTO access_grants (company_id, person_id, goal_id, space_id, level) VALUES ('c', 'q', 'g', 's', 70) | 23514 new row for relation "access_grants" violates check constraint "access_grants_one_resource"
# Hubs, folders and files.
a folder without a name | UPDATE resource_hub_folders SET name = '' WHERE company_id = 'c' AND id = 'f' | 23514 new row for relation "resource_hub_folders" violates check constraint "resource_hub_folders_name"
a hub of nothing | INSERT INTO resource_hubs (company_id, name) VALUES ('c', 'Hub') | 23514 new row for relation "resource_hubs" violates check constraint "resource_hubs_one_parent"
a folder in itself | UPDATE resource_hub_folders SET parent_folder_id = 'f' WHERE company_id = 'c' AND id = 'f' | 23514 folder f would be inside itself
a folder in one that it holds | UPDATE resource_hub_folders SET parent_folder_id = 'ff' WHERE company_id = 'c' AND id = 'f' | 23514 folder f would be inside itself
a negative size | UPDATE blobs SET size = -1 WHERE company_id = 'c' AND id = 'b' | 23514 new row for relation "blobs" violates check constraint "blobs_size"
a picture without width | UPDATE blobs SET width = 0, height = 1 WHERE company_id = 'c' AND id = 'b' | 23514 new row for relation "blobs" violates check constraint "blobs_dimensions"
a file that somebody deleted and that is there | UPDATE resource_hub_files SET deleted_by_id = 'p' WHERE company_id = 'c' AND id = 'x' | 23514 new row for relation "resource_hub_files" violates check constraint "resource_hub_files_deleted"
# Documents and versions.
a draft with a date | UPDATE resource_hub_documents SET published_at = now() WHERE company_id = 'c' AND id = 'draft' | 23514 new row for relation "resource_hub_documents" violates check constraint "resource_hub_documents_published"
a new text without a version | UPDATE resource_hub_documents SET content = 'other' WHERE company_id = 'c' AND id = 'd' | 23514 document d has another name or content than its current version: add a version
a version with another text than the document | UPDATE resource_hub_documents SET name = 'Three', content = 'three', current_version = 3 WHERE company_id = 'c' AND id = 'd'; VERSION ('c', 'd', 3, 'Three', 'four', 'p', 'edited') | 23514 document d has another name or content than its current version: add a version
a version that is not the current one | VERSION ('c', 'd', 3, 'Three', 'three', 'p', 'edited') | 23514 the current version of document d is not its latest
a restored version that repeats none | UPDATE resource_hub_documents SET name = 'Three', content = 'three', current_version = 3 WHERE company_id = 'c' AND id = 'd'; VERSION ('c', 'd', 3, 'Three', 'three', 'p', 'restored') | 23514 new row for relation "document_versions" violates check constraint "document_versions_restored"
a version that changes | UPDATE document_versions SET title = 'Other' WHERE company_id = 'c' AND id = 'v1' | 42501 permission denied for table document_versions
a published document without a version | UPDATE resource_hub_documents SET state = 'published', published_at = now() WHERE company_id = 'c' AND id = 'draft' | 23514 new row for relation "resource_hub_documents" violates check constraint "resource_hub_documents_draft"
a shared draft | INSERT INTO public_links (company_id, token) VALUES ('c', 'new'); UPDATE resource_hub_documents SET public_token = 'new' WHERE company_id = 'c' AND id = 'draft' | 23514 new row for relation "resource_hub_documents" violates check constraint "resource_hub_documents_public"
a link that no browser keeps | INSERT INTO public_links (company_id, token) VALUES ('c', 'a/b') | 23514 new row for relation "public_links" violates check constraint "public_links_token"
# What people say and are told, and events.
a reaction to two things | INSERT INTO reactions (company_id, person_id, emoji, file_id, document_id) VALUES ('c', 'p', '-', 'x', 'd') | 23514 new row for relation "reactions" violates check constraint "reactions_one_subject"
a list of nothing | INSERT INTO subscription_lists (company_id) VALUES ('c') | 23514 new row for relation "subscription_lists" violates check constraint "subscription_lists_one_parent"
a restore that made no version | INSERT INTO activities (company_id, action, author_id, document_id) VALUES ('c', 'document_version_restored', 'p', 'd') | 23514 new row for relation "activities" violates check constraint "activities_version"
an undone outcome without its time | INSERT INTO activities (company_id, action, author_id, goal_id, undone_success) VALUES ('c', 'goal_reopened', 'p', 'g', true) | 23514 new row for relation "activities" violates check constraint "activities_undone_outcome"
an activity about nothing | INSERT INTO activities (company_id, action, author_id) VALUES ('c', 'goal_closed', 'p') | 23514 new row for relation "activities" violates check constraint "activities_one_subject"
an activity about something else than its action says | INSERT INTO activities (company_id, action, author_id, file_id) VALUES ('c', 'goal_closed', 'p', 'x') | 23514 new row for relation "activities" violates check constraint "activities_subject_of_action"
an activity in the name of Goalpost | INSERT INTO activities (company_id, action, author_id, goal_id, origin) VALUES ('c', 'goal_closed', 'p', 'g', 'api') | 42501 permission denied for table activities
an event with a number of its own | INSERT INTO activities (company_id, action, author_id, goal_id, sequence) VALUES ('c', 'goal_closed', 'p', 'g', 1) | 42501 permission denied for table activities
a message with what Goalpost has done | INSERT INTO comment_threads (company_id, activity_id, message) VALUES ('c', 'done', 'Trust me') | 23514 activity done is of an operation, which alone adds its thread
who has made the outcome of a record | UPDATE goals SET outcome_activity_id = 't' WHERE company_id = 'c' AND id = 'g' | 42501 permission denied for table goals
the number of the last event | UPDATE companies SET last_sequence = 0 WHERE id = 'c' | 42501 permission denied for table companies
a comment on two records | INSERT INTO comments (company_id, author_id, content, file_id, document_id) VALUES ('c', 'p', 'Hi', 'x', 'd') | 23514 new row for relation "comments" violates check constraint "comments_one_subject"
a reaction without an emoji | INSERT INTO reactions (company_id, person_id, emoji, file_id) VALUES ('c', 'p', '', 'x') | 23514 new row for relation "reactions" violates check constraint "reactions_emoji"
# What is none of its business.
the hashes of tokens | SELECT hash FROM api_tokens | 42501 permission denied for table api_tokens
a token of its own making | INSERT INTO token_companies (company_id, hash) VALUES ('c', sha256('mine')) | 42501 permission denied for table token_companies
the position of a webhook | UPDATE webhooks SET position = 0 | 42501 permission denied for table webhooks
the record of migrations | DELETE FROM _prisma_migrations | 42501 permission denied for table _prisma_migrations
all goals at once | TRUNCATE goals CASCADE | 42501 permission denied for table goals
a trigger that is off | ALTER TABLE document_versions DISABLE TRIGGER ALL | 42501 must be owner of table document_versions
a table of its own | CREATE TABLE mine (id int) | 42501 permission denied for schema public
`
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | '));

describe('the database refuses what an application should not write, in words of the rule', () => {
  test.each(wrong)('%s', async (_, sql = '', told = '') => {
    expect(await attempt(sql.replace('VERSION', version))).toBe(told);
  });
});

const levels = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'];

/** Two sessions of the application, in transactions of that level which have both seen the table as it is. */
async function twoSessions(level: string, table: string, rows: string) {
  const sessions = [1, 2].map(() => new pg.Client({ connectionString: url.href }));
  onTestFinished(() => Promise.all(sessions.map((session) => session.end())).then(() => {}));
  for (const session of sessions) await session.connect();
  await sessions[0]?.query(rows);
  for (const session of sessions) {
    await session.query(`BEGIN ISOLATION LEVEL ${level}`);
    await session.query(`SELECT count(*) FROM ${table}`);
  }
  return sessions as [pg.Client, pg.Client];
}

const outcomeOf = (session: pg.Client): Promise<string> =>
  session.query('COMMIT').then(
    () => 'committed',
    (error) => error.code,
  );

describe.each(levels)('%s: two sessions at once', (level) => {
  const idOf = (name: string) => `${level} ${name}`;
  const tables = [
    ['goals', 'parent_goal_id', 'space_id', 's'],
    ['resource_hub_folders', 'parent_folder_id', 'resource_hub_id', 'h'],
  ] as const;
  test.each(tables)('make no cycle of %s together', async (table, parent, column, owner) => {
    const [levelColumns, open] = table === 'goals' ? [', company_level, space_level', ', 70, 100'] : ['', ''];
    // Two chains of three: each session hangs the top of one under the end of the other.
    const chain = (name: string) =>
      [1, 2, 3].map(
        (n) => `('c', '${idOf(name + n)}', '${owner}', ${n > 1 ? `'${idOf(`${name}${n - 1}`)}'` : 'NULL'}, 'x'${open})`,
      );
    const rows = [...chain('a'), ...chain('b')].join();
    const [one, other] = await twoSessions(
      level,
      table,
      `INSERT INTO ${table} (company_id, id, ${column}, ${parent}, name${levelColumns}) VALUES ${rows}`,
    );
    const move = (what: string, under: string) =>
      `UPDATE ${table} SET ${parent} = '${idOf(under)}' WHERE company_id = 'c' AND id = '${idOf(what)}'`;
    await one.query(move('a1', 'b3'));
    await other.query(move('b1', 'a3'));
    const outcomes = await Promise.all([one, other].map(outcomeOf));
    const refused = level === 'READ COMMITTED' ? '23514' : '40001';
    expect(outcomes.toSorted()).toEqual([refused, 'committed']);
  });
});

test('every function finds what it names whatever the search_path of its caller', async () => {
  const functions = await world.sql(
    `SELECT p.oid::regprocedure::text AS name, l.lanname AS language, p.proconfig AS settings, p.prosqlbody IS NOT NULL AS "isParsed"
     FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  );
  expect(functions.length).toBeGreaterThan(15);
  const open = functions.filter(
    ({ settings, isParsed }) =>
      !isParsed && !settings?.some((each: string) => /^search_path=(public|pg_catalog), pg_temp$/.test(each)),
  );
  expect(open).toEqual([]);
});

test('no time or date of a table is beyond what a response can say', async () => {
  const columns = await world.sql(
    `SELECT table_name AS table, column_name AS name, data_type = 'date' AS is_date FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = ANY ($1) AND (data_type LIKE 'timestamp%' OR data_type = 'date')
       AND column_name <> 'recorded_at'`,
    [[...tables]],
  );
  const checks = await world.sql(
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE contype = 'c' AND (conname LIKE '%\\_times' OR conname LIKE '%\\_dates')`,
  );
  const bounded = columns.filter(({ table, name }) =>
    checks.some((check) => check.table === table && check.text.includes(`(${name} >= '1000-01-01`)),
  );
  expect(columns.length).toBeGreaterThan(40);
  expect(columns).toEqual(bounded);
});

test('every text that an import writes has a bound', async () => {
  const columns = await world.sql(
    `SELECT c.table_name AS table, c.column_name AS name,
       ARRAY(SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = c.table_name::regclass AND contype IN ('c', 'f')) AS rules
     FROM information_schema.columns c
     WHERE c.table_schema = 'public' AND c.table_name = ANY ($1) AND c.data_type = 'text' AND c.is_generated = 'NEVER'`,
    [[...tables]],
  );
  const isBounded = ({ name, rules }: { name: string; rules: string[] }) =>
    rules.some(
      (rule) => rule.includes(`length(${name})`) || new RegExp(`FOREIGN KEY .*\\b${name}\\b.*REFERENCES`).test(rule),
    );
  const unbounded = columns
    .filter((column) => !isBounded(column as never))
    .map(({ table, name }) => `${table}.${name}`);
  // Of these, a trigger, a check of their characters or an operation decides what they are.
  const wrong = unbounded.filter((name) => !/\.(id|token|surface|filename|\w+_id)$/.test(name));
  expect(wrong, 'give each a bound in the migration: CHECK (length(…) <= 4000000) NOT VALID').toEqual([]);
});

/** The schemas of the format by the table of their records, those in other records included. */
function recordsOf(table: Table, schema: z.core.$ZodType): [Table, z.ZodObject][] {
  const record = unwrap(schema) as z.ZodObject;
  const inside =
    table === 'resource_hub_files' ? [...children[table], { table: 'blobs', field: 'blob' } as const] : children[table];
  return [
    [table, record],
    ...inside.flatMap(({ table: child, field }) => {
      const value = unwrap(record.shape[field]);
      return recordsOf(child, value instanceof z.ZodArray ? value.element : value);
    }),
  ];
}

test('the import takes texts that are as long as the database takes, and none that are longer', async () => {
  const formats: [Table, z.core.$ZodType][] = [
    ['companies', workspace.shape.company],
    ...Object.entries(lists).map(([list, { table }]): [Table, z.core.$ZodType] => {
      return [table, (unwrap(workspace.shape[list as ListName]) as z.ZodArray).element];
    }),
  ];
  const fields = new Map(
    formats
      .flatMap(([table, schema]) => recordsOf(table, schema))
      .flatMap(([table, { shape }]) => Object.entries(shape).map(([name, schema]) => [`${table}.${name}`, schema])),
  );
  const ofImport = [...fields].flatMap(([name, schema]) => {
    const takes = (length: number) => schema.safeParse('x'.repeat(length)).success;
    const most = [255, 500, 4_000_000].find((each) => takes(each) && !takes(each + 1));
    return most === undefined ? [] : [`${name}: ${most}`];
  });
  const checks = await world.sql(
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE contype = 'c'`,
  );
  const bounds = checks.flatMap(({ table, text }) =>
    [...text.matchAll(/\blength\((\w+)\) <= (\d+)/g)].map(([, name, most]) => `${table}.${name}: ${most}`),
  );
  expect(ofImport.length).toBeGreaterThan(30);
  expect(ofImport.filter((bound) => !bounds.includes(bound))).toEqual([]);
});

test('docs/sql.md has the rule of each constraint that the application can meet', async () => {
  const names = await world.sql(
    `SELECT n.conname AS name FROM pg_constraint n
     WHERE n.connamespace = 'public'::regnamespace AND n.conrelid::regclass::text = ANY ($1) AND n.contype IN ('c', 'u', 't')
       -- It may write one of the columns, and the primary key is not contained in them.
       AND (n.contype = 't' OR EXISTS (
         SELECT FROM unnest(n.conkey) k JOIN pg_attribute a ON a.attrelid = n.conrelid AND a.attnum = k
         WHERE a.attname <> 'company_id' AND has_column_privilege($2, n.conrelid, k, 'INSERT')))
       AND NOT (n.contype = 'u' AND EXISTS (
         SELECT FROM pg_constraint p WHERE p.conrelid = n.conrelid AND p.contype = 'p' AND p.conkey <@ n.conkey))`,
    [[...tables], application.name],
  );
  const found = names.map(({ name }): string => name);
  const patterns = rowsOf(sectionOf(textOf('docs/sql.md'), 'What the database refuses'))
    .flatMap(([cell = '']) => cell.split(', '))
    .map((pattern) => pattern.slice(1, -1));
  const matches = (pattern: string, name: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
  expect(found.length).toBeGreaterThan(80);
  const missing = found.filter((name) => !patterns.some((pattern) => matches(pattern, name)));
  expect(missing, 'add each to a row of docs/sql.md, "What the database refuses"').toEqual([]);
  expect(patterns.filter((pattern) => !found.some((name) => matches(pattern, name)))).toEqual([]);
});
