import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelDatabase, openModels } from '../../src/database.js';
import { exportWorkspace } from '../../src/workspace/export.js';
import { documentSource, fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { tables } from '../../src/workspace/tables.js';
import { createDatabase } from '../support/database.js';
import { pathOf } from '../support/documents.js';
import { goalpost } from '../support/goalpost.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import type { Json } from '../support/world.js';

let directory: string;
let db: ModelDatabase;
let url: string;

async function openDatabase() {
  const created = await createDatabase();
  const client = openModels({ url: created.url, poolSize: 2, preparedStatements });
  afterAll(async () => {
    await client.$disconnect();
    await created.drop();
  });
  return { client, url: created.url };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'goalpost-export-'));
  ({ client: db, url } = await openDatabase());
  await importFrom(db, fileSource(pathOf('prisma/demo-workspace.json')));
  await importFrom(db, documentSource(smallWorkspace()));
  // One that undoes another: the copy says so too.
  await db.$executeRawUnsafe(`
    UPDATE activities SET undoes_id = 'activity-audiobook-closed' WHERE id = 'activity-audiobook-reopened'`);
});
afterAll(() => rm(directory, { recursive: true }));

async function exported(from: ModelDatabase, companyId: string, options: Json = {}): Promise<string> {
  const pieces: string[] = [];
  await exportWorkspace(from, { companyId, ...options }, async (lines) => {
    for await (const line of lines) pieces.push(line);
  });
  return pieces.join('');
}

/** Of each row what a file says of it: not who wrote it, and when that was noted. */
async function rowsOf(client: ModelDatabase, companyId: string): Promise<Json> {
  const content: Json = {};
  for (const table of tables) {
    const where = table === 'companies' ? 'id' : 'company_id';
    const rows = await client.$queryRawUnsafe<{ row: string }[]>(
      `SELECT (to_jsonb(t) - '{origin,recorded_at,token_id,surface}'::text[])::text AS row FROM ${table} t
       WHERE ${where} = $1 ORDER BY 1`,
      companyId,
    );
    content[table] = rows.map(({ row }) => row);
  }
  return content;
}

describe.each(['company-harborlight', 'small-company'])('an export of %s', (companyId) => {
  test('is the same company wherever it is imported, row by row', async () => {
    const file = join(directory, `${companyId}.ndjson`);
    await writeFile(file, await exported(db, companyId, { links: true }));
    const { client: other } = await openDatabase();
    await importFrom(other, fileSource(file));
    expect(await rowsOf(other, companyId)).toEqual(await rowsOf(db, companyId));
    expect(await exported(other, companyId, { links: true })).toBe(readFileSync(file, 'utf8'));
  });

  test('changes nothing when it comes back as an update', async () => {
    const file = join(directory, `${companyId}-again.ndjson`);
    await writeFile(file, await exported(db, companyId, { links: true }));
    const report = await importFrom(db, fileSource(file), { update: true });
    const { added, changed, removed } = Object.values(report.tables).reduce((sum, each) => ({
      added: sum.added + each.added,
      changed: sum.changed + each.changed,
      removed: sum.removed + each.removed,
      unchanged: 0,
    }));
    expect({ added, changed, removed }).toEqual({ added: 0, changed: 0, removed: 0 });
  });
});

test('an export has no links unless they are asked for, and none of what is removed', async () => {
  const lines = await exported(db, 'small-company');
  expect(lines).not.toContain('small-link');
  expect(lines).toContain('"small-project"');
  const company = smallWorkspace().company;
  await importFrom(db, documentSource({ company, removed: { projects: ['small-project'] } }), { update: true });
  expect(await exported(db, 'small-company')).not.toContain('"small-project"');
});

test('an export is of one moment, whatever is written meanwhile', async () => {
  await importFrom(db, documentSource(smallWorkspace('moment')));
  const goalsOf = (lines: string[]) => lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'goal');
  const lines: string[] = [];
  await exportWorkspace(db, { companyId: 'moment-company' }, async (all) => {
    for await (const line of all) {
      if (lines.length === 0)
        await db.goal.updateMany({ where: { companyId: 'moment-company' }, data: { name: 'Renamed' } });
      lines.push(line);
    }
  });
  expect(goalsOf(lines).map(({ name }) => name)).toEqual(['Goal', 'Subgoal']);
});

test('an export has nothing of what lies in a removed hub, deleted files included', async () => {
  const workspace = smallWorkspace('hub');
  const files = workspace.files.map((file) => ({ ...file, deleted_at: '2026-01-01T00:00:00Z' }));
  await importFrom(db, documentSource({ ...workspace, files }));
  const id = (name: string) => `hub-${name}`;
  const removed = {
    resource_hubs: [id('hub')],
    folders: [id('folder'), id('subfolder')],
    documents: workspace.documents.map((document) => document.id),
  };
  await importFrom(db, documentSource({ company: workspace.company, removed }), { update: true });
  expect(await exported(db, 'hub-company')).not.toContain(`"${id('file')}"`);
});

test('an export has nothing that was removed, nor what hangs on it', async () => {
  await importFrom(db, documentSource(smallWorkspace('gone')));
  const id = (name: string) => `gone-${name}`;
  const removed = {
    goals: [id('goal'), id('subgoal')],
    resource_hubs: [id('other-hub')],
    folders: [id('folder'), id('subfolder')],
    files: [id('file')],
    documents: smallWorkspace('gone').documents.map((document) => document.id),
  };
  await importFrom(db, documentSource({ company: smallWorkspace('gone').company, removed }), { update: true });
  const lines = (await exported(db, 'gone-company')).trim().split('\n');
  const kept = lines.map((line) => JSON.parse(line)).map(({ kind }) => kind);
  expect(new Set(kept)).toEqual(new Set(['header', 'company', 'person', 'space', 'project', 'resource_hub', 'end']));
  for (const ids of Object.values(removed)) for (const each of ids) expect(lines.join()).not.toContain(`"${each}"`);
});

test('an export since an event has what operations have changed after it, and nothing else', async () => {
  await db.activity.create({
    data: {
      companyId: 'company-harborlight',
      goalId: 'goal-launch-mobile-app',
      authorId: 'person-tomas-okafor',
      action: 'goal_closed',
      name: 'Goal',
      origin: 'api',
    },
  });
  const { as_of: since } = JSON.parse((await exported(db, 'company-harborlight')).split('\n')[0] ?? '');
  const lines = (await exported(db, 'company-harborlight', { since })).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  expect(records.map(({ kind, id }) => [kind, id])).toEqual([
    ['header', undefined],
    ['company', 'company-harborlight'],
    ['goal', 'goal-launch-mobile-app'],
    ['end', undefined],
  ]);
  expect(records[0]).toEqual({ kind: 'header', as_of: since });
  await expect(exported(db, 'company-harborlight', { since: '5' })).rejects.toThrow(/takes a cursor of the feed/);
});

test('an export holds about a megabyte of records at a time, however long they are', async () => {
  const content = 'x'.repeat(200_000);
  const text = { title: 'T', content, editor_id: 'p', origin: 'published', version_number: 1 };
  const document = {
    resource_hub_id: 'h',
    name: 'T',
    content,
    author_id: 'p',
    state: 'published',
    published_at: '2026-01-01T00:00:00Z',
    versions: [text],
  };
  const short = { ...document, content: '', versions: [{ ...text, content: '' }] };
  await importFrom(
    db,
    documentSource({
      company: { id: 'long', name: 'Long' },
      people: [{ id: 'p', full_name: 'P' }],
      spaces: [{ id: 's', name: 'S' }],
      resource_hubs: [{ id: 'h', space_id: 's', name: 'H' }],
      // The long ones come when many short ones have been read at a time.
      documents: Array.from({ length: 200 }, (_, n) => ({ ...(n < 150 ? short : document), id: `d${1000 + n}` })),
    }),
  );
  let longest = 0;
  const transact = (work: (tx: Json) => Promise<unknown>, limits: { timeout: number }) =>
    db.$transaction((tx) => {
      const $queryRaw = async (...query: Json[]) => {
        const rows = await (tx.$queryRaw as Json)(...query);
        const lengths = rows.map(({ record = '' }: Json) => record.length);
        longest = Math.max(
          longest,
          lengths.reduce((sum: number, each: number) => sum + each, 0),
        );
        return rows;
      };
      return work({ $queryRaw, $executeRaw: tx.$executeRaw.bind(tx) });
    }, limits);
  let count = 0;
  await exportWorkspace(
    { $transaction: transact, $queryRaw: db.$queryRaw.bind(db) } as unknown as ModelDatabase,
    { companyId: 'long' },
    async (lines) => {
      for await (const line of lines) count += line.includes('"kind": "document"') ? 1 : 0;
    },
  );
  expect(count).toBe(200);
  expect(longest).toBeGreaterThan(800_000);
  expect(longest).toBeLessThan(1_500_000);
});

test('the command writes a file that only its owner reads, and says when there is no such company', async () => {
  const file = join(directory, 'command.ndjson');
  // Whoever has opened it could read what is written to it.
  await writeFile(file, '', { mode: 0o644 });
  const written = await goalpost(['export', file, '--company', 'company-harborlight'], { DATABASE_URL: url });
  expect(written.stderr).toMatch(/exported \d+ records to /);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const missing = await goalpost(['export', '--company', 'nobody'], { DATABASE_URL: url });
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('there is no company "nobody"');
});
