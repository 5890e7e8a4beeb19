import { expect, test } from 'vitest';
import { eventSource } from '../../../src/events/source.js';
import { numberEvents } from '../../../src/platform/outbox/sequence.js';
import { createToken } from '../../../src/tokens.js';
import { Agent } from '../../support/agent.js';
import { plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { perform } from '../../support/surfaces.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const { db } = world;
const { company, caller, space } = await world.team();

const reopen = `query($input: PreviewReopenGoalInput!, $first: Int) { previewReopenGoal(input: $input) {
  notified(first: $first) { totalCount nodes { id fullName } pageInfo { hasNextPage } } } }`;

const tokenOf = async () =>
  new Agent(world, (await createToken(db, { ...company, personId: caller.id, name: 'agent', canWrite: true })).token);

test('a token that previews without a pause stores nothing, and one that changes stores each outcome', async () => {
  const busy = await tokenOf();
  const { id } = await world.goal(space);
  const input = { id, message: 'x'.repeat(30_000) };
  const stored = async () => {
    const [{ bytes }] = await world.sql(
      `SELECT coalesce(sum(octet_length(k::text)), 0) AS bytes
       FROM idempotency_keys k JOIN api_tokens t ON t.id = k.token_id WHERE t.name = 'agent'`,
    );
    return Number(bytes);
  };
  const before = await stored();
  const used: Json[] = [];
  for (let round = 0; round < 12; round += 1) {
    const issued = await Promise.all(Array.from({ length: 10 }, () => busy.confirmed('reopen_goal', input)));
    used.push(...issued);
    await Promise.all(issued.map((confirmed) => busy.data('reopen_goal', confirmed)));
  }
  expect((await stored()) - before).toBeLessThan(used.length * 1000);
  for (const confirmed of [used[0], used.at(-1)])
    expect(await busy.data('reopen_goal', confirmed)).toMatchObject({ activity: null, replayed: true });
});

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

test('numbering reads no more than it numbers, however much waits', async () => {
  const { company, caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT $1, 'goal_closed', $2, $3, 'closed' FROM generate_series(1, 20000) n`,
    [company.companyId, caller.id, goal.id],
  );
  await world.sql('VACUUM ANALYZE activities');
  const { statements } = await statementsOf(() => numberEvents(world.db, eventSource, company.companyId));
  const numbering = statements.filter(({ text }) => text.includes('waiting'));
  for (const { rows } of await plansOf(world.url, numbering)) expect(rows).toBeLessThan(1_500);
});
