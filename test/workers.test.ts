import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { shareOf } from '../src/commands/serveAsWorker.js';
import { ConfigError, readConfig } from '../src/config.js';
import { samplesIn, sumOf } from './support/scrape.js';
import { startServer } from './support/server.js';
import { createWorld, type Json, restPaths } from './support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const query = { query: '{ viewer { person { id } } }' };
const long = { timeout: 120_000 };

async function server(settings: Record<string, string> = {}) {
  const started = await startServer(
    {
      DATABASE_URL: world.url,
      WORKERS: '2',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      RATE_LIMIT_PER_TOKEN: '1000000',
      METRICS_PORT: '0',
      ...settings,
    },
    { quiet: true },
  );
  onTestFinished(async () => {
    if (started.process.exitCode === null && started.process.signalCode === null) await started.stop();
  });
  const lines = (): Json[] =>
    started
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  /** The process of each worker that has answered a request, by its number. */
  const pids = () => new Map<number, number>(lines().flatMap(({ worker, pid }) => (worker ? [[worker, pid]] : [])));
  return { ...started, lines, pids };
}

/** One request over a connection of its own, or over the agent's. Undefined if the connection is lost. */
async function ask(url: string, body: unknown = query, agent = new Agent()): Promise<Json> {
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
  const sent = request(url, { method: 'POST', headers, agent });
  sent.end(JSON.stringify(body));
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await json(response) };
  } catch {
    return undefined;
  }
}

/** Asks over new connections until both workers have answered. */
const untilBothServe = ({ base, pids }: Awaited<ReturnType<typeof server>>, known = new Set<number>()) =>
  vi.waitFor(
    async () => {
      await ask(`${base}/graphql`);
      const fresh = [...pids().values()].filter((pid) => !known.has(pid));
      expect(fresh.length).toBeGreaterThanOrEqual(known.size > 0 ? 1 : 2);
    },
    { timeout: 60_000, interval: 20 },
  );

describe('two workers', long, () => {
  test('serve at one address; each line of the log tells which of them, and metrics are their sum', async () => {
    const started = await server();
    await untilBothServe(started);
    const { base, lines, announced } = started;
    for (const _ of Array(10)) expect(await ask(`${base}/graphql`)).toMatchObject({ status: 200 });
    const requests = lines().filter(({ msg }) => msg === 'request');
    expect(new Set(requests.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    const scraped = await fetch(announced.metrics ?? '');
    expect(scraped.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const samples = samplesIn(await scraped.text());
    expect(sumOf(samples, 'goalpost_requests_total')).toBe(requests.length);
    expect(sumOf(samples, 'goalpost_request_duration_seconds_count')).toBe(requests.length);
    expect(sumOf(samples, 'goalpost_pool_size')).toBe(10);
    expect(sumOf(samples, 'goalpost_workers')).toBe(2);
  });

  test('count for one rate limit, and the answers tell it as one', async () => {
    const started = await server({ RATE_LIMIT_PER_TOKEN: '10', LOG_LEVEL: 'error' });
    const answers = [];
    for (const _ of Array(14)) answers.push(await ask(`${started.base}/graphql`));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(4).fill(429)]);
    expect(answers[9]?.headers.ratelimit).toMatch(/^"token";r=0;/);
  });

  test('show the demo to whoever has the start address, whichever of them answers', async () => {
    const started = await startServer({ WORKERS: '2', LOG_LEVEL: 'error' });
    onTestFinished(() => started.stop());
    for (const _ of Array(6)) {
      const response = await fetch(started.announced.browser, {
        headers: { accept: 'text/html', connection: 'close' },
        redirect: 'manual',
      });
      expect(response.headers.get('set-cookie')).toMatch(/^goalpost_demo_/);
    }
  });
});

describe('a worker that is killed', long, () => {
  test('costs only the requests that it was running; another takes its place, and counters never fall', async () => {
    const started = await server();
    await untilBothServe(started);
    const { base, lines, pids, announced } = started;
    const scrape = async () => samplesIn(await (await fetch(announced.metrics ?? '')).text());
    let isOver = false;
    const statuses: (number | undefined)[] = [];
    const clients = Array.from({ length: 6 }, async () => {
      while (!isOver) statuses.push((await ask(`${base}/graphql`))?.status);
    });
    await sleep(300);
    const before = sumOf(await scrape(), 'goalpost_requests_total');
    const known = new Set(pids().values());
    process.kill(pids().get(1) ?? 0, 'SIGKILL');
    await vi.waitFor(async () => expect(lines().map(({ msg }) => msg)).toContain('a worker serves again'), {
      timeout: 60_000,
    });
    await untilBothServe(started, known);
    isOver = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200 && status !== undefined)).toEqual([]);
    expect(statuses.filter((status) => status === undefined).length).toBeLessThanOrEqual(12);
    expect(lines()).toContainEqual(
      expect.objectContaining({ worker: 1, signal: 'SIGKILL', msg: 'a worker ended unexpectedly; starting another' }),
    );
    const samples = await scrape();
    expect(sumOf(samples, 'goalpost_requests_total')).toBeGreaterThanOrEqual(before);
    expect(sumOf(samples, 'goalpost_workers')).toBe(2);
  });
});

describe('a gateway with workers', long, () => {
  test('drains all of them at one SIGTERM: what runs is finished, and it ends with 0', async () => {
    const started = await server();
    await untilBothServe(started);
    const { base, process: child, exited, pids } = started;
    const goals = await Promise.all(Array.from({ length: 8 }, () => world.closedGoal(space)));
    await world.sql(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE ON goals FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    onTestFinished(async () => void (await world.sql('DROP TRIGGER dawdle ON goals')));
    const running = goals.map(({ id }) => ask(`${base}${restPaths.reopenGoal}`, { id }));
    await sleep(500);
    child.kill('SIGTERM');
    expect((await Promise.all(running)).map((answer) => answer?.status)).toEqual(goals.map(() => 200));
    expect(await exited).toEqual([0, null]);
    for (const pid of pids().values()) expect(() => process.kill(pid, 0)).toThrow();
  });

  test('ends at once at a second signal, workers included', async () => {
    const started = await server({ DRAIN_DELAY_SECONDS: '30' });
    await untilBothServe(started);
    const { process: child, exited, pids } = started;
    child.kill('SIGTERM');
    await sleep(700);
    const secondAt = performance.now();
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    expect(performance.now() - secondAt).toBeLessThan(2000);
    for (const pid of pids().values()) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  test('takes its workers with it when it is killed', async () => {
    const started = await server();
    await untilBothServe(started);
    started.process.kill('SIGKILL');
    await started.exited;
    for (const pid of started.pids().values()) {
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000 });
    }
  });

  test('ends with one message if they cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    onTestFinished(() => write.mockRestore());
    const failed = startServer({ DATABASE_URL: world.url, WORKERS: '2', PORT: String(port), LOG_LEVEL: 'error' });
    await expect(failed).rejects.toThrow('did not start');
    expect(said.join('')).toMatch(/^goalpost: Port \d+ on 127\.0\.0\.1 is taken\.[^\n]*\n$/);
  });
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
