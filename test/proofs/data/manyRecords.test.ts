import { expect, test } from 'vitest';
import { statementsOf } from '../../support/statements.js';
import { perform } from '../../support/surfaces.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const { db } = world;
test('ten thousand recipients are notified by as many statements as one', async () => {
  const { company, caller, space } = await world.team();
  const reopenWith = async (subscriberIds: string[]) => {
    const goal = await world.closedGoal(space);
    const input = { id: goal.id, subscriberIds, message: 'again' };
    const { statements, result: outcome } = await statementsOf(() =>
      perform(world, 'REST', 'reopenGoal', caller.token, input),
    );
    expect(outcome).toMatchObject({ status: 200 });
    return {
      statements: statements.length,
      told: await db.notification.count({ where: { activity: { goalId: goal.id } } }),
    };
  };
  await reopenWith([]);
  const { statements } = await reopenWith(await world.crowd(company, 1));
  for (const count of [1, 99, 100, 10_000]) {
    expect(await reopenWith(await world.crowd(company, count))).toEqual({ told: count, statements });
  }
});
