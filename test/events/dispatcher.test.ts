import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { eventSource } from '../../src/events/source.js';
import { Prisma } from '../../src/generated/client/client.js';
import { Dispatcher } from '../../src/platform/outbox/dispatcher.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld, restPaths } from '../support/world.js';

let dispatcher: Dispatcher | undefined;
const world = await createWorld({ isAlone: true, onChange: (companyId: string) => dispatcher?.changed(companyId) });
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

type Record = { companyId: string; id: string };
const closeByHand = (goal: Record, author: Record) =>
  world.activity(author, { action: 'goal_closed', goalId: goal.id });

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

test('numbers what others wrote within a second and a half', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const { dispatcher, close } = startDispatcher();
  dispatcher.start();
  await sleep(200);
  await closeByHand(goal, caller);
  expect(await untilNumbered(company.companyId, 1)).toBeLessThan(1_500);
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
  for (const { caller, space } of [lost, other]) await closeByHand(await world.closedGoal(space), caller);
  await untilNumbered(other.company.companyId, 1);
  const { caller, space } = other;
  await closeByHand(await world.closedGoal(space), caller);
  await untilNumbered(other.company.companyId, 2);
  const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [lost.company.companyId]);
  expect(Number(row?.last)).toBe(0);
  await close();
});
