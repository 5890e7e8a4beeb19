import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { shareOf } from '../../../src/gateway.js';
import { Connections, limitConnections } from '../../../src/platform/http/connections.js';
import { ConfigError } from '../../../src/platform/settings/configError.js';
import { readConfig } from '../../../src/settings.js';
import { eventually } from '../../support/eventually.js';
import { sumOf } from '../../support/scrape.js';
import { startServer } from '../../support/server.js';
import { ask, type Running, scrape, startWorkers, stop, untilBothServe, untilGone } from '../../support/workers.js';
import { createWorld, restPaths } from '../../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();

describe('two workers', () => {
  let started: Running;
  beforeAll(async () => {
    const settings = { RATE_LIMIT_PER_TOKEN: '1000000', MAX_CONCURRENT_REQUESTS: '100' };
    started = await startWorkers({ DATABASE_URL: world.url, ...settings });
  });
  afterAll(() => stop(started));

  test('serve at one address; each line of the log tells which of them, and metrics are their sum', async () => {
    await untilBothServe(started, caller.token);
    const { base, lines } = started;
    for (const _ of Array(10)) expect(await ask(`${base}/graphql`, caller.token)).toMatchObject({ status: 200 });
    const samples = await scrape(started);
    const requests = () => lines().filter(({ msg }) => msg === 'request');
    // The lines of the log come through a pipe of their own.
    await eventually(() => expect(requests()).toHaveLength(sumOf(samples, 'goalpost_requests_total')));
    expect(new Set(requests().map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    expect(sumOf(samples, 'goalpost_request_duration_seconds_count')).toBe(requests().length);
    expect(sumOf(samples, 'goalpost_pool_size')).toBe(10);
    expect(sumOf(samples, 'goalpost_workers')).toBe(2);
  });

  test('drain at one SIGTERM: what runs is finished, and the gateway ends with 0', async () => {
    const { base, process: child, exited, pids } = started;
    const goals = await Promise.all(Array.from({ length: 8 }, () => world.closedGoal(space)));
    await world.sql(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE TRIGGER dawdle AFTER UPDATE ON goals FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    onTestFinished(async () => void (await world.sql('DROP TRIGGER dawdle ON goals')));
    const running = goals.map(({ id }) => ask(`${base}${restPaths.reopenGoal}`, caller.token, { id }));
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    await eventually(async () => expect((await world.sql(sleeping)).length).toBeGreaterThan(1));
    child.kill('SIGTERM');
    const statuses = (await Promise.all(running)).map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1);
    // On a busy machine some had not come to be read yet: these were refused a connection.
    expect(statuses.filter((status) => status !== 200 && status !== undefined)).toEqual([]);
    expect(await exited).toEqual([0, null]);
    await untilGone(pids().values());
  });
});

describe('a gateway with workers', () => {
  test('has one rate limit and one demo key, and takes its workers with it when it is killed', async () => {
    const started = await startWorkers({ RATE_LIMIT_PER_TOKEN: '10', RATE_LIMIT_WINDOW_SECONDS: '3600' });
    onTestFinished(() => stop(started));
    const { base, announced, pids, process: child, exited } = started;
    for (const _ of Array(6)) {
      const headers = { accept: 'text/html', connection: 'close' };
      const response = await fetch(announced.browser, { headers, redirect: 'manual' });
      expect(response.headers.get('set-cookie')).toMatch(/^goalpost_demo_/);
    }
    const { write } = JSON.parse(await readFile(announced.tokens ?? '', 'utf8'));
    const answers = [];
    for (const _ of Array(14)) answers.push(await ask(`${base}/graphql`, write));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(4).fill(429)]);
    expect(answers[9]?.headers.ratelimit).toMatch(/^"token";r=0;/);
    expect(pids().size).toBe(2);
    child.kill('SIGKILL');
    await exited;
    await untilGone(pids().values());
  });

  test('ends at once at a second signal, workers included', async () => {
    const started = await startWorkers({ DATABASE_URL: world.url, DRAIN_DELAY_SECONDS: '60' });
    onTestFinished(() => stop(started));
    await untilBothServe(started, caller.token);
    const { process: child, exited, pids } = started;
    child.kill('SIGTERM');
    await sleep(700);
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    await untilGone(pids().values());
  });

  test('ends with one message if they cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    onTestFinished(() => write.mockRestore());
    const failed = startServer({ DATABASE_URL: world.url, WORKERS: '2', PORT: String(port), LOG_LEVEL: 'error' });
    await expect(failed).rejects.toThrow('did not start');
    expect(said.join('')).toMatch(/^goalpost: Port \d+ on 127\.0\.0\.1 is taken\.[^\n]*\n$/);
  });
});

test('a worker closes connections over its share of MAX_CONNECTIONS, and counts them', async () => {
  const overload = { countDrop: vi.fn() };
  const listener = createHttpServer((_, res) => void res.end('ok'));
  limitConnections(listener, { most: 1, connections: new Connections(), overload });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const first = connect(port, '127.0.0.1');
  await once(listener, 'connection');
  const second = connect(port, '127.0.0.1').on('error', () => {});
  await once(second, 'close');
  expect(overload.countDrop).toHaveBeenCalledOnce();
  first.destroy();
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200));
});

describe('the number of workers', () => {
  test('divides what one gateway may hold; the parts add up', () => {
    const config = readConfig({ WORKERS: '3', DATABASE_POOL_SIZE: '10', MAX_CONNECTIONS: '100' });
    const parts = [1, 2, 3].map((worker) => shareOf(config, worker));
    expect(parts.map(({ poolSize }) => poolSize)).toEqual([4, 3, 3]);
    expect(parts.map(({ maxConcurrentRequests }) => maxConcurrentRequests)).toEqual([4, 3, 3]);
    expect(parts.map(({ maxConnections }) => maxConnections)).toEqual([34, 33, 33]);
  });

  test('is one by default, and with auto at most one for each connection to the database', () => {
    expect(readConfig({}).workers).toBe(1);
    expect(readConfig({ WORKERS: 'auto', DATABASE_POOL_SIZE: '1' }).workers).toBe(1);
    expect(() => readConfig({ WORKERS: '20' })).toThrow(ConfigError);
    expect(() => readConfig({ WORKERS: '20' })).toThrow(/WORKERS=20 needs a DATABASE_POOL_SIZE of at least as many/);
  });
});
