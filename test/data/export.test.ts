import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnDatabase, openModels } from '../../src/database.js';
import { exportWorkspace } from '../../src/workspace/export.js';
import { fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { tables } from '../../src/workspace/tables.js';
import { pathOf } from '../support/documents.js';
import { documentSource } from '../support/importDocument.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import { temporaryDatabase, temporaryFolder } from '../support/temporary.js';
import type { Json } from '../support/world.js';

const directory = await temporaryFolder();
const db = await openDatabase();
const elsewhere = await openDatabase();

async function openDatabase() {
  const { url } = await temporaryDatabase();
  const client = openModels({ url, poolSize: 2, preparedStatements });
  afterAll(() => client.$disconnect());
  return client;
}

beforeAll(async () => {
  await importFrom(db, fileSource(pathOf('prisma/demo-workspace.json')));
  await importFrom(db, documentSource(smallWorkspace()));
  // One that undoes another: the copy says so too.
  await db.prisma.$executeRawUnsafe(`
    UPDATE activities SET undoes_id = 'activity-audiobook-closed' WHERE id = 'activity-audiobook-reopened'`);
});

async function exported(from: OwnDatabase, companyId: string, options: Json = {}): Promise<string> {
  const pieces: string[] = [];
  await exportWorkspace(from, { companyId, ...options }, async (lines) => {
    for await (const line of lines) pieces.push(line);
  });
  return pieces.join('');
}

/** Of each row what a file says of it: not who wrote it, and when that was noted. */
async function rowsOf(client: OwnDatabase, companyId: string): Promise<Json> {
  const content: Json = {};
  for (const table of tables) {
    const where = table === 'companies' ? 'id' : 'company_id';
    const rows = await client.prisma.$queryRawUnsafe<{ row: string }[]>(
      `SELECT (to_jsonb(t) - '{origin,recorded_at,token_id,surface}'::text[])::text AS row FROM ${table} t
       WHERE ${where} = $1 ORDER BY 1`,
      companyId,
    );
    content[table] = rows.map(({ row }) => row);
  }
  return content;
}

test('an export is the same company wherever it is imported, row by row, and changes nothing where it comes from', async () => {
  const companyId = 'company-harborlight';
  const file = join(directory, 'export.ndjson');
  await writeFile(file, await exported(db, companyId, { links: true }));
  await importFrom(elsewhere, fileSource(file));
  expect(await rowsOf(elsewhere, companyId)).toEqual(await rowsOf(db, companyId));
  expect(await exported(elsewhere, companyId, { links: true })).toBe(readFileSync(file, 'utf8'));
  const { tables: counted } = await importFrom(db, fileSource(file), { update: true });
  const changes = Object.values(counted).map(({ added, changed, removed }) => added + changed + removed);
  expect(new Set(changes)).toEqual(new Set([0]));
});

test('an export has no links unless they are asked for', async () => {
  expect(await exported(db, 'small-company')).not.toContain('small-link');
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
