import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createEmptyDatabase } from '../../support/database.js';
import { blocksOf, sectionOf, textOf } from '../../support/documents.js';
import { commandOutput } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';
import { type Json, restPaths } from '../../support/world.js';

const page = textOf('docs/sql.md');
const { template, adminUrl } = inject('database');
const [owner, gateway, application] = ['sql_owner', 'sql_gateway', 'sql_app'].map((kind) => `${template}_${kind}`);
const names = [owner, gateway, application].map(String);
const password = 'x';

/** What runs of a section, one statement after the other, and how often. */
const statements = (heading: string) => blocksOf(sectionOf(page, heading), 'sql');
const others = ['What the database fills in', 'What the database refuses'];

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let server: Awaited<ReturnType<typeof startServer>>;
let client: pg.Client;
const tokens: Record<string, string> = {};

const urlOf = (username = '') => Object.assign(new URL(database.directUrl), { username, password }).href;

/** The rows that each statement of the block wrote. */
async function run(sql = ''): Promise<number[]> {
  const results = await client.query(sql);
  return [results].flat().map(({ rowCount }) => rowCount ?? 0);
}

async function ask(person: string, document: string): Promise<Json> {
  const { body } = await server.client.graphql(tokens[person] ?? '', document);
  return body.data ?? body;
}

/** The events that a person sees, once all have their number. */
async function events(person: string): Promise<[type: string, origin: string][]> {
  await expect
    .poll(() => query(database.directUrl, 'SELECT FROM activities WHERE sequence IS NULL'), { timeout: 10_000 })
    .toEqual([]);
  const { events: found } = await ask(person, '{ events(first: 100) { nodes { type origin } } }');
  return found.nodes.map(({ type, origin }: Json) => [type, origin]);
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  const roles = ['roles', '--owner', names[0], '--gateway', names[1], '--application', names[2], '--yes'].map(String);
  const passwords = { OWNER_PASSWORD: password, GATEWAY_PASSWORD: password, APPLICATION_PASSWORD: password };
  await commandOutput(roles, { DATABASE_URL: database.directUrl, ...passwords });
  await commandOutput(['migrate'], { DATABASE_URL: urlOf(owner) });
  await commandOutput(roles, { DATABASE_URL: database.directUrl });
  client = new pg.Client({ connectionString: urlOf(application) });
  await client.connect();
  // The page goes on from the first statements of docs/integrating.md.
  const [, first = ''] = /<<'SQL'\n(INSERT INTO companies .*?)^SQL$/ms.exec(textOf('docs/integrating.md')) ?? [];
  await run(first);
  server = await startServer({ DATABASE_URL: urlOf(gateway) });
});
afterAll(async () => {
  await server?.stop();
  await client?.end();
  await database.drop();
  for (const name of names) await query(adminUrl, `DROP ROLE ${name}`);
});

// What the database refuses an application is in test/data/applicationWrites.test.ts.
describe('the SQL of docs/sql.md, as it stands, as the role of the application', () => {
  test('makes people and their access', async () => {
    for (const sql of statements('People and access')) await run(sql);
    for (const person of ['ann', 'ben', 'eve']) {
      const asked = ['token', 'create', '--company', 'acme', '--person', person, '--name', 'page', '--write'];
      tokens[person] = await commandOutput(asked, { DATABASE_URL: urlOf(gateway) });
    }
    const spaces = '{ viewer { isOwner } spaces { nodes { id isMember } } }';
    const seen = { nodes: [{ id: 'product', isMember: true }] };
    expect(await ask('ann', spaces)).toEqual({ viewer: { isOwner: true }, spaces: seen });
    expect(await ask('ben', spaces)).toEqual({ viewer: { isOwner: false }, spaces: seen });
    expect(await ask('eve', spaces)).toEqual({ viewer: { isOwner: false }, spaces: { nodes: [] } });
  });

  test('creates a goal, checks in and closes it once, and notifies who can see it', async () => {
    const [create, checkIn, acknowledge, close, read] = statements('Goals');
    const goal = async () =>
      (await ask('ben', '{ goal(id: "launch") { status closedBy { id } notifications { read } } }')).goal;
    await run(create);
    expect(await goal()).toEqual({ status: 'PENDING', closedBy: null, notifications: [] });
    await run(checkIn);
    await run(acknowledge);
    expect(await goal()).toMatchObject({ status: 'ON_TRACK' });
    expect([await run(close), await run(close)]).toEqual([[1], [0]]);
    expect(await goal()).toEqual({ status: 'ACHIEVED', closedBy: { id: 'ann' }, notifications: [{ read: false }] });
    expect(await run(read)).toEqual([1]);
    expect(await goal()).toMatchObject({ notifications: [] });
    expect(await events('ben')).toEqual([
      ['GOAL_CREATED', 'APPLICATION'],
      ['GOAL_CLOSED', 'APPLICATION'],
    ]);
  });

  test('uploads, moves and deletes a file, which Goalpost recovers and deletes again', async () => {
    const [hub, upload, move, remove] = statements('Files');
    const file = async () =>
      (await ask('ben', '{ resourceHubFile(id: "poster") { size pathToFile { name } } }')).resourceHubFile;
    await run(hub);
    await run(upload);
    expect(await file()).toEqual({ size: 48213, pathToFile: [{ name: 'Plans' }] });
    await run(move);
    expect(await file()).toMatchObject({ pathToFile: [{ name: 'Archive' }, { name: 'Old plans' }] });
    await run(remove);
    expect(await file()).toBeNull();
    for (const path of [restPaths.recoverResourceHubFile, restPaths.deleteResourceHubFile])
      expect((await server.client.post(path, tokens.ann ?? '', { file_id: 'poster' })).status).toBe(200);
    expect((await events('ann')).slice(2)).toEqual([
      ['RESOURCE_HUB_FILE_CREATED', 'APPLICATION'],
      ['RESOURCE_HUB_FILE_DELETED', 'APPLICATION'],
      ['RESOURCE_HUB_FILE_RECOVERED', 'API'],
      ['RESOURCE_HUB_FILE_DELETED', 'API'],
    ]);
  });

  test('publishes and edits a document, from the version that was seen', async () => {
    const [draft, publish, edit, talk] = statements('Documents');
    const document = async (person: string) =>
      (await ask(person, '{ resourceHubDocument(id: "plan") { name state currentVersion commentsCount } }'))
        .resourceHubDocument;
    await run(draft);
    expect(await document('ann')).toMatchObject({ state: 'DRAFT', currentVersion: null });
    expect(await document('ben')).toBeNull();
    expect([await run(publish), await run(publish)]).toEqual([[1], [0]]);
    expect([await run(edit), await run(edit)]).toEqual([[1], [0]]);
    await run(talk);
    expect(await document('ben')).toEqual({
      ...{ name: 'Plan B', state: 'PUBLISHED', currentVersion: 2, commentsCount: 1 },
    });
    const change = { document_id: 'plan', version_number: 1, expected_current_version: 2 };
    expect((await server.client.post(restPaths.restoreDocumentVersion, tokens.ben ?? '', change)).status).toBe(200);
    expect(await run(edit)).toEqual([0]);
  });

  test('changes access, and suspends a person', async () => {
    const [levels, suspend, ladder] = statements('Changing access');
    const goal = '{ goal(id: "launch") { permissions { canComment canEdit } } }';
    expect((await ask('eve', goal)).goal).toBeNull();
    await run(levels);
    expect((await ask('eve', goal)).goal.permissions).toEqual({ canComment: true, canEdit: false });
    expect((await ask('ben', goal)).goal).toBeNull();
    const { rows } = await client.query(ladder ?? '');
    expect(rows.map(({ person_id, level }) => [person_id, level]).sort()).toEqual([
      ['ann', 100],
      ['eve', 40],
    ]);
    await run(suspend);
    expect((await server.client.graphql(tokens.ben ?? '', goal)).status).toBe(401);
  });

  test('removes what it has made', async () => {
    expect(await events('ann')).not.toEqual([]);
    for (const sql of statements('Removing')) await run(sql);
    const gone = '{ goals { totalCount } resourceHubs { totalCount } events(first: 1) { nodes { id } } }';
    expect(await ask('ann', gone)).toEqual({
      goals: { totalCount: 0 },
      resourceHubs: { totalCount: 0 },
      events: { nodes: [] },
    });
  });
});

test('every statement of the page is in one of these sections', () => {
  const run = ['People and access', 'Goals', 'Files', 'Documents', 'Changing access', 'Removing'].flatMap(statements);
  expect(run).toEqual(blocksOf(page, 'sql'));
  expect(others.flatMap(statements)).toEqual([]);
});
