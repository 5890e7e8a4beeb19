import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventSource } from '../../src/events/source.js';
import { numberEvents } from '../../src/platform/outbox/sequence.js';
import { createToken } from '../../src/tokens.js';
import { documentSource, fileSource, streamSource } from '../../src/workspace/file.js';
import { findingText, importFrom } from '../../src/workspace/import.js';
import { ImportError, type ImportOptions } from '../../src/workspace/report.js';
import { lists, tables } from '../../src/workspace/tables.js';
import { asAdministrator } from '../support/database.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** A file with this content. */
const fileOf = (document: Json) => streamSource(() => [Buffer.from(JSON.stringify(document))]);

let nextKey = 0;

/** A company that was imported, with an owner who has a token. */
async function imported(change: (document: Json) => void = () => {}) {
  nextKey += 1;
  const key = `w${nextKey}`;
  const document = smallWorkspace(key) as Json;
  document.people[0].is_owner = true;
  change(document);
  await importFrom(db, fileOf(document));
  const companyId: string = document.company.id;
  const { token } = await createToken(db, { companyId, personId: `${key}-ann`, name: 'Ann', canWrite: true });
  const update = (delta: Json, options: ImportOptions = {}) =>
    importFrom(db, fileOf({ company: document.company, ...delta }), { update: true, ...options });
  return { key, document, companyId, token, update, id: (name: string) => `${key}-${name}` };
}

/** Every row of the company, with the transaction that wrote it. */
async function contentOf(companyId: string): Promise<string> {
  const parts: string[] = [];
  for (const table of tables) {
    const where = table === 'companies' ? 'id' : 'company_id';
    const rows = await world.sql(`SELECT xmin::text, t.* FROM ${table} t WHERE ${where} = $1 ORDER BY t::text`, [
      companyId,
    ]);
    parts.push(`${table} ${JSON.stringify(rows)}`);
  }
  return parts.join('\n');
}

const rowOf = async (table: string, companyId: string, id: string): Promise<Json> =>
  (await world.sql(`SELECT * FROM ${table} WHERE company_id = $1 AND id = $2`, [companyId, id]))[0] as Json;

async function problemsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ImportError);
  return (error as ImportError).problems;
}

const counted = (report: Awaited<ReturnType<typeof importFrom>>) =>
  Object.fromEntries(
    Object.entries(report.tables).flatMap(([table, { added, changed, removed }]) =>
      added + changed + removed > 0 ? [[table, { added, changed, removed }]] : [],
    ),
  );

async function operate(token: string, field: Parameters<typeof mutation>[0], input: Json): Promise<void> {
  const { body } = await world.graphql(token, mutation(field, 'activity { id }'), { input });
  expect(body.errors).toBeUndefined();
}

describe('an update', () => {
  test('with the file as it was writes no row, however often it comes', async () => {
    const { document, companyId, update } = await imported();
    const before = await contentOf(companyId);
    for (let time = 0; time < 2; time += 1) {
      const report = await update(document);
      expect(counted(report)).toEqual({});
      expect(report.tables.goals.unchanged).toBe(2);
      expect(await contentOf(companyId)).toBe(before);
    }
  });

  test('changes the fields of the records that it names, and leaves the others alone', async () => {
    const { document, companyId, update, id } = await imported();
    const { description: _, ...goal } = document.goals[0];
    const report = await update({ goals: [{ ...goal, name: 'Renamed', targets: undefined }] });
    expect(counted(report)).toEqual({ goals: { added: 0, changed: 1, removed: 0 } });
    expect(report.findings.map(findingText)).toEqual([`goals[0] ("${id('goal')}"): name "Goal" → "Renamed"`]);
    const row = await rowOf('goals', companyId, id('goal'));
    expect(row.name).toBe('Renamed');
    expect(row.updated_at.getTime()).toBeGreaterThan(row.inserted_at.getTime());
    expect(await rowOf('targets', companyId, id('target'))).toBeDefined();
    expect((await rowOf('goals', companyId, id('subgoal'))).updated_at).toEqual(
      (await rowOf('goals', companyId, id('subgoal'))).inserted_at,
    );
  });

  test('takes a list as it is in the file: an omitted one stays, an empty one empties it', async () => {
    const { document, companyId, update, id } = await imported();
    const [goal] = document.goals;
    const [file] = document.files;
    const changed = {
      goals: [
        {
          ...goal,
          targets: [{ name: 'Other', from: 0, to: 2, value: 1 }],
          checklist: [],
          progress_updates: [{ ...goal.progress_updates[0], status: 'caution', comments: undefined }],
        },
      ],
      files: [
        {
          ...file,
          subscription_list: { subscriptions: undefined },
          reactions: [
            { person_id: id('ann'), emoji: '👍' },
            { person_id: id('ben'), emoji: '🎉' },
          ],
        },
      ],
    };
    const report = await update(changed);
    expect(counted(report)).toEqual({
      targets: { added: 0, changed: 1, removed: 0 },
      goal_checks: { added: 0, changed: 0, removed: 1 },
      goal_progress_updates: { added: 0, changed: 1, removed: 0 },
      reactions: { added: 1, changed: 0, removed: 0 },
    });
    const comments = await world.sql('SELECT content FROM comments WHERE company_id = $1', [companyId]);
    expect(comments).toEqual([{ content: 'Yes' }]);
    const emptied = await update({ goals: [{ ...changed.goals[0], progress_updates: [] }] });
    expect(counted(emptied)).toEqual({
      goal_progress_updates: { added: 0, changed: 0, removed: 1 },
      comments: { added: 0, changed: 0, removed: 1 },
    });
  });

  test('adds records, versions and activities, whose events follow those that there are', async () => {
    const { document, companyId, update, id } = await imported();
    const [published] = document.documents;
    const version = { version_number: 4, title: 'Four', content: 'four', editor_id: id('ben'), origin: 'edited' };
    const report = await update({
      goals: [{ ...document.goals[0], id: id('new'), name: 'New', targets: [], checklist: [], progress_updates: [] }],
      documents: [{ ...published, name: 'Four', content: 'four', versions: [version], activities: [] }],
    });
    expect(counted(report)).toMatchObject({
      goals: { added: 1 },
      activities: { added: 1 },
      document_versions: { added: 1 },
      resource_hub_documents: { changed: 1 },
    });
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Four',
      current_version: 4,
    });
    expect(await numberEvents(db, eventSource, companyId)).toMatchObject({ lastSequence: 3, numbered: 1 });
    const [last] = await world.sql('SELECT origin, goal_id FROM activities WHERE company_id = $1 AND sequence = 3', [
      companyId,
    ]);
    expect(last).toEqual({ origin: 'import', goal_id: id('new') });
  });

  test('of a company that does not exist is its first import', async () => {
    const document = smallWorkspace('first');
    const report = await importFrom(db, fileOf(document), { update: true });
    expect(report).toMatchObject({ isNew: true, companyId: 'first-company' });
    expect(counted(await importFrom(db, documentSource(document), { update: true }))).toEqual({});
  });

  test('that is a dry run reports the same, and writes nothing', async () => {
    const { document, companyId, update } = await imported();
    const before = await contentOf(companyId);
    const delta = { revision: 3, goals: [{ ...document.goals[0], name: 'Renamed', checklist: [] }] };
    const dry = await update(delta, { dryRun: true });
    expect(await contentOf(companyId)).toBe(before);
    expect(await update(delta)).toEqual(dry);
    expect(await contentOf(companyId)).not.toBe(before);
  });
});

describe('what operations have changed by an event that the file does not know', () => {
  const closing = { closed_at: '2026-02-01T00:00:00.000Z', success: true };
  const setUp = async () => {
    const company = await imported(({ goals }) => Object.assign(goals[0], closing));
    await operate(company.token, 'reopenGoal', { id: company.id('goal') });
    await operate(company.token, 'deleteResourceHubFile', { fileId: company.id('file') });
    return company;
  };

  test.each([
    ['not numbered yet', false],
    ['numbered', true],
  ])('stays, with an event that is %s; the rest of the record is updated', async (_case, isNumbered) => {
    const { document, companyId, update, id } = await setUp();
    if (isNumbered) await numberEvents(db, eventSource, companyId);
    const report = await update({
      as_of: 2,
      goals: [{ ...document.goals[0], name: 'Renamed' }],
      files: [{ ...document.files[0], name: 'renamed.txt' }],
    });
    expect(report).toMatchObject({ kept: 2, conflicts: 0 });
    expect(report.findings.slice(0, 2).map(findingText)).toEqual([
      expect.stringMatching(
        isNumbered
          ? /^files\[0\] .*keeps deleted_at ".*", which was changed by event 4 since; the file has null|^goals\[0\] .*keeps closed_at null, which was changed by event 3 since; the file has "2026-02-01/
          : /by event not numbered yet since/,
      ),
      expect.stringContaining("To take the file's word, import with --overwrite"),
    ]);
    expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ name: 'Renamed', closed_at: null });
    expect(await rowOf('resource_hub_files', companyId, id('file'))).toMatchObject({
      name: 'renamed.txt',
      deleted_at: expect.any(Date),
    });
  });

  test('gives way to a file that has taken the event in, and to --overwrite', async () => {
    for (const options of [{ as_of: 4 }, { overwrite: true }]) {
      const { document, companyId, update, id } = await setUp();
      await numberEvents(db, eventSource, companyId);
      const { as_of = 0, ...rest } = options as { as_of?: number; overwrite?: boolean };
      const report = await update({ as_of, goals: [document.goals[0]], files: [document.files[0]] }, rest);
      expect(report).toMatchObject({ kept: 0, conflicts: 0 });
      expect((await rowOf('goals', companyId, id('goal'))).closed_at).toEqual(new Date(closing.closed_at));
      expect((await rowOf('resource_hub_files', companyId, id('file'))).deleted_at).toBeNull();
    }
  });

  test('makes a strict update fail, and nothing is written', async () => {
    const { document, companyId, update } = await setUp();
    const before = await contentOf(companyId);
    const delta = { goals: [{ ...document.goals[0], name: 'Renamed' }] };
    expect(await problemsOf(update(delta, { strict: true }))).toEqual([
      expect.stringContaining('keeps closed_at null'),
    ]);
    expect(await contentOf(companyId)).toBe(before);
  });
});

describe('a document', () => {
  const version = (number: number, text: string, editor: string) => ({
    version_number: number,
    title: text,
    content: text.toLowerCase(),
    editor_id: editor,
    origin: 'edited',
  });
  const restored = async () => {
    const company = await imported();
    const input = { documentId: company.id('document'), versionNumber: 2, expectedCurrentVersion: 3 };
    await operate(company.token, 'restoreDocumentVersion', input);
    await numberEvents(db, eventSource, company.companyId);
    const [published] = company.document.documents;
    const own = version(4, 'Own', company.id('ben'));
    const edited = {
      ...published,
      name: 'Own',
      content: 'own',
      versions: [...published.versions, own],
      activities: [],
    };
    return { ...company, published, own, edited };
  };

  test('to which both sides have added stays as it is, and is a conflict that names both', async () => {
    const { companyId, update, edited, id } = await restored();
    const moved = { ...edited, parent_folder_id: id('folder') };
    for (const versions of [edited.versions, edited.versions.slice(3)]) {
      const report = await update({ as_of: 2, documents: [{ ...moved, versions }] });
      expect(report).toMatchObject({ conflicts: 1, kept: 0 });
      const [line] = report.findings.map(findingText);
      expect(line).toContain(`both sides have new versions: here version 4 by "${id('ann')}" at `);
      expect(line).toContain(`by event 3, in the file version 4 by "${id('ben')}"`);
      expect(line).toContain('Take the events in (as_of 3 or more) and number yours from 5 on; or import with');
    }
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Two',
      current_version: 4,
      parent_folder_id: id('folder'),
    });
    const [row] = await world.sql('SELECT conflicts, kept FROM imports WHERE company_id = $1', [companyId]);
    expect(row).toEqual({ conflicts: 1, kept: 0 });
  });

  test('is resolved by taking the event in, and numbering the own version after it', async () => {
    const { companyId, update, published, id } = await restored();
    const taken = { ...version(4, 'Two', id('ann')), origin: 'restored', restored_from_version_number: 2 };
    const next = version(5, 'Own', id('ben'));
    const versions = [...published.versions, taken, next];
    const document = { ...published, name: 'Own', content: 'own', versions, activities: [] };
    expect(await update({ as_of: 3, documents: [document] })).toMatchObject({ conflicts: 0, kept: 0 });
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Own',
      current_version: 5,
    });
  });

  test('whose history in the file is only shorter keeps what the gateway has added', async () => {
    const { companyId, update, published, id } = await restored();
    const report = await update({ as_of: 2, documents: [{ ...published, activities: [] }] });
    expect(report).toMatchObject({ conflicts: 0, kept: 1 });
    expect(report.findings.map(findingText)[0]).toMatch(
      /keeps version 4 .*added by event 3 since; the file has version 3/,
    );
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({ current_version: 4 });
  });

  test('gets the version of the file as its next one with --overwrite, and loses none', async () => {
    const { companyId, update, edited, id } = await restored();
    await update({ as_of: 2, documents: [edited] }, { overwrite: true });
    const versions = await world.sql(
      'SELECT version_number, title FROM document_versions WHERE company_id = $1 AND document_id = $2 ORDER BY 1',
      [companyId, id('document')],
    );
    expect(versions.map(({ title }) => title)).toEqual(['One', 'Two', 'One', 'Two', 'Own']);
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Own',
      current_version: 5,
    });
  });

  test.each<[string, (document: Json) => Json, string]>([
    [
      'a gap in its history',
      (published) => ({
        name: 'Six',
        content: 'six',
        versions: [{ ...published.versions[1], version_number: 6, title: 'Six', content: 'six' }],
      }),
      'versions[0].version_number: must be at most 5, the gateway has 4 versions',
    ],
    [
      'a state that would take history back',
      () => ({ state: 'draft', versions: undefined, published_at: undefined, public_token: undefined }),
      'state: is published here, and history is not taken back',
    ],
  ])('with %s is refused, and nothing is written', async (_case, change, problem) => {
    const { companyId, update, published } = await restored();
    const before = await contentOf(companyId);
    const wrong = { ...published, ...change(published), activities: [] };
    expect(await problemsOf(update({ documents: [wrong] }))).toEqual([`documents[0].${problem}`]);
    expect(await contentOf(companyId)).toBe(before);
  });
});

describe('what is removed', () => {
  const goalNamed = (id: string) => `{ goal(id: "${id}") { name } }`;

  test('is hidden from everybody with what is in it, and comes back when the file has it again', async () => {
    const { document, companyId, token, update, id } = await imported();
    const gone = { goals: [id('goal'), id('subgoal')], resource_hubs: [id('other-hub')] };
    const report = await update({ removed: gone });
    expect(report.tables.goals.removed).toBe(2);
    const { body } = await world.graphql(token, goalNamed(id('goal')));
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    const { body: list } = await world.graphql(token, '{ goals { totalCount nodes { id } } }');
    expect(list.data.goals).toEqual({ totalCount: 0, nodes: [] });
    await numberEvents(db, eventSource, companyId);
    const { body: feed } = await world.graphql(token, '{ events { nodes { type } } }');
    expect(feed.data.events.nodes.map(({ type }: Json) => type)).toEqual(['document_version.restored']);
    await update({ goals: document.goals, resource_hubs: document.resource_hubs });
    const { body: again } = await world.graphql(token, goalNamed(id('goal')));
    expect(again.data.goal).toEqual({ name: 'Goal' });
  });

  test('takes files and folders away, suspends people, and their tokens stay dead', async () => {
    const { companyId, token, update, id, document } = await imported();
    await update({
      removed: { folders: [id('folder'), id('subfolder')], files: [id('file')], people: [id('ann')] },
    });
    expect(await rowOf('resource_hub_files', companyId, id('file'))).toBeUndefined();
    expect(await world.sql('SELECT id FROM blobs WHERE company_id = $1', [companyId])).toEqual([]);
    expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(401);
    await update({ people: document.people });
    expect(await rowOf('people', companyId, id('ann'))).toMatchObject({ suspended_at: null });
    expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(401);
  });

  test('hides a document, whose history stays', async () => {
    const { companyId, token, update, id } = await imported();
    await update({ removed: { documents: [id('document'), id('never')] } });
    const { body } = await world.graphql(token, `{ resourceHubDocument(id: "${id('document')}") { name } }`);
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    const versions = await world.sql('SELECT id FROM document_versions WHERE company_id = $1', [companyId]);
    expect(versions).toHaveLength(3);
    expect(await world.sql('SELECT token FROM public_links WHERE company_id = $1', [companyId])).toEqual([]);
  });

  test('is refused if something of it would stay, or if the file has it too', async () => {
    const { companyId, update, id, document } = await imported();
    const before = await contentOf(companyId);
    const problems = await problemsOf(
      update({ goals: [document.goals[0]], removed: { goals: [id('goal')], folders: [id('folder')] } }),
    );
    expect(problems).toEqual([
      `goals[0].id: "${id('goal')}" is in removed.goals, too`,
      `removed.goals: "${id('goal')}" still has "${id('subgoal')}" in goals; name that too`,
      `removed.goals: "${id('goal')}" still has "${id('other-hub')}" in resource_hubs; name that too`,
      `removed.folders: "${id('folder')}" still has "${id('subfolder')}" in folders; name that too`,
      `removed.folders: "${id('folder')}" still has "${id('file')}" in files; name that too`,
    ]);
    expect(await contentOf(companyId)).toBe(before);
  });

  test('is what a whole file no longer names, with --remove-missing; half a file is refused', async () => {
    const { companyId, update, id, document } = await imported();
    const { goals, resource_hubs, ...rest } = document;
    const before = await contentOf(companyId);
    expect(await problemsOf(update(rest, { removeMissing: true }))).toEqual([
      'goals: must be in a file whose missing records are removed; the company has 2. Write an empty list if all are gone',
    ]);
    expect(await contentOf(companyId)).toBe(before);
    const whole = { ...rest, goals: [], resource_hubs: resource_hubs.slice(0, 1) };
    const report = await update(whole, { removeMissing: true });
    expect(report.tables.goals.removed).toBe(2);
    expect((await rowOf('goals', companyId, id('goal'))).removed_at).toBeInstanceOf(Date);
    expect(counted(await update(whole, { removeMissing: true }))).toEqual({});
  });
});

describe('an operation that commits while a file is being written', () => {
  /** Lets an update wait at the spaces, which come before goals and documents, until the operation has committed. */
  async function updateDuring(
    company: Awaited<ReturnType<typeof imported>>,
    delta: Json,
    operation: () => Promise<void>,
  ) {
    const { document, update, id } = company;
    const holder = new pg.Client({ connectionString: asAdministrator(world.url) });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM spaces WHERE id = $1 FOR NO KEY UPDATE', [id('space')]);
    const running = update({ ...delta, spaces: [{ ...document.spaces[0], name: 'Renamed' }] });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE spaces t SET%' AND datname = current_database()`;
    await expect.poll(async () => (await world.sql(waiting)).length, { timeout: 20_000 }).toBe(1);
    await operation();
    await holder.query('COMMIT');
    await holder.end();
    return running;
  }

  test('keeps its outcome on a goal that the file does not change', async () => {
    const company = await imported(({ goals }) =>
      Object.assign(goals[0], { closed_at: '2026-02-01T00:00:00Z', success: true }),
    );
    const { companyId, token, document, id } = company;
    await updateDuring(company, { goals: document.goals }, () => operate(token, 'reopenGoal', { id: id('goal') }));
    expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ closed_at: null });
    expect(await rowOf('spaces', companyId, id('space'))).toMatchObject({ name: 'Renamed' });
  });

  test('keeps its version of a document that the file does not change', async () => {
    const company = await imported();
    const { companyId, token, document, id } = company;
    const input = { documentId: id('document'), versionNumber: 2, expectedCurrentVersion: 3 };
    await updateDuring(company, { documents: document.documents }, () =>
      operate(token, 'restoreDocumentVersion', input),
    );
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Two',
      current_version: 4,
    });
  });
});

describe('the revision of a file', () => {
  test('must grow; the same file again is no failure, and another one of the same number is', async () => {
    const { document, companyId, update } = await imported();
    const named = (name: string, revision: number) => ({ revision, goals: [{ ...document.goals[0], name }] });
    await update(named('One', 7));
    const before = await contentOf(companyId);
    expect(await update(named('One', 7))).toMatchObject({ isRepeated: true });
    expect(await problemsOf(update(named('Two', 7)))).toEqual([
      'revision: must be higher than 7, the last one that was imported, which was another file',
    ]);
    expect(await problemsOf(update(named('Two', 6)))).toEqual([
      'revision: must be higher than 7, the last one that was imported',
    ]);
    expect(await contentOf(companyId)).toBe(before);
    await update(named('Two', 8));
    expect(await contentOf(companyId)).not.toBe(before);
  });

  test('is taken once, of many that come at the same moment', async () => {
    const { document, companyId, update } = await imported();
    const attempts = await Promise.allSettled(
      ['A', 'B', 'C', 'D'].map((name) => update({ revision: 1, goals: [{ ...document.goals[0], name }] })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [row] = await world.sql('SELECT revision::int FROM imports WHERE company_id = $1', [companyId]);
    expect(row).toEqual({ revision: 1 });
  });
});

describe('a database that was set back', () => {
  test('refuses what knows later events, until --resync takes a whole file as the truth', async () => {
    const { document, companyId, update, id } = await imported();
    const delta = { as_of: 99, revision: 5, goals: [{ ...document.goals[0], name: 'Later' }] };
    const [problem] = await problemsOf(update(delta));
    expect(problem).toMatch(/^as_of: must be at most 2, the last event of the company: the database was set back/);
    const whole = { ...document, ...delta, goals: [delta.goals[0], document.goals[1]] };
    await update(whole, { resync: true });
    expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ name: 'Later' });
  });

  test('keeps what operations change after the event up to which --resync knows them', async () => {
    const closing = { closed_at: '2026-02-01T00:00:00.000Z', success: true };
    const { document, companyId, token, update, id } = await imported(({ goals }) => Object.assign(goals[0], closing));
    await operate(token, 'reopenGoal', { id: id('goal') });
    await numberEvents(db, eventSource, companyId);
    await operate(token, 'deleteResourceHubFile', { fileId: id('file') });
    const report = await update({ ...document, as_of: 3 }, { resync: true });
    expect(report).toMatchObject({ kept: 1, conflicts: 0 });
    expect((await rowOf('goals', companyId, id('goal'))).closed_at).toEqual(new Date(closing.closed_at));
    expect((await rowOf('resource_hub_files', companyId, id('file'))).deleted_at).toBeInstanceOf(Date);
  });
});

describe('a reference of an update', () => {
  test('may lead to what the company has, and not to another company or to nothing', async () => {
    const other = await imported();
    const { document, companyId, update, id } = await imported();
    const goal = { ...document.goals[1], champion_id: id('ben'), reviewer_id: other.id('ann') };
    const before = await contentOf(companyId);
    expect(await problemsOf(update({ goals: [goal] }))).toEqual([
      `goals[0].reviewer_id: nothing in people has the id "${other.id('ann')}"`,
    ]);
    const circle = { ...document.goals[0], parent_goal_id: id('subgoal') };
    expect(await problemsOf(update({ goals: [circle] }))).toEqual([
      `goals[0].parent_goal_id: leads back to itself: "${id('goal')}" → "${id('subgoal')}" → "${id('goal')}"`,
    ]);
    expect(await problemsOf(update({ files: [{ ...document.files[0], resource_hub_id: id('other-hub') }] }))).toEqual([
      `files[0].parent_folder_id: "${id('folder')}" is a folder of "${id('hub')}", not of "${id('other-hub')}"`,
    ]);
    expect(await contentOf(companyId)).toBe(before);
  });
});

test.each<[string, (document: Json, id: (name: string) => string) => Json, (id: (name: string) => string) => string]>([
  [
    'a folder that contains itself by way of one that the file does not name',
    ({ folders }, id) => ({ folders: [{ ...folders[0], parent_folder_id: id('subfolder') }] }),
    (id) =>
      `folders[0].parent_folder_id: leads back to itself: "${id('folder')}" → "${id('subfolder')}" → "${id('folder')}"`,
  ],
  [
    'the id of another kind',
    ({ goals, spaces }, id) => ({ spaces, goals: [{ ...goals[0], champion_id: id('space') }] }),
    (id) => `goals[0].champion_id: nothing in people has the id "${id('space')}", it is the id of spaces[0]`,
  ],
  [
    'the id of another kind in removed, which is of a list that does not exist',
    (_document, id) => ({ removed: { targets: [id('target')] } }),
    () => 'removed.targets: unknown field',
  ],
  [
    'a public link of another company',
    ({ documents }) => ({ documents: [{ ...documents[0], public_token: 'taken' }] }),
    () => 'documents[0].public_token: "taken" exists already',
  ],
])('an update with %s is refused, and nothing is written', async (_case, change, message) => {
  await world.sql("INSERT INTO companies (id, name) VALUES ('taker', 'Taker') ON CONFLICT DO NOTHING");
  await world.sql("INSERT INTO public_links (company_id, token) VALUES ('taker', 'taken') ON CONFLICT DO NOTHING");
  const { document, companyId, update, id } = await imported();
  const before = await contentOf(companyId);
  expect(await problemsOf(update(change(document, id)))).toEqual([message(id)]);
  expect(await contentOf(companyId)).toBe(before);
});

test('an update of which half has arrived is refused with the place, whichever way it is written, and nothing is written', async () => {
  const { document, companyId } = await imported();
  const before = await contentOf(companyId);
  const text = JSON.stringify({ ...document, goals: [{ ...document.goals[0], name: 'Renamed' }] });
  const half = streamSource(() => [Buffer.from(text.slice(0, text.length / 2))], 'delta.json');
  expect(await problemsOf(importFrom(db, half, { update: true }))).toEqual([
    expect.stringMatching(/^delta\.json: is not valid JSON \(line 1, column \d+\)$/),
  ]);
  expect(await contentOf(companyId)).toBe(before);
});

describe('a file with a record in each line', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'goalpost-lines-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const kinds = Object.entries(lists).map(([list, { kind }]) => [list, kind]);
  const kindOf = { company: 'company', ...Object.fromEntries(kinds) };
  const linesOf = (document: Json) => {
    const lines = Object.entries(document).flatMap(([list, records]) =>
      [records].flat().map((record) => JSON.stringify({ kind: kindOf[list], ...(record as Json) })),
    );
    return [...lines, JSON.stringify({ kind: 'end', records: lines.length })];
  };
  const write = async (lines: string[]) => {
    const file = join(directory, `${createHash('sha256').update(lines.join()).digest('hex')}.ndjson`);
    await writeFile(file, lines.join('\n'));
    return file;
  };

  test('says the same as one document', async () => {
    const document = smallWorkspace('lines') as Json;
    const file = await write(linesOf(document));
    expect(await importFrom(db, fileSource(file))).toMatchObject({ isNew: true, companyId: 'lines-company' });
    expect(counted(await importFrom(db, documentSource(document), { update: true }))).toEqual({});
    expect(counted(await importFrom(db, fileSource(file), { update: true }))).toEqual({});
  });

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['that was cut', (lines) => lines.slice(0, -1), /has no record of kind end: it was cut/],
    ['without some of its lines', (lines) => lines.toSpliced(3, 1), /counts 14 records, but there are 13/],
    ['with more after its end', (lines) => [...lines, lines[0] ?? ''], /line 16: follows the record of kind end/],
    ['with an unknown kind', (lines) => ['{"kind":"gaol"}', ...lines], /line 1: kind must be one of company, person/],
    ['with half a line', (lines) => lines.with(2, '{"kind":"person", '), /is not valid JSON \(line 3, column/],
    [
      'with a wrong field',
      (lines) => lines.with(1, '{"kind":"person","id":"x","fullname":"X"}'),
      /line 2, full_name: is required\n.*line 2, fullname: unknown field, did you mean full_name\?/,
    ],
    [
      'with a record twice',
      (lines) => [lines[1] ?? '', ...lines.slice(0, -1), '{"kind":"end","records":15}'],
      /line 3, id: "bad-ann" is the same as line 1, id/,
    ],
  ])('%s is refused, and says the line', async (_case, change, message) => {
    const file = await write(change(linesOf(smallWorkspace('bad') as Json)));
    await expect(importFrom(db, fileSource(file))).rejects.toThrow(message);
    expect(await world.sql("SELECT id FROM companies WHERE id = 'bad-company'")).toEqual([]);
  });
});
