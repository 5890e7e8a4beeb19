import { expect, test } from 'vitest';
import { statementsOf } from '../../support/statements.js';
import { perform } from '../../support/surfaces.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const { db } = world;

const reopen = `query($input: PreviewReopenGoalInput!, $first: Int) { previewReopenGoal(input: $input) {
  notified(first: $first) { totalCount nodes { id fullName } pageInfo { hasNextPage } } } }`;

test('a preview of reopening pages through ten thousand recipients', async () => {
  const { company, caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  await db.person.createMany({
    data: Array.from({ length: 10_000 }, (_, n) => ({ ...company, fullName: `Member ${n}` })),
  });
  const everyone = await db.person.findMany({ where: company, select: { id: true } });
  await db.spaceMember.createMany({
    data: everyone.map(({ id }) => ({ ...company, spaceId: space.id, personId: id })),
    skipDuplicates: true,
  });
  const input = { id: goal.id, sendNotificationsToEveryone: true };
  const { result, statements } = await statementsOf(() => world.graphql(caller.token, reopen, { input, first: 2 }));
  expect(result.body.data.previewReopenGoal.notified).toMatchObject({
    totalCount: 10_000,
    nodes: [{ fullName: 'Member 0' }, { fullName: 'Member 1' }],
    pageInfo: { hasNextPage: true },
  });
  expect(statements.filter(({ text }) => /\b(INSERT|UPDATE|DELETE)\b/.test(text) && !/api_tokens/.test(text))).toEqual(
    [],
  );
});

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

test('ten thousand members of a space are notified at once, in the order of their ids', async () => {
  const { company, caller, space } = await world.team();
  await world.crowd(company, 10_000);
  await world.sql(
    `INSERT INTO space_members (company_id, space_id, person_id) SELECT company_id, $1, id FROM people
     WHERE company_id = $2 ON CONFLICT DO NOTHING`,
    [space.id, company.companyId],
  );
  await world.sql('ANALYZE people, space_members');
  const goal = await world.closedGoal(space, { companyLevel: 0 });
  const input = { id: goal.id, sendNotificationsToEveryone: true };
  expect(await perform(world, 'GraphQL', 'reopenGoal', caller.token, input)).toMatchObject({ status: 200 });
  const told = await db.notification.findMany({
    where: { activity: { goalId: goal.id } },
    orderBy: { id: 'asc' },
  });
  expect(told).toHaveLength(10_000);
  const ids = told.map(({ personId }) => personId);
  expect(ids).toEqual(ids.toSorted());
});
