import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { sumOf } from '../../support/scrape.js';
import { ask, scrape, startWorkers, stop, untilBothServe } from '../../support/workers.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const { caller } = await world.team();

test('two workers lose only what one of them was running when it is killed; another starts, and counters never fall', {
  timeout: 120_000,
}, async () => {
  const settings = { RATE_LIMIT_PER_TOKEN: '1000000', MAX_CONCURRENT_REQUESTS: '100' };
  const started = await startWorkers({ DATABASE_URL: world.url, ...settings });
  onTestFinished(() => stop(started));
  const { base, lines, pids } = started;
  await untilBothServe(started, caller.token);
  let isOver = false;
  const statuses: (number | undefined)[] = [];
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) statuses.push((await ask(`${base}/graphql`, caller.token))?.status);
  });
  await sleep(300);
  const before = sumOf(await scrape(started), 'goalpost_requests_total');
  const known = [...pids().values()];
  process.kill(pids().get(1) ?? 0, 'SIGKILL');
  await eventually(() => expect(lines().map(({ msg }) => msg)).toContain('a worker serves again'));
  await untilBothServe(started, caller.token, known);
  isOver = true;
  await Promise.all(clients);
  expect(statuses.filter((status) => status !== 200 && status !== undefined)).toEqual([]);
  expect(statuses.filter((status) => status === undefined).length).toBeLessThanOrEqual(8);
  const ended = { worker: 1, signal: 'SIGKILL', msg: 'a worker ended unexpectedly; starting another' };
  expect(lines()).toContainEqual(expect.objectContaining(ended));
  const samples = await scrape(started);
  expect(sumOf(samples, 'goalpost_requests_total')).toBeGreaterThanOrEqual(before);
  expect(sumOf(samples, 'goalpost_workers')).toBe(2);
});
