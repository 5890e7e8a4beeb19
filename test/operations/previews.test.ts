import { afterAll, describe, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld, type Json, mentioning, World } from '../support/world.js';

const world = await createWorld();
const { db } = world;

// The same gateway, but its Postgres refuses every write.
const readOnlyUrl = new URL(world.url);
readOnlyUrl.searchParams.set('options', '-c default_transaction_read_only=on');
const readOnly = new World(openModels({ url: readOnlyUrl.href, poolSize: 2, preparedStatements }), world.url);
afterAll(() => readOnly.db.$disconnect());

const reopen = `query($input: PreviewReopenGoalInput!, $first: Int) { previewReopenGoal(input: $input) {
  goal { id isClosed } wouldChange message
  notified(first: $first) { totalCount nodes { id fullName } pageInfo { hasNextPage } }
  subscribed { totalCount nodes { id } } } }`;

const restore = `query($documentId: ID!, $versionNumber: Int!) {
  previewRestoreDocumentVersion(input: { documentId: $documentId, versionNumber: $versionNumber }) {
    expectedCurrentVersion wouldChange titleBefore titleAfter contentBefore contentAfter version { versionNumber }
    difference { title { changes { kind text } } content { changes { kind text } } } } }`;

const mutation = {
  reopen: 'mutation($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id } } }',
  restore:
    'mutation($input: RestoreDocumentVersionInput!) { restoreDocumentVersion(input: $input) { restoredVersion { title content } } }',
};

const ids = ({ nodes }: Json) => nodes.map(({ id }: Json) => id).sort();

async function preview(token: string, document: string, variables: Json): Promise<Json> {
  const { body } = await readOnly.graphql(token, document, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

describe('previewReopenGoal', () => {
  test('names exactly those whom reopening then notifies and subscribes, with a read-only token', async () => {
    const { company, caller, space } = await world.team();
    const person = (data: Json = {}) => world.person(company, data);
    const [invited, mentioned, suspended, blind] = [
      await person(),
      await person(),
      await person({ suspendedAt: new Date() }),
      await person({ type: 'guest' }),
    ];
    const members = [await person(), await person({ suspendedAt: new Date() })];
    for (const { id } of members) {
      await db.spaceMember.create({ data: { ...company, spaceId: space.id, personId: id } });
    }
    const message = mentioning(mentioned.id);
    for (const sendNotificationsToEveryone of [false, true, null]) {
      const goal = await world.closedGoal(space);
      const input = {
        id: goal.id,
        message,
        sendNotificationsToEveryone,
        subscriberIds: [invited.id, suspended.id, blind.id, caller.id],
      };
      const { previewReopenGoal: found } = await preview(caller.readOnlyToken, reopen, { input });
      expect(found).toMatchObject({ wouldChange: true, goal: { id: goal.id, isClosed: true }, message });

      expect((await world.graphql(caller.token, mutation.reopen, { input })).status).toBe(200);
      const notified = await db.notification.findMany({ where: { activity: { goalId: goal.id } } });
      const subscribed = await db.subscription.findMany({
        where: { subscriptionList: { thread: { activity: { goalId: goal.id } } } },
      });
      expect(ids(found.notified)).toEqual(notified.map(({ personId }) => personId).sort());
      expect(ids(found.subscribed)).toEqual(subscribed.map(({ personId }) => personId).sort());
      expect(found.notified.totalCount).toBe(sendNotificationsToEveryone ? 3 : 2);
    }
  });

  test('says that an open goal, and no goal at all, would be left alone', async () => {
    const { caller, space } = await world.team();
    const goal = await world.goal(space);
    const nobody = { totalCount: 0, nodes: [] };
    const open = await preview(caller.token, reopen, {
      input: { id: goal.id, message: 'x', sendNotificationsToEveryone: true },
    });
    expect(open.previewReopenGoal).toMatchObject({
      wouldChange: false,
      message: null,
      notified: nobody,
      subscribed: nobody,
    });
    const none = await preview(caller.token, reopen, { input: {} });
    expect(none.previewReopenGoal).toMatchObject({ goal: null, wouldChange: false, notified: nobody });
  });
});

test('previewDeleteResourceHubFile and previewRecoverResourceHubFile say that nothing happens without a file', async () => {
  const { caller } = await world.team();
  const document = `{
    deletion: previewDeleteResourceHubFile(input: {}) { wouldChange state file { id } }
    recovery: previewRecoverResourceHubFile(input: {}) { wouldChange state file { id } }
  }`;
  const nothing = { wouldChange: false, state: null, file: null };
  expect(await preview(caller.token, document, {})).toEqual({ deletion: nothing, recovery: nothing });
});

describe('previewRestoreDocumentVersion', () => {
  async function written(contents: string[]) {
    const { company, caller, space } = await world.team();
    return {
      caller,
      document: await world.document(await world.hub(company, { spaceId: space.id }), caller, contents),
    };
  }

  test('tells what restoring then changes, with a read-only token', async () => {
    const { caller, document } = await written(['old text', 'new text']);
    const variables = { documentId: document.id, versionNumber: 1 };
    const { previewRestoreDocumentVersion: found } = await preview(caller.readOnlyToken, restore, variables);
    expect(found).toEqual({
      expectedCurrentVersion: 2,
      wouldChange: true,
      titleBefore: 'Title 2',
      titleAfter: 'Title 1',
      contentBefore: 'new text',
      contentAfter: 'old text',
      version: { versionNumber: 1 },
      difference: {
        title: {
          changes: [
            { kind: 'UNCHANGED', text: 'Title ' },
            { kind: 'REMOVED', text: '2' },
            { kind: 'ADDED', text: '1' },
          ],
        },
        content: {
          changes: [
            { kind: 'REMOVED', text: 'new' },
            { kind: 'ADDED', text: 'old' },
            { kind: 'UNCHANGED', text: ' text' },
          ],
        },
      },
    });
    const input = { ...variables, expectedCurrentVersion: found.expectedCurrentVersion };
    const { body } = await world.graphql(caller.token, mutation.restore, { input });
    expect(body.data.restoreDocumentVersion.restoredVersion).toEqual({
      title: found.titleAfter,
      content: found.contentAfter,
    });
  });

  test('of an unknown version fails as restoring would', async () => {
    const { caller, document } = await written(['old', 'new']);
    const read = async (token: string, versionNumber: number) => {
      const variables = { documentId: document.id, versionNumber };
      return (await readOnly.graphql(token, restore, variables)).body.errors?.[0].extensions.code;
    };
    expect([await read(caller.token, 1), await read(caller.token, 3)]).toEqual([undefined, 'NOT_FOUND']);
  });

  test('names exactly those whom restoring then subscribes', async () => {
    const { company, caller, space } = await world.team();
    const person = (data: Json = {}) => world.person(company, data);
    const [mentioned, suspended, subscribed, canceled] = [
      await person({ fullName: 'A' }),
      await person({ fullName: 'B', suspendedAt: new Date() }),
      await person(),
      await person(),
    ];
    const content = mentioning(mentioned.id, suspended.id, subscribed.id, canceled.id, 'nobody');
    const hub = await world.hub(company, { spaceId: space.id });
    const document = await world.document(hub, caller, [content, 'new']);
    const followers = [subscribed, { ...canceled, canceled: true }];
    await world.subscribe({ companyId: document.companyId, documentId: document.id }, followers);
    const query = `query($documentId: ID!, $versionNumber: Int!) {
      previewRestoreDocumentVersion(input: { documentId: $documentId, versionNumber: $versionNumber }) {
        subscribed { totalCount nodes { id } }
      } }`;
    const subscribers = async (versionNumber: number) => {
      const found = await preview(caller.readOnlyToken, query, { documentId: document.id, versionNumber });
      return found.previewRestoreDocumentVersion.subscribed;
    };
    expect(await subscribers(2)).toEqual({ totalCount: 0, nodes: [] });
    const found = await subscribers(1);
    expect(found.totalCount).toBe(2);
    const input = { documentId: document.id, versionNumber: 1, expectedCurrentVersion: 2 };
    await world.graphql(caller.token, mutation.restore, { input });
    const added = await db.subscription.findMany({
      where: { type: 'mentioned', subscriptionList: { documentId: document.id } },
    });
    expect(ids(found)).toEqual(added.map(({ personId }) => personId).sort());
    expect((await subscribers(1)).totalCount).toBe(0);
  });
});
