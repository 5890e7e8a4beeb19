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
  const makeRoles = () => commandOutput(roles, { DATABASE_URL: database.directUrl, ...passwords });
  await makeRoles();
  await commandOutput(['migrate'], { DATABASE_URL: urlOf(owner) });
  await makeRoles();
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

describe('the SQL of docs/sql.md, as it stands, as the role of the application', () => {
  test('makes people and their access', async () => {
    for (const sql of statements('People and access')) await run(sql);
    for (const person of ['ann', 'ben', 'eve']) {
      const asked = ['token', 'create', '--company', 'acme', '--person', person, '--name', 'page', '--write'];
      tokens[person] = await commandOutput(asked, { DATABASE_URL: urlOf(gateway) });
    }
    const spaces = '{ viewer { isOwner person { fullName type } } spaces { nodes { id isMember } } }';
    const seen = { nodes: [{ id: 'product', isMember: true }] };
    expect(await ask('ann', spaces)).toMatchObject({ viewer: { isOwner: true }, spaces: seen });
    expect(await ask('ben', spaces)).toMatchObject({ viewer: { person: { fullName: 'Ben Example' } }, spaces: seen });
    expect(await ask('eve', spaces)).toMatchObject({ viewer: { person: { type: 'GUEST' } }, spaces: { nodes: [] } });
  });

  test('creates a goal, checks in and closes it once, and notifies who can see it', async () => {
    const [create, checkIn, acknowledge, close, read] = statements('Goals');
    const goal = () =>
      ask(
        'ben',
        '{ goal(id: "launch") { status progressPercentage closedBy { id } success updatedAt notifications { isRead } } }',
      );
    await run(create);
    expect(await goal()).toMatchObject({ goal: { status: 'PENDING', progressPercentage: 0, closedBy: null } });
    const before = await goal();
    await run(checkIn);
    await run(acknowledge);
    expect(await goal()).toMatchObject({ goal: { status: 'ON_TRACK', progressPercentage: 50 } });
    expect((await goal()).goal.updatedAt > before.goal.updatedAt).toBe(true);
    const checkInSeen =
      '{ goal(id: "launch") { lastCheckIn { isAcknowledged acknowledgingPerson { id } commentsCount } } }';
    expect((await ask('ann', checkInSeen)).goal.lastCheckIn).toEqual({
      ...{ isAcknowledged: true, acknowledgingPerson: { id: 'ben' }, commentsCount: 1 },
    });
    expect(await run(close)).toEqual([1]);
    expect(await run(close)).toEqual([0]);
    expect(await goal()).toMatchObject({
      goal: { status: 'ACHIEVED', success: true, closedBy: { id: 'ann' }, notifications: [{ isRead: false }] },
    });
    const unread = '{ goal(id: "launch") { notifications { id } } }';
    expect(await ask('ann', unread)).toEqual({ goal: { notifications: [] } });
    expect(await run(read)).toEqual([1]);
    expect(await ask('ben', unread)).toEqual({ goal: { notifications: [] } });
    expect(await events('ben')).toEqual([
      ['GOAL_CREATED', 'APPLICATION'],
      ['GOAL_CLOSED', 'APPLICATION'],
    ]);
    const named = '{ goal(id: "launch") { activities { nodes { name author { id } } } } }';
    expect((await ask('ann', named)).goal.activities.nodes).toEqual([
      { name: 'Launch in spring', author: { id: 'ann' } },
      { name: 'Launch in spring', author: { id: 'ann' } },
    ]);
  });

  test('uploads, moves and deletes a file, which Goalpost recovers for its subscribers', async () => {
    const [hub, upload, move, remove] = statements('Files');
    await run(hub);
    await run(upload);
    const file =
      '{ resourceHubFile(id: "poster") { type size blob { url } pathToFile { name } subscriptionList { subscriptions { person { id } } } } }';
    expect(await ask('ben', file)).toEqual({
      resourceHubFile: {
        type: 'image/png',
        size: 48213,
        blob: { url: 'https://files.example.com/poster.png' },
        pathToFile: [{ name: 'Plans' }],
        subscriptionList: { subscriptions: [{ person: { id: 'ben' } }] },
      },
    });
    await run(move);
    expect((await ask('ben', file)).resourceHubFile.pathToFile).toEqual([{ name: 'Archive' }, { name: 'Old plans' }]);
    await run(remove);
    expect((await ask('ben', file)).resourceHubFile).toBeNull();
    const deleted = '{ resourceHub(id: "papers") { deletedFiles { nodes { id deletedBy { id } } } } }';
    expect((await ask('ann', deleted)).resourceHub.deletedFiles.nodes).toEqual([
      { id: 'poster', deletedBy: { id: 'ben' } },
    ]);
    const change = { file_id: 'poster' };
    expect(await server.client.post(restPaths.recoverResourceHubFile, tokens.ann ?? '', change)).toMatchObject({
      status: 200,
    });
    expect(await server.client.post(restPaths.deleteResourceHubFile, tokens.ann ?? '', change)).toMatchObject({
      status: 200,
    });
    const told = '{ viewer { notifications { nodes { activity { action } } } } }';
    const actions = (await ask('ben', told)).viewer.notifications.nodes.map(({ activity }: Json) => activity.action);
    expect(actions).toContain('RESOURCE_HUB_FILE_DELETED');
    expect((await events('ann')).slice(2)).toEqual([
      ['RESOURCE_HUB_FILE_CREATED', 'APPLICATION'],
      ['RESOURCE_HUB_FILE_DELETED', 'APPLICATION'],
      ['RESOURCE_HUB_FILE_RECOVERED', 'API'],
      ['RESOURCE_HUB_FILE_DELETED', 'API'],
    ]);
  });

  test('publishes and edits a document, from the version that was seen', async () => {
    const [draft, publish, edit, talk] = statements('Documents');
    const document =
      '{ resourceHubDocument(id: "plan") { name content state currentVersion commentsCount publicUrl versions { nodes { versionNumber title origin editor { id } } } } }';
    await run(draft);
    expect((await ask('ann', document)).resourceHubDocument).toMatchObject({ state: 'DRAFT', currentVersion: null });
    expect((await ask('ben', document)).resourceHubDocument).toBeNull();
    expect(await run(publish)).toEqual([1]);
    expect(await run(publish)).toEqual([0]);
    expect((await ask('ben', document)).resourceHubDocument).toMatchObject({
      state: 'PUBLISHED',
      currentVersion: 1,
      publicUrl: null,
    });
    expect(await run(edit)).toEqual([1]);
    expect(await run(edit)).toEqual([0]);
    await run(talk);
    const change = { document_id: 'plan', version_number: 1, expected_current_version: 2 };
    expect((await server.client.post(restPaths.restoreDocumentVersion, tokens.ben ?? '', change)).status).toBe(200);
    expect(await run(edit)).toEqual([0]);
    expect((await ask('ben', document)).resourceHubDocument).toMatchObject({
      ...{ name: 'Plan', content: 'Spring.', currentVersion: 3, commentsCount: 1 },
      publicUrl: expect.stringMatching(/\/public\/documents\/q7Jw2nVx$/),
      versions: {
        nodes: [
          { versionNumber: 3, title: 'Plan', origin: 'RESTORED', editor: { id: 'ben' } },
          { versionNumber: 2, title: 'Plan B', origin: 'EDITED', editor: { id: 'ben' } },
          { versionNumber: 1, title: 'Plan', origin: 'PUBLISHED', editor: { id: 'ann' } },
        ],
      },
    });
    expect((await events('ben')).slice(-3)).toEqual([
      ['RESOURCE_HUB_DOCUMENT_CREATED', 'APPLICATION'],
      ['RESOURCE_HUB_DOCUMENT_EDITED', 'APPLICATION'],
      ['DOCUMENT_VERSION_RESTORED', 'API'],
    ]);
  });

  test('changes access, and suspends a person', async () => {
    const [levels, suspend, ladder] = statements('Changing access');
    const goal = '{ goal(id: "launch") { permissions { canComment canEdit } } }';
    expect((await ask('eve', goal)).goal).toBeNull();
    for (let round = 0; round < 2; round += 1) await run(levels?.split('\n').slice(0, 2).join('\n'));
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
    const before = (await events('ann')).length;
    for (const sql of statements('Removing')) await run(sql);
    const gone =
      '{ goal(id: "launch") { id } resourceHub(id: "papers") { id } resourceHubDocument(id: "plan") { id } }';
    expect(await ask('ann', gone)).toEqual({ goal: null, resourceHub: null, resourceHubDocument: null });
    expect(await ask('ann', '{ goals { nodes { id } } resourceHubs { nodes { id } } }')).toEqual({
      goals: { nodes: [] },
      resourceHubs: { nodes: [] },
    });
    expect(before).toBeGreaterThan(0);
    expect(await events('ann')).toEqual([]);
  });
});

test('every statement of the page is in one of these sections', () => {
  const run = ['People and access', 'Goals', 'Files', 'Documents', 'Changing access', 'Removing'].flatMap(statements);
  expect(run).toEqual(blocksOf(page, 'sql'));
  expect(others.flatMap(statements)).toEqual([]);
});
