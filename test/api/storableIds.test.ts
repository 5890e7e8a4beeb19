import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();

describe.each(['a\0b', 'a\ud83d'])('the id %j, which Postgres cannot hold, is unknown', (id) => {
  const ask = async (query: string, variables: object) => (await world.graphql(caller.token, query, variables)).body;

  test('as an argument', async () => {
    const { errors } = await ask('query ($id: ID!) { goal(id: $id) { id } }', { id });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  test('in a filter', async () => {
    const query = 'query ($filter: GoalFilter) { goals(filter: $filter) { nodes { id } } }';
    for (const filter of [{ spaceId: id }, { championId: id }]) {
      expect(await ask(query, { filter })).toMatchObject({ data: { goals: { nodes: [] } } });
    }
  });

  test('in a list', async () => {
    const goal = await world.closedGoal(space);
    const query = 'query ($input: PreviewReopenGoalInput!) { previewReopenGoal(input: $input) { wouldChange } }';
    const { errors } = await ask(query, { input: { id: goal.id, subscriberIds: [caller.id, id] } });
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', errors: [{ field: 'input.subscriberIds[1]', code: 'not_found' }] } },
    ]);
  });
});
