import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
import { MetricsServer } from '../../../src/platform/telemetry/metricsServer.js';
import { samplesIn, sumOf } from '../../support/scrape.js';
import { listening, temporaryServer } from '../../support/temporary.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();

const soon = { timeout: 30_000 };

/** The limits of a gateway that waits for a lock until the test gives it up. */
const patient = {
  DATABASE_TIMEOUT_MS: '100000',
  DATABASE_STATEMENT_TIMEOUT_MS: '0',
  DRAIN_SECONDS: '100',
};

async function server(settings: Record<string, string> = {}) {
  const started = await temporaryServer({ DATABASE_URL: world.url, ...settings });
  const metrics = [started.announced.metrics ?? []].flat();
  return { ...started, metrics };
}

async function metricsOf(metrics: ConstructorParameters<typeof MetricsServer>[0], milliseconds?: number) {
  const log: Json[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line)) });
  const metricsServer = new MetricsServer(metrics, logger, milliseconds);
  const port = await listening(metricsServer.server);
  return { port, base: `http://127.0.0.1:${port}`, log };
}

const read = async () => ({ text: 'x 1\n', contentType: 'text/plain; version=0.0.4' });

describe('/metrics', () => {
  test('has the last numbered file of each company, and whether a later one was refused', async () => {
    const { companyId } = await world.company();
    await world.sql(
      `INSERT INTO imports (company_id, revision, digest, imported_at, refused_at, refused_reason)
       VALUES ($1, 12, '', '2026-06-01T00:00:00Z', now(), 'why'), ($2, NULL, '', now(), NULL, NULL)`,
      [companyId, (await world.company()).companyId],
    );
    const { metrics } = await server({ METRICS_PORT: '0' });
    await expect
      .poll(async () => {
        const samples = samplesIn(await (await fetch(metrics[0] ?? '')).text());
        return samples
          .filter(({ name }) => name.startsWith('goalpost_import_'))
          .map(({ name, labels, value }) => [name, labels, value]);
      }, soon)
      .toEqual([
        ['goalpost_import_revision', { company: companyId }, 12],
        ['goalpost_import_timestamp_seconds', { company: companyId }, Date.parse('2026-06-01T00:00:00Z') / 1000],
        ['goalpost_import_refused', { company: companyId }, 1],
      ]);
  });

  test('is on a port of its own, which serves nothing else', async () => {
    const { base, metrics } = await server({ METRICS_PORT: '0' });
    const [address = ''] = metrics;
    expect(new URL(address).hostname).toBe('127.0.0.1');
    for (const _ of [1, 2, 3]) await fetch(`${base}/healthz`);
    expect((await fetch(`${base}/metrics`)).status).toBe(404);
    const response = await fetch(address);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = samplesIn(await response.text());
    expect(sumOf(samples, 'goalpost_requests_total', { operation: '/healthz', status: '200' })).toBe(3);
    expect(sumOf(samples, 'goalpost_requests_total', { operation: 'unknown', status: '404' })).toBe(1);
    const answered = async (path: string, method = 'GET') => (await fetch(new URL(path, address), { method })).status;
    expect([await answered('/healthz'), await answered('/graphql'), await answered('/metrics', 'POST')]).toEqual([
      404, 404, 405,
    ]);
  });

  test('is still served while running requests finish, and then no longer', async () => {
    const { base, metrics, process: child, exited } = await server({ METRICS_PORT: '0', ...patient });
    const [address = ''] = metrics;
    const goal = await world.closedGoal(space);
    const release = await world.holdGoals();
    const slow = fetch(`${base}${restPaths.reopenGoal}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: goal.id }),
    });
    await world.untilOneWaits();
    child.kill('SIGTERM');
    await expect.poll(() => fetch(`${base}/healthz`).catch(() => 'closed'), soon).toBe('closed');
    expect((await fetch(address)).status).toBe(200);
    await release();
    expect((await slow).status).toBe(200);
    expect(await exited).toEqual([0, null]);
    await expect(fetch(address)).rejects.toThrow();
  });

  test('that fails is 500 without details and one line in the log; the next one may succeed', async () => {
    let failures = 1;
    const flaky = () => (failures-- > 0 ? Promise.reject(new Error('the insides')) : read());
    const { base, log } = await metricsOf({ read: flaky });
    const failed = await fetch(`${base}/metrics`);
    expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('insides')]);
    expect(log).toMatchObject([{ level: 50, msg: 'cannot read the metrics', err: { message: 'the insides' } }]);
    expect((await fetch(`${base}/metrics`)).status).toBe(200);
  });

  test('is read once for all that ask at once', async () => {
    let reads = 0;
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slowRead = async () => {
      reads += 1;
      await asked;
      return read();
    };
    const { base } = await metricsOf({ read: slowRead });
    const scrapes = Promise.all(Array.from({ length: 10 }, () => fetch(`${base}/metrics`)));
    await expect.poll(() => reads, soon).toBe(1);
    setTimeout(answer, 200);
    expect((await scrapes).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(reads).toBeLessThanOrEqual(2);
  });

  test('cuts off clients that never ask or never read, and bounds how many there are', async () => {
    const large = async () => ({ ...(await read()), text: 'x 1\n'.repeat(2_000_000) });
    const { port, base } = await metricsOf({ read: large }, 500);
    const silent = Array.from({ length: 30 }, (_, index) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      if (index % 2 === 0) socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket.pause();
    });
    onTestFinished(() => {
      for (const socket of silent) socket.destroy();
    });
    await expect
      .poll(
        () =>
          fetch(`${base}/metrics`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    expect((await world.fetch('/healthz')).status).toBe(200);
  });
});
