import { describe, expect, test } from 'vitest';
import { mutation } from '../support/surfaces.js';
import { walk } from '../support/walk.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

const inbox = `{ viewer { notifications { nodes { activity {
  action name message subjectKind subjectId documentVersion { id }
  subject { __typename ... on Goal { id } ... on ResourceHubFile { id } ... on ResourceHubDocument { id } }
  undoneOutcome { success closedAt closedBy { id } }
} } } } }`;

const activitiesFor = async (token: string): Promise<Json[]> => {
  const { body } = await world.graphql(token, inbox);
  return body.data.viewer.notifications.nodes.map(({ activity }: Json) => activity);
};

describe('the name in an activity', () => {
  test('and the kind and ID of its subject are those that the file had, for those whom its deletion notifies', async () => {
    const { company, caller, hub } = await world.teamWithHub('space');
    const follower = await world.person(company);
    const file = await world.file(hub, caller, { name: 'Plan.pdf' });
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [follower]);
    const input = { fileId: file.id };
    await world.graphql(caller.token, mutation('deleteResourceHubFile', 'file { id }'), { input });
    const deletion = {
      action: 'RESOURCE_HUB_FILE_DELETED',
      name: 'Plan.pdf',
      subjectKind: 'RESOURCE_HUB_FILE',
      subjectId: file.id,
    };
    expect(await activitiesFor(follower.token)).toMatchObject([{ ...deletion, subject: null }]);

    await world.graphql(caller.token, mutation('recoverResourceHubFile', 'file { id }'), { input });
    await db.resourceHubFile.updateMany({ where: { id: file.id }, data: { name: 'Plan 2.pdf' } });
    expect(await activitiesFor(follower.token)).toMatchObject([
      { ...deletion, subject: { __typename: 'ResourceHubFile', id: file.id } },
    ]);

    await db.spaceMember.deleteMany({ where: { personId: follower.id } });
    await db.space.updateMany({ where: { companyId: company.companyId }, data: { companyLevel: 0 } });
    expect(await activitiesFor(follower.token)).toMatchObject([
      { ...deletion, name: null, subjectId: null, subject: null },
    ]);
  });

  test('is the title that a version gave a document, also when the document is gone', async () => {
    const { caller, hub } = await world.teamWithHub('goal');
    const document = await world.document(hub, caller, ['one', 'two']);
    const input = { documentId: document.id, versionNumber: 1, expectedCurrentVersion: 2 };
    const { body } = await world.graphql(caller.token, mutation('restoreDocumentVersion', 'activity { id name }'), {
      input,
    });
    const { activity } = body.data.restoreDocumentVersion;
    expect(activity.name).toBe('Title 1');
    await db.notification.create({
      data: { companyId: document.companyId, activityId: activity.id, personId: caller.id },
    });
    await db.resourceHubDocument.updateMany({
      where: { id: document.id },
      data: { deletedAt: new Date() },
    });
    expect(await activitiesFor(caller.token)).toMatchObject([
      { name: 'Title 1', subject: null, documentVersion: null, undoneOutcome: null },
    ]);
  });

  test('and its subject are shown to all who see a published document, and to nobody once it is removed', async () => {
    const { company, caller, hub } = await world.teamWithHub('space');
    const reader = await world.person(company);
    const document = await world.document(hub, caller, ['one']);
    const file = await world.file(hub, caller, { name: 'Plan.pdf' });
    const notifications = { create: { personId: reader.id } };
    const [edited, created] = ['resource_hub_document_edited', 'resource_hub_file_created'] as const;
    await world.activity(caller, { action: edited, name: 'Title 1', documentId: document.id, notifications });
    await world.activity(caller, { action: created, name: 'Plan.pdf', fileId: file.id, notifications });
    const shown = async () => (await activitiesFor(reader.token)).map(({ name, subject }) => [name, subject?.id]);
    expect((await shown()).sort()).toEqual([
      ['Plan.pdf', file.id],
      ['Title 1', document.id],
    ]);
    const removed = { where: company, data: { removedAt: new Date(), deletedAt: new Date() } };
    await db.resourceHubDocument.updateMany(removed);
    await db.resourceHubFile.updateMany(removed);
    expect(await shown()).toEqual([
      [null, undefined],
      [null, undefined],
    ]);
  });
});

describe('the outcome that reopening a goal undid', () => {
  test.each([true, false])('says that success was %s, when the goal was closed, and by whom', async (success) => {
    const { company, caller, space } = await world.team();
    const closer = await world.person(company);
    const closedAt = new Date('2026-03-01T10:00:00.123Z');
    const goal = await world.closedGoal(space, { success, closedAt, closedById: closer.id });
    const selection = 'activity { action name undoneOutcome { success closedAt closedBy { id } } }';
    const { body } = await world.graphql(caller.token, mutation('reopenGoal', selection), { input: { id: goal.id } });
    expect(body.data.reopenGoal.activity).toEqual({
      action: 'GOAL_REOPENED',
      name: goal.name,
      undoneOutcome: { success, closedAt: closedAt.toISOString(), closedBy: { id: closer.id } },
    });
  });

  test('is the one that the goal has when it is reopened, not when it was read', async () => {
    const { company, caller, space } = await world.team();
    const goal = await world.closedGoal(space);
    const change = 'UPDATE goals SET success = false WHERE company_id = $1 AND id = $2';
    const { release } = await world.holding(change, [company.companyId, goal.id]);
    const selection = 'activity { undoneOutcome { success } }';
    const answer = world.graphql(caller.token, mutation('reopenGoal', selection), { input: { id: goal.id } });
    await world.untilOneWaits();
    await release();
    expect((await answer).body.data.reopenGoal).toEqual({ activity: { undoneOutcome: { success: false } } });
  });
});

test("a mutation's `activity` is the one that the call made, and null when it changed nothing", async () => {
  const { company, caller, space } = await world.team();
  const { id } = await world.closedGoal(space);
  const call = async () => {
    const selection = 'activity { id action author { id } }';
    const { body } = await world.graphql(caller.token, mutation('reopenGoal', selection), { input: { id } });
    return body.data.reopenGoal.activity;
  };
  const made = await call();
  expect(made).toMatchObject({ action: 'GOAL_REOPENED', author: { id: caller.id } });
  expect(await db.activity.findMany({ where: company, select: { id: true } })).toEqual([{ id: made.id }]);
  expect(await call()).toBeNull();
});

describe('the activities of the company', () => {
  test('are listed newest first by their time, whenever they were recorded, page by page, to those who see them', async () => {
    const { company, caller, space } = await world.team();
    const stranger = await world.person(company);
    const [open, hidden] = [await world.goal(space), await world.goal(space, { companyLevel: 0, spaceLevel: 10 })];
    const record = (goalId: string, day: number, id: string | number = day) => {
      const insertedAt = new Date(`2026-04-0${day}T00:00:00Z`);
      return world.activity(caller, { id: `${goalId}-${id}`, action: 'goal_closed', goalId, insertedAt });
    };
    // April comes after May, as an import brings it; two of one time.
    for (const [goal, day] of [
      [open, 5],
      [hidden, 4],
      [open, 3],
      [open, 1],
      [open, 2],
    ] as const)
      await record(goal.id, day);
    await record(open.id, 3, 'again');
    await world.numberEvents(company.companyId);
    const page = async (token: string, after: string | null) => {
      const query = `query ($after: String) { activities(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
      return (await world.graphql(token, query, { after })).body.data.activities;
    };
    const all = async (token: string) => (await walk((after) => page(token, after))).map(({ id }) => id);
    const ids = [`${open.id}-5`, `${hidden.id}-4`, `${open.id}-again`, `${open.id}-3`, `${open.id}-2`, `${open.id}-1`];
    expect(await all(caller.token)).toEqual(ids);
    expect(await all(stranger.token)).toEqual(ids.filter((id) => !id.startsWith(hidden.id)));
    const { errors } = (await world.graphql(caller.token, '{ activities(after: "nonsense") { nodes { id } } }')).body;
    expect(errors[0].extensions.errors).toMatchObject([{ field: 'after', code: 'invalid' }]);
  });
});
