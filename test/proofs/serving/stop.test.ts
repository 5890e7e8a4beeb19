import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { builtMain } from '../../support/goalpost.js';
import { temporaryEmptyDatabase, temporaryServer } from '../../support/temporary.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();

interface Outcome {
  status?: number;
  connection?: string | undefined;
  body?: Json;
  /** An error before the first byte of an answer, or after it. */
  lost?: 'before' | 'within';
}

const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };

async function ask(url: string, body?: unknown, agent?: Agent): Promise<Outcome> {
  const sent = request(url, { method: body ? 'POST' : 'GET', headers, ...(agent && { agent }) });
  sent.end(body && JSON.stringify(body));
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers: given } = response;
    return await json(response).then(
      (read) => ({ status, connection: given.connection, body: read }),
      () => ({ status, lost: 'within' as const }),
    );
  } catch {
    return { lost: 'before' };
  }
}

const server = (settings: Record<string, string> = {}) =>
  temporaryServer({ DATABASE_URL: world.url, RATE_LIMIT_PER_TOKEN: '1000000', ...settings });

describe('SIGTERM', () => {
  test('ends a gateway that waits for its turn to migrate', async () => {
    const { directUrl } = await temporaryEmptyDatabase();
    const holder = new pg.Client({ connectionString: directUrl });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(72707369)');
    const environment = { ...process.env, PORT: '0', DATABASE_URL: directUrl };
    const child = spawn(process.execPath, [builtMain, 'serve'], { env: environment, stdio: 'ignore' });
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    await expect.poll(async () => (await holder.query(others)).rowCount, { timeout: 30_000 }).toBe(1);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await holder.end();
  });

  test('lets running requests finish, closes all other connections at once, and the process ends with 0', async () => {
    const { base, process: child, exited } = await server();
    const { hostname, port } = new URL(base);
    const goal = await world.closedGoal(space);
    const unused = connect(Number(port), hostname);
    const idle = connect(Number(port), hostname);
    await Promise.all([once(unused, 'connect'), once(idle, 'connect')]);
    idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');

    const load: Outcome[] = [];
    let stoppedAt = 0;
    const clients = Array.from({ length: 8 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const query = { query: '{ viewer { person { id } } }' };
      for (let misses = 0; misses < 2; ) {
        const startedAt = performance.now();
        const outcome = await ask(`${base}/graphql`, query, agent);
        if (outcome.lost === 'before') misses += 1;
        if (stoppedAt > 0 && startedAt > stoppedAt + 1_000) load.push(outcome);
        else if (outcome.lost === 'within' || (outcome.status && outcome.status !== 200)) load.push(outcome);
      }
      agent.destroy();
    });
    await setTimeout(500);
    const release = await world.holdGoals();
    const slow = ask(`${base}${restPaths.reopenGoal}`, { id: goal.id }, new Agent({ keepAlive: true }));
    await world.untilOneWaits();

    const closed = Promise.all([unused, idle].map((socket) => text(socket)));
    stoppedAt = performance.now();
    child.kill('SIGTERM');
    await closed;
    expect(performance.now() - stoppedAt).toBeLessThan(1000);
    await Promise.all(clients);
    expect(load.filter(({ lost }) => lost !== 'before')).toEqual([]);
    expect(child.exitCode).toBeNull();
    await release();
    expect(await slow).toMatchObject({ status: 200, connection: 'close', body: { goal: { id: goal.id } } });
    const releasedAt = performance.now();
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - releasedAt).toBeLessThan(2000);
  });

  test('is told by /readyz and by every answer, while new connections are still taken', async () => {
    const { base, process: child, exited } = await server({ DRAIN_DELAY_SECONDS: '2' });
    const agent = new Agent({ keepAlive: true });
    expect(await ask(`${base}/readyz`, undefined, agent)).toMatchObject({ status: 200, connection: 'keep-alive' });
    child.kill('SIGTERM');
    await setTimeout(100);
    const answers = await Promise.all([
      ask(`${base}/readyz`, undefined, agent),
      ask(`${base}/readyz`),
      ask(`${base}/readyz/shutdown`),
      ask(`${base}/healthz`, undefined, new Agent({ keepAlive: true })),
    ]);
    expect(answers).toMatchObject([503, 503, 503, 200].map((status) => ({ status, connection: 'close' })));
    expect(await exited).toEqual([0, null]);
  });

  test('is not reset while a balancer still sends new connections after the delay, and ends in bounded time', async () => {
    const sending = async (seconds: number) => {
      const { base, process: child, exited } = await server({ DRAIN_DELAY_SECONDS: '1', DRAIN_SECONDS: '8' });
      const outcomes: Outcome[] = [];
      child.kill('SIGTERM');
      const since = performance.now();
      const clients = Array.from({ length: 8 }, async () => {
        while (performance.now() - since < 1000 * seconds && child.exitCode === null)
          outcomes.push(await ask(`${base}/graphql`, { query: '{ viewer { person { id } } }' }, new Agent()));
      });
      await Promise.all(clients);
      expect(await exited).toEqual([0, null]);
      return { outcomes, seconds: (performance.now() - since) / 1000 };
    };
    const noticed = await sending(3);
    expect(noticed.outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    expect(noticed.seconds).toBeLessThan(8);
    expect((await sending(60)).seconds).toBeLessThan(15);
  });

  test('cuts off no request that is on its way on a connection when the port closes', async () => {
    const { base, process: child, exited } = await server();
    const [hostname, port] = [new URL(base).hostname, Number(new URL(base).port)];
    const isOpen = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, hostname, () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      });
    const idle = connect(port, hostname);
    await once(idle, 'connect');
    child.kill('SIGTERM');
    while (await isOpen()) await setTimeout(1);
    idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await text(idle)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close.*"status":"ok"/is);
    expect(await exited).toEqual([0, null]);
  });

  test('cuts off what runs longer than DRAIN_SECONDS', async () => {
    const { base, process: child, exited } = await server({ DRAIN_SECONDS: '0.5', LOG_LEVEL: 'silent' });
    const goal = await world.closedGoal(space);
    const release = await world.holdGoals();
    const slow = ask(`${base}${restPaths.reopenGoal}`, { id: goal.id });
    await world.untilOneWaits();
    const signalledAt = performance.now();
    child.kill('SIGTERM');
    expect(await slow).toEqual({ lost: 'before' });
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - signalledAt).toBeLessThan(6000);
    await release();
  });

  test('a second time ends the process at once', async () => {
    const { base, process: child, exited } = await server();
    const goal = await world.closedGoal(space);
    const release = await world.holdGoals();
    const slow = ask(`${base}${restPaths.reopenGoal}`, { id: goal.id });
    await world.untilOneWaits();
    child.kill('SIGTERM');
    await setTimeout(700);
    const secondAt = performance.now();
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    expect(performance.now() - secondAt).toBeLessThan(1000);
    expect(await slow).toEqual({ lost: 'before' });
    await release();
  });
});
