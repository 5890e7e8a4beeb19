import { describe, expect, test } from 'vitest';
import { filledDocument, filledFile, filledGoal } from '../../support/filled.js';
import { withFragments } from '../../support/restFragments.js';
import { statementsOf } from '../../support/statements.js';
import { perform } from '../../support/surfaces.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();

/** The same goal twice: with one of everything, and with two hundred. */
const sizes = [await filledGoal(world, 1), await filledGoal(world, 200)];
type Filled = (typeof sizes)[number];

/** How many statements the work sends to Postgres, after the last use of the token was recorded. */
async function countOf(token: string, work: () => Promise<Json>): Promise<number> {
  await world.graphql(token, '{ viewer { person { id } } }');
  const { statements, result } = await statementsOf(work);
  const { status, body } = result;
  expect({ status, errors: body?.errors }).toEqual({ status: 200, errors: undefined });
  return statements.length;
}

const closed = { closedAt: new Date('2026-05-01T00:00:00Z'), success: true };

const reopening =
  (input: (made: Filled) => Json, state: Json = closed) =>
  async (made: Filled) => {
    const { id } = made.goal;
    await world.db.goal.updateMany({ where: { id }, data: state });
    const { token } = made.caller;
    return countOf(token, () => perform(world, 'REST', 'reopenGoal', token, { id, ...input(made) }));
  };

const deleting = (parent: 'space' | 'goal' | 'project') => async (made: Filled) => {
  const { id: fileId } = await filledFile(world, made, parent);
  return countOf(made.caller.token, () =>
    perform(world, 'REST', 'deleteResourceHubFile', made.caller.token, { fileId }),
  );
};

const restoring = (parent: 'space' | 'goal' | 'project', which: 'first' | 'current') => async (made: Filled) => {
  const { id: documentId, currentVersion } = await filledDocument(world, made, parent);
  const input = {
    documentId,
    versionNumber: which === 'first' ? 1 : currentVersion,
    expectedCurrentVersion: currentVersion,
  };
  return countOf(made.caller.token, () => perform(world, 'REST', 'restoreDocumentVersion', made.caller.token, input));
};

const asking = (document: string, idOf: (made: Filled) => Promise<{ id: string }>) => async (made: Filled) => {
  const { id } = await idOf(made);
  return countOf(made.caller.token, () => world.graphql(made.caller.token, withFragments(document), { id }));
};

const open = { closedAt: null, closedById: null, success: null };

/** The token, load and permit, the write, and reading the answer back; a path of folders is one more. */
const requests: [string, number, (made: Filled) => Promise<number>][] = [
  ['reopening a goal', 4, reopening(() => ({ message: 'again', sendNotificationsToEveryone: true }))],
  ['reopening a goal and naming people', 5, reopening(({ others }) => ({ subscriberIds: others }))],
  ['reopening an open goal', 3, reopening(() => ({}), open)],
  ['deleting a file of a space', 5, deleting('space')],
  ['deleting a file of a goal', 5, deleting('goal')],
  ['deleting a file of a project', 5, deleting('project')],
  ['restoring a version of a document of a space', 5, restoring('space', 'first')],
  ['restoring a version of a document of a goal', 5, restoring('goal', 'first')],
  ['restoring a version of a document of a project', 5, restoring('project', 'first')],
  ['restoring what is current', 4, restoring('goal', 'current')],
];

const queries: [string, number, (made: Filled) => Promise<number>][] = [
  [
    'all of a goal and of its parents',
    2,
    asking(
      `query ($id: ID!) { goal(id: $id) {
        ...GoalFields parentGoal { ...GoalFields parentGoal { ...GoalFields parentGoal { id } } }
      } }`,
      async ({ goal }) => goal,
    ),
  ],
  [
    'all of a file, its hub and what that belongs to',
    3,
    asking(
      `query ($id: ID!) { resourceHubFile(id: $id) { ...FileFields resourceHub {
        ...HubFields space { ...SpaceFields } goal { ...GoalFields } project { ...ProjectFields }
      } } }`,
      (made) => filledFile(world, made, 'goal'),
    ),
  ],
  [
    'all of a document and a hundred of its versions',
    4,
    asking(
      'query ($id: ID!) { resourceHubDocument(id: $id) { ...DocumentFields versions(first: 100) { nodes { ...VersionFields } } } }',
      (made) => filledDocument(world, made, 'project'),
    ),
  ],
  [
    'a hundred events behind a cursor: the token, the cursor, the page, its events',
    4,
    async (made) => {
      const { token } = made.caller;
      while ((await world.numberEvents(made.company.companyId)).hasMore);
      const first = await world.graphql(token, '{ events(first: 1) { pageInfo { endCursor } } }');
      const { endCursor } = first.body.data.events.pageInfo;
      const document = `query ($after: String) { events(first: 100, after: $after) {
        nodes { id type sequence timestamp activity { name author { fullName } } } pageInfo { hasNextPage endCursor } } }`;
      return countOf(token, () => world.graphql(token, document, { after: endCursor }));
    },
  ],
  [
    'who is asking',
    2,
    asking('{ viewer { person { id fullName } token { id name canWrite } } }', async ({ goal }) => goal),
  ],
];

describe('the number of SQL statements, with one of everything as with two hundred', () => {
  test.each([...requests, ...queries])('for %s is %i', async (_, expected, count) => {
    const numbers = [];
    for (const made of sizes) numbers.push(await count(made));
    expect(numbers).toEqual([expected, expected]);
  });

  test.each([1, 30])('for two versions of each of %i documents is 6: one for each field', async (count) => {
    const { caller, hub } = await world.teamWithHub('space');
    for (let index = 0; index < count; index += 1) await world.document(hub, caller, ['one', 'two']);
    const ofEach = '... on ResourceHubDocument { a: version(number: 1) { title } b: version(number: 2) { content } }';
    const query = `query ($id: ID!) { resourceHub(id: $id) { nodes(first: 30) { nodes { ${ofEach} } } } }`;
    expect(await countOf(caller.token, () => world.graphql(caller.token, query, { id: hub.id }))).toBe(6);
  });

  test('for nothing to reopen or delete is 1: the token', async () => {
    const { caller } = await world.team();
    for (const operation of ['reopenGoal', 'deleteResourceHubFile'] as const) {
      expect(await countOf(caller.token, () => perform(world, 'REST', operation, caller.token, {}))).toBe(1);
    }
  });
});
