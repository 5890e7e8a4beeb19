import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventCursor, eventKind } from '../../src/events/event.js';
import { cursorOf } from '../../src/lists/engine.js';
import { createToken } from '../../src/tokens.js';
import { fileSource, streamSource } from '../../src/workspace/file.js';
import { findingText, importFrom } from '../../src/workspace/import.js';
import { ImportError, type ImportOptions, UnknownChangesError } from '../../src/workspace/report.js';
import { lists, tables } from '../../src/workspace/tables.js';
import { documentSource } from '../support/importDocument.js';
import { smallWorkspace, withoutLabel } from '../support/smallWorkspace.js';
import { statementsOf } from '../support/statements.js';
import { mutation } from '../support/surfaces.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld({ isAlone: true });
const { db } = world;

let nextKey = 0;

/** A company that was imported, with an owner who has a token. */
async function imported(change: (document: Json) => void = () => {}) {
  nextKey += 1;
  const key = `w${nextKey}`;
  const document = smallWorkspace(key) as Json;
  document.people[0].is_owner = true;
  change(document);
  await importFrom(db, documentSource(document));
  const companyId: string = document.company.id;
  const { token } = await createToken(db, { companyId, personId: `${key}-ann`, name: 'Ann', canWrite: true });
  const update = (delta: Json, options: ImportOptions = {}) =>
    importFrom(db, documentSource({ company: document.company, ...delta }), { update: true, ...options });
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
  await world.numberEvents(companyId);
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

const reopenable = ({ goals }: Json) => Object.assign(goals[0], { closed_at: '2026-02-01T00:00:00Z', success: true });
const restoring = (id: (name: string) => string) => {
  return { documentId: id('document'), versionNumber: 2, expectedCurrentVersion: 3 };
};

describe('an update', () => {
  test('with the file as it was writes no row', async () => {
    const { document, companyId, update } = await imported();
    const before = await contentOf(companyId);
    const report = await update(document);
    expect(counted(report)).toEqual({});
    expect(report.tables.goals.unchanged).toBe(2);
    expect(await contentOf(companyId)).toBe(before);
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
          targets: [{ id: id('target'), name: 'Other', from: 0, to: 2, value: 1 }],
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
      goals: [
        {
          ...document.goals[0],
          id: id('new'),
          name: 'New',
          targets: [],
          checklist: [],
          progress_updates: [],
          activities: [{ id: id('new-created'), action: 'goal_created', author_id: id('ann') }],
        },
      ],
      documents: [{ ...published, name: 'Four', content: 'four', versions: [version], activities: [] }],
    });
    expect(counted(report)).toMatchObject({
      goals: { added: 1 },
      activities: { added: 2 },
      document_versions: { added: 1 },
      resource_hub_documents: { changed: 1 },
    });
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject({
      name: 'Four',
      current_version: 4,
    });
    expect(await world.numberEvents(companyId)).toMatchObject({ lastSequence: 6, numbered: 2 });
    const last = await world.sql(
      'SELECT origin, coalesce(goal_id, document_id) AS id FROM activities WHERE company_id = $1 AND sequence > 4 ORDER BY 2',
      [companyId],
    );
    expect(last).toEqual([id('document'), id('new')].map((each) => ({ origin: 'import', id: each })));
  });

  test('gives each new version the activity that it lacks, with its time and editor', async () => {
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    const { document, companyId, update, id } = await imported(({ documents }) => {
      for (const [index, version] of documents[0].versions.entries()) version.inserted_at = at(index + 1);
    });
    const recorded = () =>
      world.sql(
        `SELECT a.action::text AS action, a.author_id AS by, a.name, a.inserted_at AS at, a.origin::text AS origin, v.version_number AS number
         FROM activities a JOIN document_versions v ON v.company_id = a.company_id AND v.id = a.document_version_id
         WHERE a.company_id = $1 AND a.document_id = $2 ORDER BY v.version_number, a.id`,
        [companyId, id('document')],
      );
    const made = (number: number, action: string, by: string, name: string, day: number | null) => {
      const time = day === null ? expect.any(Date) : new Date(at(day));
      return { number, action, by: id(by), name, origin: 'import', at: time };
    };
    const first = [
      made(1, 'resource_hub_document_created', 'ann', 'One', 1),
      made(2, 'resource_hub_document_edited', 'ben', 'Two', 2),
      // The file has this one.
      made(3, 'document_version_restored', 'ann', 'One', null),
    ];
    expect(await recorded()).toEqual(first);
    const [published] = document.documents;
    const version = (version_number: number) => {
      const inserted_at = at(version_number);
      return { version_number, title: `V${version_number}`, content: 'x', editor_id: id('ben'), inserted_at };
    };
    // One that the file records by its number, one by its editor and time, and one not at all.
    const activities = [
      {
        id: id('fourth'),
        action: 'resource_hub_document_edited',
        author_id: id('ann'),
        version_number: 4,
        inserted_at: at(9),
      },
      { id: id('fifth'), action: 'resource_hub_document_edited', author_id: id('ben'), inserted_at: at(5) },
    ];
    const delta = { ...published, name: 'V6', content: 'x', versions: [4, 5, 6].map(version), activities };
    await update({ documents: [delta] });
    const all = [
      ...first,
      made(4, 'resource_hub_document_edited', 'ann', 'V4', 9),
      made(5, 'resource_hub_document_edited', 'ben', 'V6', 5),
      made(6, 'resource_hub_document_edited', 'ben', 'V6', 6),
    ];
    expect(await recorded()).toEqual(all);
    await update({ documents: [delta] });
    expect(await recorded()).toEqual(all);
    const wrong = [{ ...activities[0], version_number: 3 }];
    expect(await problemsOf(update({ documents: [{ ...delta, activities: wrong }] }))).toEqual([
      'documents[0].activities[0].version_number: no version 3 with the origin edited is listed',
    ]);
  });

  test('leaves a public link that the file omits, removes it for null', async () => {
    const { document, companyId, update, id } = await imported();
    const { public_token: token, ...published } = document.documents[0];
    const linked = async () => (await rowOf('resource_hub_documents', companyId, id('document'))).public_token;
    await update({ documents: [{ ...published, activities: undefined }] });
    expect(await linked()).toBe(token);
    expect(await world.sql('SELECT token FROM public_links WHERE company_id = $1', [companyId])).toEqual([{ token }]);
    await update({ documents: [{ ...published, activities: undefined, public_token: null }] });
    expect(await linked()).toBeNull();
    expect(await world.sql('SELECT token FROM public_links WHERE company_id = $1', [companyId])).toEqual([]);
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

test('a file that does not know what an operation has changed is refused as a whole, until it knows or overwrites', async () => {
  const { document, companyId, token, update, id } = await imported(reopenable);
  const run = async () => {
    await operate(token, 'reopenGoal', { id: id('goal') });
    await operate(token, 'deleteResourceHubFile', { fileId: id('file') });
  };
  await run();
  await operate(token, 'restoreDocumentVersion', restoring(id));
  const refusalOf = async (delta: Json): Promise<UnknownChangesError> => {
    const error = await update(delta).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownChangesError);
    return error as UnknownChangesError;
  };
  const noted = async () =>
    (await world.sql('SELECT refused_reason AS reason FROM imports WHERE company_id = $1', [companyId]))[0].reason;
  const { goals, files, documents, people } = document;
  const delta = { goals: goals.toReversed(), files, documents, people: [{ ...people[0], full_name: 'Renamed' }] };
  const before = await contentOf(companyId);
  const of = (path: string, table: string, record: string, action: string, event: string | null) => ({
    path,
    table,
    id: id(record),
    action,
    event,
    personId: id('ann'),
    at: expect.any(Date),
  });
  for (const numbers of [
    [null, null, null],
    ['5', '6', '7'],
  ] as const) {
    const [reopened, deleted, restored] = numbers;
    if (reopened) await world.numberEvents(companyId);
    const { changes, problems } = await refusalOf(delta);
    expect(changes).toEqual([
      of('goals[1]', 'goals', 'goal', 'goal_reopened', reopened),
      of('files[0]', 'resource_hub_files', 'file', 'resource_hub_file_deleted', deleted),
      of('documents[0]', 'resource_hub_documents', 'document', 'document_version_restored', restored),
    ]);
    expect(problems[0]).toContain(`goals[1] ("${id('goal')}"): goal_reopened by "${id('ann')}" at `);
    expect(await noted()).toContain('goal_reopened');
    if (!reopened) expect(await contentOf(companyId)).toBe(before);
  }
  const { changes } = await refusalOf({ removed: { files: [id('file')] } });
  expect(changes).toMatchObject([{ path: '', id: id('file'), action: 'resource_hub_file_deleted' }]);

  // Others may be named, and the refusal is forgotten then.
  await update({ goals: [{ ...goals[1], name: 'Renamed' }] });
  expect((await rowOf('goals', companyId, id('subgoal'))).name).toBe('Renamed');
  expect(await noted()).toBeNull();

  const asTheFileSays = async () => {
    expect((await rowOf('goals', companyId, id('goal'))).closed_at).toEqual(new Date(document.goals[0].closed_at));
    expect((await rowOf('resource_hub_files', companyId, id('file'))).deleted_at).toBeNull();
  };
  await update({ as_of: await cursorNow(companyId), goals: [goals[0]], files: [files[0]] });
  await asTheFileSays();
  await run();
  const overwriting = { goals: [goals[0]], files, documents: [{ ...documents[0], activities: [] }] };
  const { overwritten } = await update(overwriting, { overwrite: true });
  expect(overwritten.map(({ action }) => action)).toContain('document_version_restored');
  await asTheFileSays();
  const versions = await world.sql(
    'SELECT title, origin FROM document_versions WHERE company_id = $1 AND document_id = $2 ORDER BY version_number',
    [companyId, id('document')],
  );
  expect(versions.map(({ title }) => title)).toEqual(['One', 'Two', 'One', 'Two', 'One']);
  expect(versions[4]).toMatchObject({ origin: 'edited' });
});

test('a file that overwrites loses the restores that did not happen here, with everything that hangs on them', async () => {
  const { document, companyId, token, update, id } = await imported();
  const [published] = document.documents;
  await operate(token, 'restoreDocumentVersion', restoring(id));
  const edited = { editor_id: id('ben'), origin: 'edited' };
  const version = (version_number: number, title: string) => ({ version_number, title, content: title, ...edited });
  const restored = { ...published.versions[0], version_number: 5, origin: 'restored', restored_from_version_number: 1 };
  const versions = [...published.versions, version(4, 'Own'), restored, version(6, 'Last')];
  const subscriptions = [{ person_id: id('ben'), type: 'joined' }];
  const reactions = [{ person_id: id('ann'), emoji: '👍' }];
  const lost = {
    id: id('lost'),
    action: 'document_version_restored',
    author_id: id('ben'),
    version_number: 5,
    thread: {
      message: 'Back',
      comments: [{ id: id('answer'), author_id: id('ann'), content: 'Yes', reactions }],
      subscription_list: { subscriptions },
    },
    notifications: [{ person_id: id('ann') }],
  };
  const activities = [...published.activities, lost];
  await update(
    { documents: [{ ...published, name: 'Last', content: 'Last', versions, activities }] },
    { overwrite: true },
  );
  const now = { name: 'Last', content: 'Last', current_version: 5 };
  expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject(now);
  const [{ restores }] = await world.sql(
    "SELECT count(*)::int AS restores FROM activities WHERE company_id = $1 AND action = 'document_version_restored'",
    [companyId],
  );
  expect(restores).toBe(2);
});

test('versions go on from those that there are, all of them or the last few, and are refused otherwise', async () => {
  const { document, companyId, token, update, id } = await imported();
  const [published] = document.documents;
  await operate(token, 'restoreDocumentVersion', restoring(id));
  const as_of = await cursorNow(companyId);
  const before = await contentOf(companyId);
  const own = { version_number: 4, title: 'Own', content: 'own', editor_id: id('ben'), origin: 'edited' };
  const takesBack = { state: 'draft', versions: undefined, published_at: undefined, public_token: undefined };
  for (const [change, problem] of [
    [
      { name: 'Own', content: 'own', versions: [{ ...own, version_number: 6 }] },
      /^documents\[0\]\.versions\[0\]\.version_number: must be at most 5, the gateway has 4 versions$/,
    ],
    [{}, /^documents\[0\]\.versions: must go on to version 4, the current one here, at least$/],
    [takesBack, /^documents\[0\]\.state: is published here, and history is not taken back$/],
    [
      { name: 'Own', content: 'own', versions: [...published.versions, own] },
      /\.versions\[3\]: version 4 is another here: "Two" by ".*-ann" at .*; the file has "Own" by ".*-ben" at .*number yours from 5 on$/,
    ],
  ] as const)
    expect(await problemsOf(update({ as_of, documents: [{ ...published, activities: [], ...change }] }))).toEqual([
      expect.stringMatching(problem),
    ]);
  expect(await contentOf(companyId)).toBe(before);

  const text = { title: 'Two', content: 'two', editor_id: id('ann') };
  const taken = { ...text, version_number: 4, restored_from_version_number: 2, origin: 'restored' };
  const tail = [taken, { ...own, version_number: 5 }];
  for (const versions of [[...published.versions, ...tail], tail]) {
    await update({ as_of, documents: [{ ...published, name: 'Own', content: 'own', versions, activities: [] }] });
    const now = { name: 'Own', current_version: 5 };
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject(now);
  }
});

describe('what is removed', () => {
  test('is hidden from everybody with what is in it and its events, changes nothing again, and does not come back', async () => {
    const { companyId, token, update, id, document } = await imported();
    await operate(token, 'deleteResourceHubFile', { fileId: id('file') });
    const as_of = await cursorNow(companyId);
    const removed = {
      goals: [id('goal'), id('subgoal')],
      resource_hubs: [id('other-hub')],
      folders: [id('folder'), id('subfolder')],
      files: [id('file')],
      documents: [id('document'), id('never')],
    };
    expect((await update({ as_of, removed })).tables.goals.removed).toBe(2);
    const { data, errors } = (
      await world.graphql(
        token,
        `{ goal(id: "${id('goal')}") { name } resourceHubDocument(id: "${id('document')}") { name }
          goals { totalCount } events { nodes { body } } resourceHub(id: "${id('hub')}") { deletedFiles { totalCount } } }`,
      )
    ).body;
    expect(errors.map(({ extensions }: Json) => extensions.code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(data).toEqual({
      goal: null,
      resourceHubDocument: null,
      goals: { totalCount: 0 },
      events: { nodes: [] },
      resourceHub: { deletedFiles: { totalCount: 0 } },
    });
    const recovery = await world.graphql(token, mutation('recoverResourceHubFile', '__typename'), {
      input: { fileId: id('file') },
    });
    expect(recovery.body.errors[0].extensions.code).toBe('NOT_FOUND');
    const versions = await world.sql('SELECT id FROM document_versions WHERE company_id = $1', [companyId]);
    expect(versions).toHaveLength(3);
    expect(await world.sql('SELECT token FROM public_links WHERE company_id = $1', [companyId])).toEqual([]);

    const before = await contentOf(companyId);
    expect(counted(await update({ as_of, removed }))).toEqual({});
    const back = ['goals', 'folders', 'files', 'documents'].map((list) => [list, document[list].slice(0, 1)]);
    expect((await problemsOf(update({ as_of, ...Object.fromEntries(back) }))).toSorted()).toEqual(
      ['documents', 'files', 'folders', 'goals'].map(
        (list) =>
          `${list}[0].id: "${document[list][0].id}" was removed, and its id does not come back: a new record needs a new one`,
      ),
    );
    expect(await contentOf(companyId)).toBe(before);
  });

  test('suspends people, and their tokens stay dead if they come back', async () => {
    const { companyId, token, update, id, document } = await imported();
    await update({ removed: { people: [id('ann')] } });
    expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(401);
    await update({ people: document.people });
    expect(await rowOf('people', companyId, id('ann'))).toMatchObject({ suspended_at: null });
    expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(401);
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

/** Updates while another transaction holds what the SQL locks: once the update waits for that, does the work, and lets it go on. */
async function updatingDuring<Result>(
  [lock, ...ids]: [lock: string, ...ids: string[]],
  update: () => Promise<Result>,
  work: (query: Awaited<ReturnType<typeof world.holding>>['query']) => Promise<unknown>,
): Promise<Result> {
  const { query, release } = await world.holding(lock, ids);
  const running = update();
  await world.untilOneWaits();
  await work(query);
  await release();
  return running;
}

test('an operation that commits while a file is being written keeps its outcome on a record that the file does not change', async () => {
  const { companyId, token, document, id, update } = await imported(reopenable);
  const { goals, documents, spaces } = document;
  // Spaces come before goals and documents.
  const lock = 'SELECT id FROM spaces WHERE id = $1 FOR NO KEY UPDATE';
  const delta = { goals, documents, spaces: [{ ...spaces[0], name: 'Renamed' }] };
  await updatingDuring(
    [lock, id('space')],
    () => update(delta),
    async () => {
      await operate(token, 'reopenGoal', { id: id('goal') });
      await operate(token, 'restoreDocumentVersion', restoring(id));
    },
  );
  expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ closed_at: null });
  expect(await rowOf('spaces', companyId, id('space'))).toMatchObject({ name: 'Renamed' });
  const restored = { name: 'Two', current_version: 4 };
  expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject(restored);
});

test('an operation that commits after the file was compared makes it be refused, if it has changed a record that the file changes', async () => {
  const { document, companyId, token, update, id } = await imported(reopenable);
  const files = [{ ...document.files[0], name: 'renamed.txt' }];
  const goals = [{ ...document.goals[0], name: 'Renamed' }];
  // The update has compared everything when it waits for this row.
  const refused = await updatingDuring(
    ['SELECT id FROM resource_hub_files WHERE id = $1 FOR UPDATE', id('file')],
    () => update({ files, goals }).catch((error: unknown) => error),
    () => operate(token, 'reopenGoal', { id: id('goal') }),
  );
  expect(refused).toMatchObject({ changes: [{ id: id('goal'), action: 'goal_reopened' }] });
  expect(await rowOf('goals', companyId, id('goal'))).toMatchObject({ name: 'Goal', closed_at: null });
});

test.each([false, true])(
  'a document that gets another version while a file is compared makes it be refused, with --overwrite %s',
  async (overwrite) => {
    const { document, companyId, update, id } = await imported();
    const [published] = document.documents;
    const own = { version_number: 4, title: 'Own', content: 'own', editor_id: id('ben'), origin: 'edited' };
    const versions = [...published.versions, own];
    const documents = [{ ...published, name: 'Own', content: 'own', versions, activities: [] }];
    const problems = await updatingDuring(
      ['SELECT id FROM resource_hub_documents WHERE id = $1 FOR UPDATE', id('document')],
      () => problemsOf(update({ documents }, { overwrite })),
      (query) =>
        query(
          `WITH version AS (INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number,
             title, content, editor_id, origin) VALUES ($1, $2, 4, 3, 'Theirs', 'theirs', $3, 'edited'))
           UPDATE resource_hub_documents SET name = 'Theirs', content = 'theirs', current_version = 4
           WHERE company_id = $1 AND id = $2`,
          [companyId, id('document'), id('ann')],
        ),
    );
    expect(problems).toEqual([
      expect.stringMatching(/^documents\[0\].*: got another version while the file was compared: send it again$/),
    ]);
    const now = { name: 'Theirs', current_version: 4 };
    expect(await rowOf('resource_hub_documents', companyId, id('document'))).toMatchObject(now);
  },
);

test('a restore that commits while a file is compared makes it be refused as a change that the file does not know', async () => {
  const { document, companyId, update, id } = await imported();
  const [published] = document.documents;
  const { versions: _, activities: __, ...withoutLists } = published;
  // The update has looked for changes that the file does not know, and not at histories, when it waits for this table.
  const refused = await updatingDuring(
    ['LOCK TABLE document_versions IN ACCESS EXCLUSIVE MODE'],
    () => update({ documents: [withoutLists] }).catch((error: unknown) => error),
    (query) =>
      query(
        `WITH version AS (INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number,
             title, content, editor_id, origin, restored_from_version_number)
           VALUES ($1, $2, 4, 3, 'Two', 'two', $3, 'restored', 2) RETURNING id),
         activity AS (INSERT INTO activities (company_id, action, author_id, document_id, document_version_id, name, origin)
           SELECT $1, 'document_version_restored', $3, $2, id, 'Two', 'api' FROM version)
         UPDATE resource_hub_documents SET name = 'Two', content = 'two', current_version = 4
         WHERE company_id = $1 AND id = $2`,
        [companyId, id('document'), id('ann')],
      ),
  );
  expect(refused).toMatchObject({ changes: [{ id: id('document'), action: 'document_version_restored' }] });
});

describe('the revision of a file', () => {
  test('must grow, also past files without one; the same file again is no failure, and another of its number is', async () => {
    const { document, companyId, update } = await imported();
    const named = (name: string, revision: number) => ({ revision, goals: [{ ...document.goals[0], name }] });
    await update(named('One', 7));
    await update({ people: document.people });
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

describe('an update is refused, and nothing is written,', () => {
  let company: Awaited<ReturnType<typeof imported>>;
  let before: string;
  beforeAll(async () => {
    await world.sql("INSERT INTO companies (id, name) VALUES ('taker', 'Taker')");
    await world.sql("INSERT INTO public_links (company_id, token) VALUES ('taker', 'taken')");
    await world.sql("INSERT INTO people (company_id, id, full_name) VALUES ('taker', 'eve', 'Eve')");
    company = await imported();
    await world.numberEvents(company.companyId);
    before = await contentOf(company.companyId);
  });
  type Of = Awaited<ReturnType<typeof imported>>;
  const ofAnotherDatabase = 'as_of: names an event that this database does not have';

  test.each<[string, (of: Of) => Json, (id: Of['id']) => string[]]>([
    ['as_of is a bare number', () => ({ as_of: 2 }), () => ['as_of: must be a cursor of the feed, ']],
    ['as_of is no cursor', () => ({ as_of: 'x' }), () => ['as_of: is not a cursor of the feed']],
    ['as_of is a list', () => ({ as_of: [eventCursor(1, 'x')] }), () => ['as_of: must be a cursor of the feed, ']],
    ['the revision is a list', () => ({ revision: [5] }), () => ['revision: must be ']],
    [
      'as_of is a cursor that no gateway wrote',
      () => ({ as_of: cursorOf(eventKind, { rank: 1, key: 1, id: 'x' }) }),
      () => ['as_of: is not a cursor of the feed'],
    ],
    ['as_of is beyond the last event', () => ({ as_of: eventCursor(99, 'x') }), () => [ofAnotherDatabase]],
    ['as_of is of another gateway', () => ({ as_of: eventCursor(1, 'other') }), () => [ofAnotherDatabase]],
    [
      'a reference leads to another company',
      ({ document }) => ({ goals: [{ ...document.goals[1], reviewer_id: 'eve' }] }),
      () => ['goals[0].reviewer_id: nothing in people has the id "eve"'],
    ],
    [
      'a folder of the company is in another hub',
      ({ document, id }) => ({ files: [{ ...document.files[0], resource_hub_id: id('other-hub') }] }),
      (id) => [
        `files[0].parent_folder_id: "${id('folder')}" is a folder of "${id('hub')}", not of "${id('other-hub')}"`,
      ],
    ],
    [
      'a folder contains itself by way of one that the file does not name',
      ({ document, id }) => ({ folders: [{ ...document.folders[0], parent_folder_id: id('subfolder') }] }),
      (id) => [
        `folders[0].parent_folder_id: leads back to itself: "${id('folder')}" → "${id('subfolder')}" → "${id('folder')}"`,
      ],
    ],
    [
      'a list of removed does not exist',
      ({ id }) => ({ removed: { targets: [id('target')] } }),
      () => ['removed.targets: unknown field'],
    ],
    [
      'a public link is of another company',
      ({ document }) => ({ documents: [{ ...document.documents[0], public_token: 'taken' }] }),
      () => ['documents[0].public_token: "taken" exists already'],
    ],
    [
      'what only an id tells from others has none',
      ({ document: { goals, documents }, id }) => ({
        goals: [
          {
            ...goals[0],
            targets: [{ name: 'Target', from: 0, to: 1, value: 0 }],
            checklist: [{ id: id('check'), name: 'Check' }, { name: 'Other' }],
            progress_updates: [
              { ...goals[0].progress_updates[0], comments: [{ author_id: id('ben'), content: 'Yes' }] },
              { author_id: id('ann'), status: 'on_track' },
            ],
            retrospectives: [{ author_id: id('ann'), title: 'Done', content: 'Well' }],
          },
        ],
        documents: [{ ...documents[0], activities: [{ ...documents[0].activities[0], id: undefined }] }],
      }),
      () =>
        [
          'goals[0].targets[0]',
          'goals[0].checklist[1]',
          'goals[0].progress_updates[1]',
          'goals[0].retrospectives[0]',
          'documents[0].activities[0]',
          'goals[0].progress_updates[0].comments[0]',
        ].map((path) => `${path}.id: is required in an update; an export shows the id that it has here`),
    ],
    [
      'something of what is removed would stay, or the file has it too',
      ({ document, id }) => ({
        goals: [document.goals[0]],
        removed: { goals: [id('goal')], folders: [id('folder')] },
      }),
      (id) => [
        `goals[0].id: "${id('goal')}" is in removed.goals, too`,
        `removed.goals: "${id('goal')}" still has "${id('subgoal')}" in goals; name that too`,
        `removed.goals: "${id('goal')}" still has "${id('other-hub')}" in resource_hubs; name that too`,
        `removed.folders: "${id('folder')}" still has "${id('subfolder')}" in folders; name that too`,
        `removed.folders: "${id('folder')}" still has "${id('file')}" in files; name that too`,
      ],
    ],
  ])('if %s', async (_case, delta, problems) => {
    const found = await problemsOf(company.update(delta(company)));
    expect(found).toEqual(problems(company.id).map((problem) => expect.stringContaining(problem)));
    expect(await contentOf(company.companyId)).toBe(before);
  });

  test('if its company is not the one that was named, or half of it has arrived', async () => {
    const { document, update } = company;
    expect(await problemsOf(update({ people: document.people }, { companyId: 'other' }))).toEqual([
      `company.id: the file is of "${document.company.id}", not of "other"`,
    ]);
    const text = JSON.stringify({ ...document, goals: [{ ...document.goals[0], name: 'Renamed' }] });
    const half = streamSource(() => [Buffer.from(text.slice(0, text.length / 2))], 'delta.json');
    expect(await problemsOf(importFrom(db, half, { update: true }))).toEqual([
      expect.stringMatching(/^delta\.json: is not valid JSON: /),
    ]);
    expect(await contentOf(company.companyId)).toBe(before);
  });
});

describe('a file with a record in each line', async () => {
  const directory = await temporaryFolder();

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

  test('says the same as one document, also if it is the first update of a company', async () => {
    const document = smallWorkspace('lines') as Json;
    const file = await write(linesOf(document));
    const first = await importFrom(db, fileSource(file), { update: true });
    expect(first).toMatchObject({ isNew: true, companyId: 'lines-company' });
    expect(counted(await importFrom(db, documentSource(document), { update: true }))).toEqual({});
  });

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['that was cut', (lines) => lines.slice(0, -1), /has no record of kind end: it was cut/],
    ['without some of its lines', (lines) => lines.toSpliced(3, 1), /counts 14 records, but there are 13/],
    ['with more after its end', (lines) => [...lines, lines[0] ?? ''], /line 16: follows the record of kind end/],
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

test('the statements of an update of a folder are those of updateOfAFolder.sql', async () => {
  const { document, update, id } = await imported();
  const folder = { id: id('new-folder'), resource_hub_id: document.resource_hubs[0].id, name: 'Plans' };
  const { statements } = await statementsOf(() => update({ folders: [folder] }));
  const texts = statements.map(({ text }) => text.trim().replace(/ +$/gm, ''));
  // Before it, what has no statistics gets some.
  const own = texts.slice(texts.indexOf('BEGIN'));
  await expect(`${own.join(';\n\n')};\n`).toMatchFileSnapshot('updateOfAFolder.sql');
});
