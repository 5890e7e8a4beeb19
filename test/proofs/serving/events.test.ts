import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { openStream } from '../../support/openStream.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { startServer } from '../../support/server.js';
import { listening, temporaryServer } from '../../support/temporary.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const prepared = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off' };

/** A closed goal of a company of its own, and how many of its events have a number. */
async function closedGoal() {
  const { caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  const { companyId } = goal;
  const happen = () => world.activity(caller, { action: 'goal_closed', goalId: goal.id });
  const numbered = async () => {
    const [row] = await world.sql('SELECT last_sequence AS last FROM companies WHERE id = $1', [companyId]);
    return Number(row?.last);
  };
  return { caller, goal, happen, numbered };
}

describe('goalpost serve', () => {
  test('numbers what its clients change and what others write', async () => {
    const { caller, goal, happen, numbered } = await closedGoal();
    const { client } = await temporaryServer({ DATABASE_URL: world.url, ...prepared });
    const query = `mutation { reopenGoal(input: { id: "${goal.id}" }) { activity { id } } }`;
    expect((await client.graphql(caller.token, query)).body.errors).toBeUndefined();
    await eventually(async () => expect(await numbered()).toBe(1));
    await happen();
    await eventually(async () => expect(await numbered()).toBe(2));
  });

  test('sends events to every stream, and ends each with a time to come back when it is stopped', async () => {
    const { caller, happen } = await closedGoal();
    const { base, stop } = await startServer({ DATABASE_URL: world.url, ...prepared });
    const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(base, caller.token)));
    await happen();
    const seen = await Promise.all(streams.map((stream) => stream.events(1)));
    expect(seen).toEqual(streams.map(() => [expect.objectContaining({ sequence: 1 })]));
    const since = performance.now();
    await stop();
    expect(performance.now() - since).toBeLessThan(20_000);
    // No `complete`: their clients come back.
    expect(await Promise.all(streams.map((stream) => stream.event()))).toEqual(streams.map(() => undefined));
    for (const { retry } of streams) expect(retry).toBeGreaterThanOrEqual(1_000);
  });
});

describe("a gateway in a server of one's own", () => {
  const opened: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(opened.map((app) => app.close())));

  test('sends events to a stream until it is closed, which ends the stream with a time to come back', async () => {
    const { caller, happen } = await closedGoal();
    const app = await createApp({ databaseUrl: world.url, settings: prepared, log: () => {} });
    opened.push(app);
    const server = createServer(app.listener);
    const port = await listening(server);
    const stream = await openStream(`http://127.0.0.1:${port}`, caller.token);
    await happen();
    expect(await stream.events(1)).toMatchObject([{ sequence: 1 }]);
    const closed = once(server, 'close');
    server.close();
    await app.close();
    expect(await stream.event()).toBeUndefined();
    expect(stream.retry).toBeGreaterThanOrEqual(1_000);
    await closed;
  });
});
