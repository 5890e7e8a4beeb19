import { expect, test } from 'vitest';
import { withFragments } from '../src/rest/fragments.js';
import { statementsOf } from './support/statements.js';
import { type Answer, createWorld, restPaths } from './support/world.js';

const world = await createWorld();
const { company, caller, space } = await world.team();
const hub = await world.hub(company, { spaceId: space.id });

/** A goal with all that REST answers of it, and with all that could be read apart. */
async function fullGoal(): Promise<() => Promise<Answer>> {
  const { id } = await world.closedGoal(space, { championId: caller.id });
  await world.post(restPaths.reopenGoal, caller.token, { id, message: 'Again', subscriber_ids: [caller.id] });
  const query = withFragments('query ($id: ID!) { goal(id: $id) { ...GoalFields } }');
  return () => world.graphql(caller.token, query, { id });
}

async function restore(expected: number): Promise<() => Promise<Answer>> {
  const { id } = await world.document(hub, caller);
  const input = { document_id: id, version_number: 1, expected_current_version: expected };
  return () => world.post(restPaths.restoreDocumentVersion, caller.token, input);
}

// Each begins with one for the token. The parent folders of a file or document are a statement of their own.
test.each([
  ['a full goal', fullGoal, 200, 2],
  [
    'a page of goals',
    async () => () => world.graphql(caller.token, '{ goals { nodes { id status champion { id } } } }'),
    200,
    3,
  ],
  [
    'a reopened goal',
    async () => {
      const { id } = await world.closedGoal(space);
      return () => world.post(restPaths.reopenGoal, caller.token, { id });
    },
    200,
    4,
  ],
  [
    'a deleted file',
    async () => {
      const { id } = await world.file(hub, caller);
      return () => world.post(restPaths.deleteResourceHubFile, caller.token, { file_id: id });
    },
    200,
    4,
  ],
  ['a restored document', () => restore(3), 200, 4],
  ['a restore that is refused for a conflict', () => restore(1), 409, 2],
])('%s costs as few statements as it did', async (_, prepare, status, count) => {
  const ask = await prepare();
  await world.graphql(caller.token, '{ viewer { person { id } } }');
  const { result, statements } = await statementsOf(ask);
  expect(result.status).toBe(status);
  expect(result.body.errors).toBeUndefined();
  expect(statements).toHaveLength(count);
});
