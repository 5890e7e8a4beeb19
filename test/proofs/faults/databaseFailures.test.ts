import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { applyMigrations } from '../../../src/platform/administration/migrations.js';
import { startEmbedded } from '../../../src/platform/embedded/open.js';
import type { DatabaseTimeouts } from '../../../src/platform/postgres/pool.js';
import { pathOf } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { holding } from '../../support/holding.js';
import { query } from '../../support/query.js';
import { temporaryServer } from '../../support/temporary.js';
import { type Answer, restPaths, World } from '../../support/world.js';

const databaseTimeout = 2_000;
/** More than the gateway may take, because the machine that runs the tests may be slow. */
const patience = 3 * databaseTimeout;
const timeouts: DatabaseTimeouts = {
  connect: 1_500,
  response: databaseTimeout,
  statement: 1_500,
  lock: 1_000,
  idleTransaction: 4_000,
};

let directory: string;
let server: Awaited<ReturnType<typeof startEmbedded>>;
let world: World;
let caller: Awaited<ReturnType<World['person']>>;
let space: Awaited<ReturnType<World['space']>>;
const gateways: World[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'goalpost-failures-'));
  server = await startEmbedded({ dataDir: directory, throwaway: true });
  await applyMigrations(server.url, pathOf('prisma/migrations'));
  await query(server.url, `CREATE ROLE gateway LOGIN SUPERUSER PASSWORD 'gateway'`);
  world = new World(openModels({ url: server.url, poolSize: 5, preparedStatements: true }), server.url);
  const company = await world.company();
  caller = await world.person(company);
  space = await world.space(company, [caller]);
});

afterAll(async () => {
  await Promise.all([...gateways, world].map((gateway) => gateway.close()));
  await server.stop();
  await rm(directory, { recursive: true, maxRetries: 20 });
});

/** A gateway with a small pool of its own and little patience. */
function gatewayWith({ poolSize = 4, ...own }: { poolSize?: number; timeouts?: DatabaseTimeouts; url?: string } = {}) {
  const client = openModels({ url: server.url, poolSize, preparedStatements: true, timeouts, ...own });
  const gateway = new World(client, server.url, { databaseTimeouts: { response: databaseTimeout } });
  gateways.push(gateway);
  return gateway;
}

interface Timed extends Answer {
  milliseconds: number;
}

async function timed(answer: Promise<Answer>): Promise<Timed> {
  const start = performance.now();
  return { ...(await answer), milliseconds: performance.now() - start };
}

const listing = '{ goals(first: 5) { nodes { id name space { id name } activities(first: 5) { nodes { id } } } } }';

/** Reads and writes, on both surfaces, with and without an Idempotency-Key. */
function mixed(gateway: World, goalId: string, count: number): Promise<Timed[]> {
  const requests = Array.from({ length: count }, (_, index) => {
    if (index % 4 === 0) return gateway.graphql(caller.token, listing);
    if (index % 4 === 1) return gateway.post(restPaths.reopenGoal, caller.token, { id: goalId });
    if (index % 4 === 2)
      return gateway.post(restPaths.reopenGoal, caller.token, { id: goalId }, { 'idempotency-key': `mixed-${index}` });
    return gateway.graphql(
      caller.token,
      'mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id } } }',
      { input: { id: goalId } },
    );
  });
  return Promise.all(requests.map(timed));
}

const codeOf = ({ body }: Answer) => body.code ?? body.errors?.[0]?.extensions.code;

function expectUnavailable(answers: Timed[]): void {
  for (const answer of answers) {
    expect([answer.status, codeOf(answer), answer.headers.get('retry-after')], JSON.stringify(answer.body)).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '5',
    ]);
    expect(answer.milliseconds).toBeLessThan(patience);
  }
}

/** Holds locks that every statement of the API runs into, while the work runs. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const { release } = await holding(server.url, 'LOCK TABLE goals, resource_hub_files');
  return work().finally(release);
}

const backendsOfGateway = `FROM pg_stat_activity WHERE application_name = 'goalpost' AND pid <> pg_backend_pid()`;

async function recovers(gateway: World): Promise<void> {
  await eventually(async () => expect((await gateway.fetch('/readyz')).status).toBe(200));
  expect((await gateway.graphql(caller.token, listing)).status).toBe(200);
}

describe('every request gets 503 in time, and the gateway recovers by itself, when', () => {
  test('the backends are terminated in the middle of requests', async () => {
    const gateway = gatewayWith({ poolSize: 24 });
    // What has been asked once takes less than a lock's time limit again, however slow the machine.
    await gateway.graphql(caller.token, listing);
    await gateway.post(restPaths.reopenGoal, caller.token, { id: 'any' });
    const goal = await world.closedGoal(space);
    const answers = await whileLocked(async () => {
      const running = mixed(gateway, goal.id, 12);
      await eventually(async () =>
        expect(await query(server.url, `SELECT pid ${backendsOfGateway} AND wait_event_type = 'Lock'`)).toHaveLength(
          12,
        ),
      );
      await query(server.url, `SELECT pg_terminate_backend(pid) ${backendsOfGateway} AND wait_event_type = 'Lock'`);
      return running;
    });
    expectUnavailable(answers);
    expect((await world.db.goal.findFirstOrThrow({ where: { id: goal.id } })).closedAt).not.toBeNull();
    await recovers(gateway);
  });

  test('the pool is full of statements that wait for a lock', async () => {
    const gateway = gatewayWith({ poolSize: 2 });
    const goal = await world.closedGoal(space);
    expectUnavailable(await whileLocked(() => mixed(gateway, goal.id, 16)));
    await recovers(gateway);
  });

  test('the server has no connection left', async () => {
    await query(
      server.url,
      "CREATE ROLE crowded LOGIN CONNECTION LIMIT 1 PASSWORD 'crowded'; GRANT gateway TO crowded",
    );
    const url = new URL(server.url);
    url.username = url.password = 'crowded';
    const holder = new pg.Client({ connectionString: url.href });
    await holder.connect();
    const gateway = gatewayWith({ url: url.href });
    expectUnavailable(await mixed(gateway, 'any', 12));
    await holder.end();
  });

  test('the password is wrong or the database is gone', async () => {
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    expectUnavailable(await mixed(gatewayWith({ url: wrong.href }), 'any', 4));
    const gone = new URL(server.url);
    gone.pathname = 'gone';
    expectUnavailable(await mixed(gatewayWith({ url: gone.href }), 'any', 4));
  });

  test('the server is frozen', async () => {
    const gateway = gatewayWith();
    await recovers(gateway);
    const goal = await world.closedGoal(space);
    const start = performance.now();
    await whileFrozen(async () => {
      const first = mixed(gateway, goal.id, 40);
      await sleep(databaseTimeout / 2);
      expectUnavailable([...(await first), ...(await mixed(gateway, goal.id, 20))]);
      expectUnavailable([await timed(gateway.fetch('/readyz'))]);
      expect((await gateway.fetch('/readyz/shutdown')).status).toBe(200);
    });
    expect(performance.now() - start).toBeLessThan(3 * patience);
    await recovers(gateway);
    await eventually(async () =>
      expect((await mixed(gateway, goal.id, 8)).map(({ status }) => status)).toEqual(Array(8).fill(200)),
    );
    const reopenings = await world.sql('SELECT count(*)::int FROM activities WHERE goal_id = $1', [goal.id]);
    expect(reopenings).toEqual([{ count: 1 }]);
  });
});

test('what waited while the server was frozen has not used up the rate limit of its token', async () => {
  const settings = { DATABASE_URL: server.url, DATABASE_POOL_SIZE: '60' };
  const gateway = await temporaryServer(settings, { quiet: true });
  const statusesOf60 = async () => {
    const goal = await world.closedGoal(space);
    const answers = Array.from({ length: 60 }, () =>
      gateway.client.post(restPaths.reopenGoal, caller.token, { id: goal.id }),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  expect(new Set(await statusesOf60())).toEqual(new Set([200]));
  const stalled = await whileFrozen(async () => {
    const statuses = statusesOf60();
    await sleep(5_000);
    return { statuses };
  });
  expect(await stalled.statuses).not.toContain(429);
  expect(new Set(await statusesOf60())).toEqual(new Set([200]));
});

test('a client whose server is frozen closes in time', async () => {
  const db = openModels({ url: server.url, poolSize: 4, preparedStatements: true, timeouts });
  await Promise.all(Array.from({ length: 4 }, () => db.$queryRaw`SELECT pg_sleep(0.1)::text`));
  await whileFrozen(async () => {
    const running = Promise.allSettled([db.$queryRaw`SELECT 1`, db.$transaction((tx) => tx.$queryRaw`SELECT 1`)]);
    const start = performance.now();
    await db.$disconnect();
    expect((await running).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - start).toBeLessThan(patience);
  });
});

/** Freezes the postmaster and its children while the work runs. */
async function whileFrozen<T>(work: () => Promise<T>): Promise<T> {
  const postmaster = Number.parseInt(await readFile(join(directory, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
  const children = await query(server.url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  const pids = [postmaster, ...children.map(({ pid }) => Number(pid))];
  const send = (signal: NodeJS.Signals) => pids.forEach((pid) => void process.kill(pid, signal));
  send('SIGSTOP');
  return work().finally(() => send('SIGCONT'));
}
