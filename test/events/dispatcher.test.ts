import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { eventSource } from '../../src/events/source.js';
import { Prisma } from '../../src/generated/client/client.js';
import { Dispatcher } from '../../src/platform/outbox/dispatcher.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, restPaths } from '../support/world.js';

let dispatcher: Dispatcher | undefined;
const world = await createWorld({ onChange: (companyId: string) => dispatcher?.changed(companyId) });
const opened: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(opened.map((close) => close())));

/** Starts a dispatcher with a connection of its own, and its log. */
function startDispatcher(url = world.url) {
  const log: { level: number; msg: string }[] = [];
  const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
  const db = openModels({ url, poolSize: 2, preparedStatements });
  dispatcher = new Dispatcher(db, eventSource, logger);
  const close = async () => {
    dispatcher?.stop();
    await db.$disconnect();
  };
  opened.push(close);
  return { dispatcher, log, close };
}

/** Resolves once the company's last event has this sequence. Fails after a while. */
async function untilNumbered(companyId: string, sequence: number): Promise<number> {
  const since = performance.now();
  while (performance.now() - since < 20_000) {
    const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [companyId]);
    if (Number(row?.last) === sequence) return performance.now() - since;
    await sleep(5);
  }
  throw new Error(`no event ${sequence} in 20 seconds`);
}

const closeByHand = (space: { companyId: string }, goal: { id: string }, author: { id: string }) =>
  world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ($1, 'goal_closed', $2, $3, 'Goal')`,
    [space.companyId, author.id, goal.id],
  );

test('numbers what a request has changed, after its response, in a fraction of a second', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const { dispatcher, close } = startDispatcher(); // not started: nothing polls
  const told: [string, number][] = [];
  dispatcher.onNumbered((...event) => void told.push(event));
  expect((await world.post(restPaths.reopenGoal, caller.token, { id: goal.id })).status).toBe(200);
  expect(await untilNumbered(company.companyId, 1)).toBeLessThan(900);
  while (told.length === 0) await sleep(1);
  expect(told).toEqual([[company.companyId, 1]]);
  await close();
});

test('is no part of the request: its statements are the same with a dispatcher and without', async () => {
  const { caller, space } = await world.team();
  const reopen = async () => {
    const goal = await world.closedGoal(space);
    const { statements } = await statementsOf(() => world.post(restPaths.reopenGoal, caller.token, { id: goal.id }));
    return statements.map(({ text }) => text).filter((text) => !text.includes('recorded_at'));
  };
  dispatcher = undefined;
  await reopen();
  const without = await reopen();
  const { close } = startDispatcher();
  expect(await reopen()).toEqual(without);
  await close();
});

test('numbers many companies at once without a warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  const companies = await Promise.all(Array.from({ length: 15 }, () => world.company()));
  const { dispatcher, close } = startDispatcher();
  const told = new Set<string>();
  dispatcher.onNumbered((companyId) => void told.add(companyId));
  for (const { companyId } of companies) dispatcher.changed(companyId);
  await expect.poll(() => told.size).toBe(companies.length);
  await close();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('numbers a company whose changes never end every 20 ms at most', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const { dispatcher, close } = startDispatcher();
  const told: number[] = [];
  dispatcher.onNumbered(() => void told.push(performance.now()));
  while (told.length < 10) {
    dispatcher.changed(company.companyId);
    await sleep(1);
  }
  const pauses = told.slice(1).map((at, index) => at - (told[index] ?? 0));
  // A timer may fire a millisecond early.
  expect(Math.min(...pauses)).toBeGreaterThan(18.5);
  // What came last is numbered too.
  await closeByHand(space, goal, caller);
  dispatcher.changed(company.companyId);
  await untilNumbered(company.companyId, 1);
  await close();
});

test('numbers what others wrote within a second and a half', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const { dispatcher, close } = startDispatcher();
  dispatcher.start();
  await sleep(200);
  await closeByHand(space, goal, caller);
  expect(await untilNumbered(company.companyId, 1)).toBeLessThan(1_500);
  await close();
});

test('sends one statement a second if nothing happens, with all parts of the poll in it', async () => {
  const { company } = await world.team();
  const { dispatcher, close } = startDispatcher();
  const found: unknown[] = [];
  dispatcher.onPoll({ select: () => undefined, onFound: () => {} });
  dispatcher.onPoll({
    select: (within) =>
      Prisma.sql`SELECT c.id AS company_id, c.last_sequence AS number FROM companies c
        WHERE c.id = ${company.companyId} AND ${within(Prisma.sql`c.id`)}`,
    onFound: (rows) => void found.push(rows),
  });
  const { statements } = await statementsOf(async () => {
    dispatcher.start();
    await sleep(2_500);
  });
  expect(statements.length).toBeGreaterThanOrEqual(2);
  expect(statements.length).toBeLessThanOrEqual(4);
  expect(found[0]).toEqual([{ companyId: company.companyId, number: 0 }]);
  await close();
});

test('goes company by company while a part of the database is lost, and no company waits for another', async () => {
  const [lost, other] = [await world.team(), await world.team()];
  const { dispatcher, close } = startDispatcher();
  // What a statement gets that needs a node that is lost: all over all companies, and some within one.
  dispatcher.onPoll({
    select: (within) =>
      Prisma.sql`SELECT c.id AS company_id, 1 / (CASE WHEN c.id = ${lost.company.companyId} THEN 0 ELSE 1 END) AS number
        FROM companies c WHERE ${within(Prisma.sql`c.id`)}`,
    onFound: () => {},
  });
  dispatcher.start();
  for (const { caller, space } of [lost, other]) await closeByHand(space, await world.closedGoal(space), caller);
  await untilNumbered(other.company.companyId, 1);
  const { caller, space } = other;
  await closeByHand(space, await world.closedGoal(space), caller);
  await untilNumbered(other.company.companyId, 2);
  const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [lost.company.companyId]);
  expect(Number(row?.last)).toBe(0);
  await close();
});

test('survives a listener that throws', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const { dispatcher, log, close } = startDispatcher();
  const told: number[] = [];
  dispatcher.onNumbered(() => {
    throw new Error('not mine');
  });
  dispatcher.onNumbered((_, lastSequence) => void told.push(lastSequence));
  await closeByHand(space, goal, caller);
  dispatcher.changed(company.companyId);
  while (told.length === 0) await sleep(5);
  expect(told).toEqual([1]);
  expect(log.map(({ msg }) => msg)).toEqual(['a listener to events has failed']);
  await close();
});

test('does nothing after it has stopped, and stopping waits for nothing', async () => {
  const { company } = await world.team();
  const { dispatcher, close } = startDispatcher();
  const told = new Promise<void>((resolve) => void dispatcher.onNumbered(() => resolve()));
  dispatcher.start();
  dispatcher.changed(company.companyId);
  await told;
  const since = performance.now();
  dispatcher.stop();
  expect(performance.now() - since).toBeLessThan(50);
  await sleep(100);
  const { statements } = await statementsOf(async () => {
    dispatcher.changed(company.companyId);
    await sleep(1_200);
  });
  expect(statements).toEqual([]);
  await close();
});
