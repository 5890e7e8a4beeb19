import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { perform, surfaces } from '../support/surfaces.js';
import { undoToken } from '../support/undo.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { company, caller, space, hub } = await world.teamWithHub('space');
const undo = (activityId: string, token = caller.token) => perform(world, 'REST', 'undoChange', token, { activityId });

/** Runs an operation, and returns the activity that it made. */
async function run(operation: Parameters<typeof perform>[2], input: Json, token = caller.token): Promise<string> {
  const { status, data } = await perform(world, 'GraphQL', operation, token, input, 'activity { id }');
  expect(status).toBe(200);
  return data?.activity.id;
}

const rowOf = async (table: string, id: string): Promise<Json> =>
  (await world.sql(`SELECT * FROM ${table} WHERE company_id = $1 AND id = $2`, [company.companyId, id]))[0];

const restored = (document: Json, version: number, current: number) => ({
  documentId: document.id,
  versionNumber: version,
  expectedCurrentVersion: current,
});

describe.each(surfaces)('undoChange through %s', (surface) => {
  const undone = async (activityId: string) => {
    const result = await perform(world, surface, 'undoChange', caller.token, { activityId }, 'activity { id action }');
    expect(result.status, JSON.stringify(result)).toBe(200);
    return result.data?.activity;
  };

  test('closes a goal again as it was, and withdraws what nobody has read; a second time it changes nothing', async () => {
    const follower = await world.person(company);
    const goal = await world.closedGoal(space, { success: false });
    const before = await rowOf('goals', goal.id);
    const reopening = await run('reopenGoal', { id: goal.id, subscriberIds: [follower.id] });
    const notifications = { where: { ...company, activityId: reopening } };
    expect(await world.db.notification.count(notifications)).toBe(1);
    const { id, action } = await undone(reopening);
    expect(action.toLowerCase()).toBe('goal_closed');
    const { closed_at, closed_by_id, success } = before;
    expect(await rowOf('goals', goal.id)).toMatchObject({ closed_at, closed_by_id, success });
    expect(await world.db.notification.count(notifications)).toBe(0);
    const surfaceName = surface === 'REST' ? 'rest' : 'graphql';
    const made = { author_id: caller.id, undoes_id: reopening, origin: 'api', surface: surfaceName };
    expect(await rowOf('activities', id)).toMatchObject(made);
    expect(await undone(reopening)).toBeNull();
  });

  test('recovers a deleted file, deletes a recovered one, and gives a document the version before', async () => {
    const file = await world.file(hub, caller);
    await undone(await run('deleteResourceHubFile', { fileId: file.id }));
    expect((await rowOf('resource_hub_files', file.id)).deleted_at).toBeNull();
    const gone = await world.file(hub, caller, { deletedAt: new Date() });
    await undone(await run('recoverResourceHubFile', { fileId: gone.id }));
    expect((await rowOf('resource_hub_files', gone.id)).deleted_by_id).toBe(caller.id);
    const document = await world.document(hub, caller);
    const [first, second] = [
      await run('restoreDocumentVersion', restored(document, 1, 3)),
      await run('restoreDocumentVersion', restored(document, 2, 4)),
    ];
    // The latest first.
    await undone(second);
    expect(await rowOf('resource_hub_documents', document.id)).toMatchObject({ content: 'one', current_version: 6 });
    await undone(first);
    expect(await rowOf('resource_hub_documents', document.id)).toMatchObject({ content: 'three', current_version: 7 });
  });
});

describe('undoChange', () => {
  test('is 409 with the reason for what somebody has built on, and for what nothing takes back', async () => {
    const document = await world.document(hub, caller);
    const first = await run('restoreDocumentVersion', restored(document, 1, 3));
    const second = await run('restoreDocumentVersion', restored(document, 2, 4));
    const undoing = (await undo(second)).data?.activity.id;
    const third = await run('restoreDocumentVersion', restored(document, 2, 6));
    const file = await world.file(hub, caller);
    const deletion = await run('deleteResourceHubFile', { fileId: file.id });
    await world.sql('UPDATE resource_hub_files SET deleted_at = NULL, deleted_by_id = NULL WHERE id = $1', [file.id]);
    const goal = await world.closedGoal(space);
    const reopening = await run('reopenGoal', { id: goal.id });
    await world.sql('UPDATE goals SET archived_at = now() WHERE id = $1', [goal.id]);
    const { id: created } = await world.activity(caller, { action: 'goal_created', goalId: goal.id });
    const { id: closing } = await world.activity(caller, { action: 'goal_closed', goalId: goal.id });
    for (const [id, reason, wayBack] of [
      [first, /: document_version_restored by .+ at \d{4}-.+Z\.$/, { later_change: third }],
      [undoing, /: it took another change back\.$/, { instead: 'restoreDocumentVersion' }],
      [deletion, /: it has been changed since\.$/, {}],
      [reopening, /: the goal is archived or deleted\.$/, {}],
      [created, /: no operation of this version makes it\.$/, {}],
      [closing, /: no operation of this version makes it\.$/, { instead: 'reopenGoal' }],
    ] as const) {
      const refused = await undo(id);
      expect([refused.status, refused.code]).toEqual([409, 'CANNOT_BE_UNDONE']);
      expect(refused.detail).toMatch(reason);
      expect(refused.members).toEqual(wayBack);
    }
    expect((await undo(third)).status).toBe(200);
  });

  test('is for whoever may edit the record now, whoever made the change', async () => {
    const [viewer, editor] = [await world.person(company), await world.person(company)];
    const goal = await world.closedGoal(space, { companyLevel: 0, spaceLevel: 0 });
    await world.grant(company, caller, 70, { goalId: goal.id });
    const reopening = await run('reopenGoal', { id: goal.id });
    expect((await undo(reopening, editor.token)).status).toBe(404);
    await world.grant(company, viewer, 10, { goalId: goal.id });
    expect(await undo(reopening, viewer.token)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await world.grant(company, editor, 70, { goalId: goal.id });
    expect((await undo(reopening, editor.token)).status).toBe(200);
  });

  test('happens once, however many ask at once', async () => {
    const { id } = await world.file(hub, caller);
    const deletion = await run('deleteResourceHubFile', { fileId: id });
    const answers = await Promise.all([1, 2, 3, 4].map(() => undo(deletion)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ data }) => data?.activity)).toHaveLength(1);
  });

  test('is previewed: with what it would record, and how a document would change', async () => {
    const query = `query ($id: ID!) { previewUndoChange(input: { activityId: $id }) { wouldChange state action undoes { id }
      difference { title { changes { kind text } } content { changes { kind text } } } } }`;
    const preview = async (id: string) => (await world.graphql(caller.readOnlyToken, query, { id })).body.data;
    const document = await world.document(hub, caller);
    const restoring = await run('restoreDocumentVersion', restored(document, 1, 3));
    expect((await preview(restoring)).previewUndoChange).toEqual({
      wouldChange: true,
      state: expect.stringMatching(/^[0-9a-f]{32}$/),
      action: 'DOCUMENT_VERSION_RESTORED',
      undoes: { id: restoring },
      difference: {
        title: {
          changes: [
            { kind: 'UNCHANGED', text: 'Title ' },
            { kind: 'REMOVED', text: '1' },
            { kind: 'ADDED', text: '3' },
          ],
        },
        content: {
          changes: [
            { kind: 'REMOVED', text: 'one' },
            { kind: 'ADDED', text: 'three' },
          ],
        },
      },
    });
    await undo(restoring);
    expect((await preview(restoring)).previewUndoChange).toMatchObject({ wouldChange: false, difference: null });
  });

  test('and several in one request lock their records in one order', async () => {
    const files = [await world.file(hub, caller), await world.file(hub, caller)];
    const ids = [];
    for (const { id } of files) ids.push(await run('deleteResourceHubFile', { fileId: id }));
    const [one, other] = ids.map((id) => `undoChange(input: { activityId: "${id}" }) { hasChanged }`);
    const both = (...fields: (string | undefined)[]) =>
      world.graphql(caller.token, `mutation { a: ${fields[0]} b: ${fields[1]} }`);
    const answers = await Promise.all([both(one, other), both(other, one)]);
    for (const { body } of answers) expect(body.errors).toBeUndefined();
    for (const { id } of files) expect((await rowOf('resource_hub_files', id)).deleted_at).toBeNull();
  });

  test('of its own changes leaves nothing for the undoing of its token, which lists what it took back of others', async () => {
    const agent = await createToken(world.db, { ...company, personId: caller.id, name: 'agent', canWrite: true });
    const [kept, mine, theirs] = [
      await world.file(hub, caller),
      await world.file(hub, caller),
      await world.file(hub, caller),
    ];
    await run('deleteResourceHubFile', { fileId: kept.id }, agent.token);
    const deletion = await run('deleteResourceHubFile', { fileId: mine.id }, agent.token);
    const another = await run('deleteResourceHubFile', { fileId: theirs.id });
    for (const id of [deletion, another]) expect((await undo(id, agent.token)).status).toBe(200);
    const { changes } = await undoToken(world, agent.id);
    expect(changes.map(({ subjectId, left }) => [subjectId, left])).toEqual([
      [theirs.id, 'it cannot be taken back: it took another change back'],
      [kept.id, null],
    ]);
    for (const { id } of [kept, mine, theirs]) expect((await rowOf('resource_hub_files', id)).deleted_at).toBeNull();
  });
});
