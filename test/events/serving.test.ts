import { afterAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/index.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { startServer } from '../support/server.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const prepared = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off' };

/** A closed goal of a company of its own, and how many of its events have a number. */
async function closedGoal() {
  const { caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  const { companyId } = goal;
  const happen = () =>
    world.sql(
      `INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ($1, 'goal_closed', $2, $3, 'Goal')`,
      [companyId, caller.id, goal.id],
    );
  const numbered = async () => {
    const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [companyId]);
    return Number(row?.last);
  };
  return { caller, goal, happen, numbered };
}

const patient = { timeout: 20_000, interval: 20 };

describe.each([
  { what: 'one process', settings: {} },
  { what: 'two workers', settings: { WORKERS: '2' } },
])('goalpost serve, as $what', { timeout: 60_000 }, ({ settings }) => {
  test('numbers what its clients change and what others write', async () => {
    const { caller, goal, happen, numbered } = await closedGoal();
    const { client, stop } = await startServer({ DATABASE_URL: world.url, ...prepared, ...settings });
    try {
      const query = `mutation { reopenGoal(input: { id: "${goal.id}" }) { activity { id } } }`;
      expect((await client.graphql(caller.token, query)).body.errors).toBeUndefined();
      await vi.waitFor(async () => expect(await numbered()).toBe(1), patient);
      await happen();
      await vi.waitFor(async () => expect(await numbered()).toBe(2), patient);
    } finally {
      await stop();
    }
  });
});

describe("a gateway in a server of one's own", () => {
  const opened: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(opened.map((app) => app.close())));

  test('numbers what others write until it is closed, and closing does not wait for that', async () => {
    const { happen, numbered } = await closedGoal();
    const app = await createApp({ databaseUrl: world.url, settings: prepared, log: () => {} });
    opened.push(app);
    await happen();
    await vi.waitFor(async () => expect(await numbered()).toBe(1), patient);
    const since = performance.now();
    await app.close();
    expect(performance.now() - since).toBeLessThan(3_000);
    await happen();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await numbered()).toBe(1);
  });
});
