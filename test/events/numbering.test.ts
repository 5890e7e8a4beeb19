import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventSource } from '../../src/events/source.js';
import { numberEvents } from '../../src/platform/outbox/sequence.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

interface Written {
  company_id: string;
  id: string;
  goal_id: string;
  name: string;
  sequence: string | null;
}

/** A company with goals that anything may happen to. */
async function companyWithGoals(count: number) {
  const { company, caller, space } = await world.team();
  const goals = await Promise.all(Array.from({ length: count }, () => world.closedGoal(space)));
  return { companyId: company.companyId, authorId: caller.id, goals: goals.map(({ id }) => id) };
}

type Company = Awaited<ReturnType<typeof companyWithGoals>>;

/** What somebody else than a gateway writes: an activity, in a transaction that holds its goal. */
const write = ({ companyId, authorId }: Company, goalId: string, name: string, seconds = 0) =>
  world.sql(
    `WITH held AS (UPDATE goals SET updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING pg_sleep($5))
     INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT $1, 'goal_closed', $3, $2, $4 FROM held`,
    [companyId, goalId, authorId, name, seconds],
  );

const eventsOf = ({ companyId }: { companyId: string }): Promise<Written[]> =>
  world.sql('SELECT * FROM activities WHERE company_id = $1 ORDER BY sequence NULLS LAST, recorded_at', [companyId]);

const sequences = async (company: { companyId: string }) =>
  (await eventsOf(company)).map(({ sequence }) => Number(sequence));

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('numbers from 1, as many as waited, and says which was the last', async () => {
  const company = await companyWithGoals(1);
  const [goal = ''] = company.goals;
  expect(await world.numberEvents(company.companyId)).toEqual({
    lastSequence: 0,
    numbered: 0,
    hasMore: false,
    isBusy: false,
  });
  for (const name of ['one', 'two', 'three']) await write(company, goal, name);
  expect(await world.numberEvents(company.companyId)).toMatchObject({ lastSequence: 3, numbered: 3 });
  await write(company, goal, 'four');
  expect(await world.numberEvents(company.companyId)).toMatchObject({ lastSequence: 4, numbered: 1 });
  expect((await eventsOf(company)).map(({ name }) => name)).toEqual(['one', 'two', 'three', 'four']);
  expect(await sequences(company)).toEqual(upTo(4));
  expect(await world.numberEvents('unknown')).toMatchObject({ lastSequence: 0, numbered: 0 });
});

test('numbers two hundred at a time', async () => {
  const company = await companyWithGoals(1);
  await world.activities({ ...company, id: company.authorId }, company.goals[0] ?? '', 450);
  const rounds = [];
  for (let round = 0; round < 4; round += 1) rounds.push(await world.numberEvents(company.companyId));
  expect(rounds.map(({ numbered }) => numbered)).toEqual([200, 200, 50, 0]);
  expect(rounds.map(({ hasMore }) => hasMore)).toEqual([true, true, false, false]);
  expect((await eventsOf(company)).map(({ name }) => Number(name))).toEqual(upTo(450));
});

test('numbers after the rest what was written without the trigger, and has no time', async () => {
  const company = await companyWithGoals(1);
  const [goal = ''] = company.goals;
  await write(company, goal, 'replicated');
  await world.sql('UPDATE activities SET recorded_at = NULL WHERE company_id = $1', [company.companyId]);
  await write(company, goal, 'written');
  expect(await world.numberEvents(company.companyId)).toMatchObject({ numbered: 2 });
  expect((await eventsOf(company)).map(({ name }) => name)).toEqual(['written', 'replicated']);
});

test('numbers what many writers commit at once without a gap, in the order of each record', async () => {
  const company = await companyWithGoals(4);
  const twins = [world, world.twin(), world.twin()];
  const perWriter = 25;
  let isWriting = true;
  const numberers = twins.map(async (twin) => {
    while (isWriting) await twin.numberEvents(company.companyId);
  });
  // Two writers for each goal, so that they wait for each other, and some commit late.
  await Promise.all(
    [...company.goals, ...company.goals].map(async (goal, writer) => {
      for (let n = 0; n < perWriter; n += 1) await write(company, goal, `${writer} ${n}`, n % 10 === 0 ? 0.02 : 0);
    }),
  );
  isWriting = false;
  await Promise.all(numberers);
  while ((await world.numberEvents(company.companyId)).numbered > 0);

  expect(await sequences(company)).toEqual(upTo(8 * perWriter));
  const outOfOrder = await world.sql(
    `SELECT a.name FROM activities a JOIN activities b USING (company_id, goal_id)
     WHERE a.company_id = $1 AND a.sequence < b.sequence AND a.recorded_at > b.recorded_at`,
    [company.companyId],
  );
  expect(outOfOrder).toEqual([]);
  const names = (await eventsOf(company)).map(({ name }) => name.split(' ').map(Number));
  for (const [writer] of [...company.goals, ...company.goals].entries())
    expect(names.filter(([by]) => by === writer).map(([, n]) => n)).toEqual(upTo(perWriter).map((n) => n - 1));
});

test('shows no number before a lower one', async () => {
  const company = await companyWithGoals(6);
  let isWriting = true;
  const seen: number[][] = [];
  const reader = (async () => {
    while (isWriting) {
      seen.push((await sequences(company)).filter((sequence) => sequence > 0));
      await sleep(1);
    }
  })();
  const numberers = [world, world.twin()].map(async (twin) => {
    while (isWriting) await twin.numberEvents(company.companyId);
  });
  await Promise.all(
    company.goals.map(async (goal) => {
      for (let n = 0; n < 15; n += 1) await write(company, goal, String(n));
    }),
  );
  isWriting = false;
  await Promise.all([reader, ...numberers]);
  expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(3);
  for (const numbers of seen) expect(numbers).toEqual(upTo(numbers.length));
});

test('waits for nobody who numbers already, and holds up nobody who refers to the company', async () => {
  const company = await companyWithGoals(1);
  await write(company, company.goals[0] ?? '', 'closed');
  await world.db.$transaction(async (tx) => {
    expect(await numberEvents(tx, eventSource, company.companyId)).toMatchObject({ numbered: 1, isBusy: false });
    expect(await world.numberEvents(company.companyId)).toMatchObject({ numbered: 0, isBusy: true });
    await world.person(company);
  });
  expect(await world.numberEvents(company.companyId)).toMatchObject({
    lastSequence: 1,
    isBusy: false,
  });
});
