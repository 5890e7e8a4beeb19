import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventCursor } from '../../src/events/event.js';
import { eventSource } from '../../src/events/source.js';
import { numberEvents } from '../../src/platform/outbox/sequence.js';
import { createToken } from '../../src/tokens.js';
import { documentSource, fileSource, streamSource } from '../../src/workspace/file.js';
import { findingText, importFrom } from '../../src/workspace/import.js';
import { ImportError, type ImportOptions, UnknownChangesError } from '../../src/workspace/report.js';
import { lists, tables } from '../../src/workspace/tables.js';
import { asAdministrator } from '../support/database.js';
import { smallWorkspace, withoutLabel } from '../support/smallWorkspace.js';
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
  return (error as ImportError).problems.map(withoutLabel);
}

/** The cursor of the last event of a company, once all have their sequences. */
async function cursorNow(companyId: string): Promise<string> {
  await numberEvents(db, eventSource, companyId);
  const [row] = await world.sql(
    'SELECT sequence::int, id FROM activities WHERE company_id = $1 ORDER BY sequence DESC LIMIT 1',
    [companyId],
  );
  return eventCursor(row.sequence, row.id);
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
    const [comment] = await world.sql('SELECT id FROM comments WHERE company_id = $1', [companyId]);
    await world.sql("INSERT INTO reactions (company_id, person_id, comment_id, emoji) VALUES ($1, $2, $3, '👍')", [
      companyId,
      id('ann'),
      comment.id,
    ]);
    const emptied = await update({ goals: [{ ...changed.goals[0], progress_updates: [] }] });
    expect(counted(emptied)).toEqual({
      goal_progress_updates: { added: 0, changed: 0, removed: 1 },
      comments: { added: 0, changed: 0, removed: 1 },
      reactions: { added: 0, changed: 0, removed: 1 },
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

describe('a file that does not know what an operation has changed', () => {
  const closing = { closed_at: '2026-02-01T00:00:00.000Z', success: true };
  const setUp = async () => {
    const company = await imported(({ goals }) => Object.assign(goals[0], closing));
    await operate(company.token, 'reopenGoal', { id: company.id('goal') });
    await operate(company.token, 'deleteResourceHubFile', { fileId: company.id('file') });
    const input = { documentId: company.id('document'), versionNumber: 2, expectedCurrentVersion: 3 };
    await operate(company.token, 'restoreDocumentVersion', input);
    return company;
  };
  const refusalOf = async (attempt: Promise<unknown>) => {
    const error = await attempt.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownChangesError);
    return error as UnknownChangesError;
  };

  test.each([
    ['without a number yet', false],
    ['with a number', true],
  ])('is refused as a whole, by an event %s, and names each of its records', async (_case, isNumbered) => {
    const { document, companyId, update, id } = await setUp();
    if (isNumbered) await numberEvents(db, eventSource, companyId);
    const before = await contentOf(companyId);
    const delta = {
      goals: [document.goals[1], document.goals[0]],
      files: document.files,
      documents: document.documents,
      people: [{ ...document.people[0], full_name: 'Renamed' }],
    };
    const { changes, problems } = await refusalOf(update(delta));
    const of = (path: string, table: string, record: string, action: string, event: string) => ({
      path,
      table,
      id: id(record),
      action,
      event: isNumbered ? event : null,
      personId: id('ann'),
      at: expect.any(Date),
    });
    expect(changes).toEqual([
      of('goals[1]', 'goals', 'goal', 'goal_reopened', '3'),
      of('files[0]', 'resource_hub_files', 'file', 'resource_hub_file_deleted', '4'),
      of('documents[0]', 'resource_hub_documents', 'document', 'document_version_restored', '5'),
    ]);
    expect(problems[0]).toContain(`goals[1] ("${id('goal')}"): goal_reopened by "${id('ann')}" at `);
    expect(await contentOf(companyId)).toBe(before);
  });

  test('is refused for what it removes, too', async () => {
    const { companyId, update, id } = await setUp();
    const before = await contentOf(companyId);
    const { changes } = await refusalOf(update({ removed: { files: [id('file')] } }));
    expect(changes).toMatchObject([{ path: '', id: id('file'), action: 'resource_hub_file_deleted' }]);
    expect(await contentOf(companyId)).toBe(before);
  });

  test('is taken once it knows the events, and what it says then stands', async () => {
    const { document, companyId, update, id } = await setUp();
    const as_of = await cursorNow(companyId);
    await update({ as_of, goals: [document.goals[0]], files: [document.files[0]] });
    expect((await rowOf('goals', companyId, id('goal'))).closed_at).toEqual(new Date(closing.closed_at));
    expect((await rowOf('resource_hub_files', companyId, id('file'))).deleted_at).toBeNull();
  });

  test('may name records that no operation has changed since', async () => {
    const { document, companyId, update, id } = await setUp();
    await update({ goals: [{ ...document.goals[1], name: 'Renamed' }] });
    expect((await rowOf('goals', companyId, id('subgoal'))).name).toBe('Renamed');
  });

  test('is taken with --overwrite, which says what it undoes', async () => {
    const { document, companyId, update, id } = await setUp();
    const { goals, files, documents } = document;
    const report = await update(
      { goals: [goals[0]], files, documents: [{ ...documents[0], activities: [] }] },
      { overwrite: true },
    );
    expect(report.overwritten.map(({ action }) => action)).toEqual([
      'goal_reopened',
      'resource_hub_file_deleted',
      'document_version_restored',
    ]);
    expect((await rowOf('goals', companyId, id('goal'))).closed_at).toEqual(new Date(closing.closed_at));
    const versions = await world.sql(
      'SELECT version_number, title, origin FROM document_versions WHERE company_id = $1 AND document_id = $2 ORDER BY 1',
      [companyId, id('document')],
    );
    expect(versions.map(({ title }) => title)).toEqual(['One', 'Two', 'One', 'Two', 'One']);
    expect(versions[4]).toMatchObject({ origin: 'edited' });
  });

  test('is noted as the last one that was refused, until one is taken', async () => {
    const { document, companyId, update } = await setUp();
    const refused = async () =>
      (await world.sql('SELECT refused_reason AS reason FROM imports WHERE company_id = $1', [companyId]))[0].reason;
    await refusalOf(update({ goals: [document.goals[0]] }));
    expect(await refused()).toContain('goal_reopened');
    await update({ people: document.people });
    expect(await refused()).toBeNull();
  });
});

describe('as_of', () => {
  test.each<[string, unknown, RegExp]>([
    ['a bare number', 2, /^as_of: must be a cursor of the feed, .*a bare number does not name an event/],
    ['no cursor', 'x', /^as_of: is not a cursor of the feed$/],
    ['a cursor beyond the last event', eventCursor(99, 'x'), /^as_of: names an event that this database does not have/],
    [
      'the cursor of another gateway',
      eventCursor(1, 'other'),
      /^as_of: names an event that this database does not have/,
    ],
  ])('that is %s is refused', async (_case, as_of, message) => {
    const { document, companyId, update } = await imported();
    await numberEvents(db, eventSource, companyId);
    const before = await contentOf(companyId);
    expect((await problemsOf(update({ as_of, goals: document.goals })))[0]).toMatch(message);
    expect(await contentOf(companyId)).toBe(before);
  });
});

describe('a document', () => {
  const restored = async () => {
    const company = await imported();
    const input = { documentId: company.id('document'), versionNumber: 2, expectedCurrentVersion: 3 };
    await operate(company.token, 'restoreDocumentVersion', input);
    const as_of = await cursorNow(company.companyId);
    const update = (delta: Json) => company.update({ as_of, ...delta });
    return { ...company, update, published: company.document.documents[0] };
  };

  test('takes versions that go on from those that there are, all of them or the last few', async () => {
    const { companyId, update, published, id } = await restored();
    const mine = {
      version_number: 4,
      title: 'Two',
      content: 'two',
      editor_id: id('ann'),
      restored_from_version_number: 2,
    };
    const taken = { ...mine, origin: 'restored' };
    const own = { version_number: 5, title: 'Own', content: 'own', editor_id: id('ben'), origin: 'edited' };
    for (const versions of [
      [...published.versions, taken, own],
      [taken, own],
    ]) {
      await update({ documents: [{ ...published, name: 'Own', content: 'own', versions, activities: [] }] });
      expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
        name: 'Own',
        current_version: 5,
      });
    }
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
      'an end before the current version',
      () => ({}),
      'versions: must go on to version 4, the current one here, at least',
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

  test('with another version of a number is refused with both sides', async () => {
    const { companyId, update, published, id } = await restored();
    const before = await contentOf(companyId);
    const own = { version_number: 4, title: 'Own', content: 'own', editor_id: id('ben'), origin: 'edited' };
    const versions = [...published.versions, own];
    const [problem] = await problemsOf(
      update({ documents: [{ ...published, name: 'Own', content: 'own', versions }] }),
    );
    expect(problem).toMatch(
      /^documents\[0\]\.versions\[3\]: version 4 is another here: "Two" by ".*-ann" at .*; the file has "Own" by ".*-ben" at .*number yours from 5 on$/,
    );
    expect(await contentOf(companyId)).toBe(before);
  });
});

describe('what is removed', () => {
  const goalNamed = (id: string) => `{ goal(id: "${id}") { name } }`;

  test('is hidden from everybody with what is in it', async () => {
    const { companyId, token, update, id } = await imported();
    const gone = { goals: [id('goal'), id('subgoal')], resource_hubs: [id('other-hub')] };
    const report = await update({ removed: gone });
    expect(report.tables.goals.removed).toBe(2);
    const { body } = await world.graphql(token, goalNamed(id('goal')));
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
    const { body: list } = await world.graphql(token, '{ goals { totalCount nodes { id } } }');
    expect(list.data.goals).toEqual({ totalCount: 0, nodes: [] });
    await numberEvents(db, eventSource, companyId);
    const { body: feed } = await world.graphql(token, '{ events { nodes { type } } }');
    expect(feed.data.events.nodes.map(({ type }: Json) => type)).toEqual(['DOCUMENT_VERSION_RESTORED']);
  });

  test('counts once, and changes nothing when it is repeated', async () => {
    const { companyId, update, id, document } = await imported();
    const removed = {
      ...{ people: [id('ben')], goals: [id('goal'), id('subgoal')], resource_hubs: [id('other-hub')] },
      ...{ folders: [id('folder'), id('subfolder')], files: [id('file')], documents: [id('document'), id('draft')] },
    };
    const known = Object.entries(removed).filter(([list]) => document[list]);
    const report = await update({ removed: Object.fromEntries(known) });
    expect(report.tables.people.removed).toBe(1);
    const before = await contentOf(companyId);
    expect(counted(await update({ removed: Object.fromEntries(known) }))).toEqual({});
    expect(await contentOf(companyId)).toBe(before);
  });

  test.each(['goals', 'folders', 'files', 'documents'])('of %s does not come back', async (list) => {
    const { companyId, update, document } = await imported(({ goals, folders, files, documents, resource_hubs }) => {
      for (const records of [goals, folders, files, documents]) records.splice(1);
      documents[0].parent_folder_id = undefined;
      files[0].parent_folder_id = undefined;
      if (list === 'goals') resource_hubs.splice(1);
    });
    const [record] = document[list];
    await update({ removed: { [list]: [record.id] } });
    const before = await contentOf(companyId);
    expect(await problemsOf(update({ [list]: [record] }))).toEqual([
      `${list}[0].id: "${record.id}" was removed, and its id does not come back: a new record needs a new one`,
    ]);
    expect(await contentOf(companyId)).toBe(before);
  });

  test('of files and folders hides them with their events, and nobody recovers such a file', async () => {
    const { companyId, token, update, id } = await imported();
    await operate(token, 'deleteResourceHubFile', { fileId: id('file') });
    const as_of = await cursorNow(companyId);
    await update({ as_of, removed: { folders: [id('folder'), id('subfolder')], files: [id('file')] } });
    const { body: feed } = await world.graphql(token, '{ events { nodes { body } } }');
    expect(JSON.stringify(feed)).not.toContain(id('file'));
    const { body: deleted } = await world.graphql(
      token,
      `{ resourceHub(id: "${id('hub')}") { deletedFiles { nodes { id } } } }`,
    );
    expect(deleted.data.resourceHub.deletedFiles.nodes).toEqual([]);
    const { body } = await world.graphql(token, mutation('recoverResourceHubFile', '__typename'), {
      input: { fileId: id('file') },
    });
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
  });

  test('suspends people, and their tokens stay dead if they come back', async () => {
    const { companyId, token, update, id, document } = await imported();
    await update({ removed: { people: [id('ann')] } });
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

describe('an operation that commits after the file was compared', () => {
  test('makes it be refused, if it has changed a record that the file changes', async () => {
    const { document, companyId, token, update, id } = await imported(({ goals }) =>
      Object.assign(goals[0], { closed_at: '2026-02-01T00:00:00Z', success: true }),
    );
    const holder = new pg.Client({ connectionString: asAdministrator(world.url) });
    await holder.connect();
    // The update has compared everything when it waits for this row.
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM resource_hub_files WHERE id = $1 FOR UPDATE', [id('file')]);
    const running = update({
      files: [{ ...document.files[0], name: 'renamed.txt' }],
      goals: [{ ...document.goals[0], name: 'Renamed' }],
    }).catch((error: unknown) => error);
    await world.untilOneWaits();
    await operate(token, 'reopenGoal', { id: id('goal') });
    await holder.query('COMMIT');
    await holder.end();
    expect(await running).toMatchObject({ changes: [{ id: id('goal'), action: 'goal_reopened' }] });
    expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ name: 'Goal', closed_at: null });
  });
});

describe('the revision of a file', () => {
  test('stays what it was after a file without one', async () => {
    const { document, update } = await imported();
    const numbered = { revision: 5, goals: [{ ...document.goals[0], name: 'Five' }] };
    await update(numbered);
    await update({ people: document.people });
    expect(await update(numbered)).toMatchObject({ isRepeated: true });
  });

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

test('a file of another company is refused, if the company is named', async () => {
  const { document, update } = await imported();
  expect(await problemsOf(update({ people: document.people }, { companyId: 'other' }))).toEqual([
    `company.id: the file is of "${document.company.id}", not of "other"`,
  ]);
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
    [
      'with a wrong field',
      (lines) => lines.with(1, '{"kind":"person","id":"x","fullname":"X"}'),
      /line 2, full_name \(person "x"\): is required\n.*line 2, fullname \(person "x"\): unknown field, did you mean full_name\?/,
    ],
    [
      'with a record twice',
      (lines) => [lines[1] ?? '', ...lines.slice(0, -1), '{"kind":"end","records":15}'],
      /line 3, id \(person "bad-ann"\): "bad-ann" is the same as line 1, id/,
    ],
  ])('%s is refused, and says the line', async (_case, change, message) => {
    const file = await write(change(linesOf(smallWorkspace('bad') as Json)));
    await expect(importFrom(db, fileSource(file))).rejects.toThrow(message);
    expect(await world.sql("SELECT id FROM companies WHERE id = 'bad-company'")).toEqual([]);
  });
});
