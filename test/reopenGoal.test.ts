import { describe, expect, test } from 'vitest';
import { createWorld, restPaths } from './world.js';

const world = await createWorld();
const { db } = world;
const path = restPaths.reopenGoal;

async function setting() {
  const company = await world.company();
  const author = await world.person(company);
  const space = await world.space(company, [author]);
  return { company, author, space };
}

const doc = (...ids: string[]) =>
  JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: ids.map((id) => ({ type: 'mention', attrs: { id, label: 'x' } })) }],
  });

const notified = async (goalId: string) =>
  (await db.notification.findMany({ where: { activity: { goalId } } })).map(({ personId }) => personId).sort();

const subscriptions = async (goalId: string) =>
  Object.fromEntries(
    (await db.subscription.findMany({ where: { subscriptionList: { thread: { activity: { goalId } } } } })).map(
      ({ personId, type }) => [personId, type],
    ),
  );

describe('reopen_goal', () => {
  test('smoke', async () => {
    const { author, space } = await setting();
    const goal = await world.closedGoal(space, { closedById: author.id });
    const answer = await world.post(path, author.token, { id: goal.id, message: 'again' });
    console.log(JSON.stringify(answer.body, null, 1));
    expect(answer.status).toBe(200);
  });
});
