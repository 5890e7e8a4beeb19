import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { eventSource } from '../../../src/events/source.js';
import { Dispatcher } from '../../../src/platform/outbox/dispatcher.js';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
import { eventually } from '../../support/eventually.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();

test('numbering goes on when the database was away, and says so once', async () => {
  const { caller, space, company } = await world.team();
  const goal = await world.closedGoal(space);
  const log: { level: number; msg: string }[] = [];
  const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
  const db = openModels({ url: world.url, poolSize: 2, preparedStatements });
  const dispatcher = new Dispatcher(db, eventSource, logger);
  onTestFinished(async () => {
    dispatcher.stop();
    await db.$disconnect();
  });
  dispatcher.start();
  await sleep(200);
  const [{ name, role }] = await world.sql('SELECT current_database() AS name, $1 AS role', [
    new URL(world.url).username,
  ]);
  await world.sql(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC, ${role}`);
  await world.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = $2', [
    name,
    role,
  ]);
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ($1, 'goal_closed', $2, $3, 'Goal')`,
    [company.companyId, caller.id, goal.id],
  );
  for (let n = 0; n < 30; n += 1) {
    dispatcher.changed(company.companyId);
    await sleep(50);
  }
  expect(log.map(({ level, msg }) => ({ level, msg }))).toEqual([
    { level: 40, msg: 'the database fails; what needs it gets 503 meanwhile' },
  ]);
  await world.sql(`GRANT CONNECT ON DATABASE ${name} TO PUBLIC`);
  await eventually(() => expect(log.at(-1)?.msg).toBe('the database works again'));
  const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [company.companyId]);
  expect(Number(row?.last)).toBe(1);
});
