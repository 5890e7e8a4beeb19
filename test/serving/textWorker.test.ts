import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/telemetry/logger.js';
// What it fails with is worded there.
import '../../src/errors/catalogue.js';
import { TextWorker } from '../../src/platform/texts/index.js';
import type { Json } from '../support/world.js';

function openWorker() {
  const log: Json[] = [];
  const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
  const worker = new TextWorker('../test/support/textThread', logger);
  const call = (companyId: string, name: string, argument: unknown = 0, left = 60_000, tokenId = 't') =>
    worker.call({ ...somebody, companyId, tokenId }, { left }, name, [argument]);
  return { call, worker, log };
}

const somebody = { personId: 'p', companyId: 'a', tokenId: 't' };

test.each(['spin', 'fill', 'fail'])(
  'what exceeds its time or the heap, or fails, ends the thread only: %s',
  async (name) => {
    const { call, log } = openWorker();
    expect(await call('a', name, 0, name === 'spin' ? 300 : 60_000)).toBeUndefined();
    expect(log).toHaveLength(1);
    expect(await call('a', 'echo', 7)).toBe(7);
  },
);

test('the calls of a request share its time', async () => {
  const { worker } = openWorker();
  const budget = { left: 400 };
  const block = (milliseconds: number) => worker.call(somebody, budget, 'block', [milliseconds]);
  expect(await block(150)).toBe('timed-out');
  expect(budget.left).toBeLessThan(250);
  expect(await block(600_000)).toBeUndefined();
  expect(await worker.call(somebody, budget, 'echo', [1])).toBeUndefined();
});

test('companies have their turns, and what waits too long is refused', async () => {
  const { call } = openWorker();
  await call('a', 'echo');
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  const many = Array.from({ length: 12 }, (_, n) => call('a', 'block', 300).then(note(`a${n}`), (error) => error));
  await call('b', 'echo').then(note('b'));
  expect(done.indexOf('b')).toBeLessThanOrEqual(2);
  const refused = (await Promise.all(many)).filter((outcome) => outcome instanceof Error);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.map((error) => (error as unknown as Json).extensions.code)).toContain('SERVICE_UNAVAILABLE');
});

test('and so have the tokens of a company', async () => {
  const { call } = openWorker();
  await call('a', 'echo');
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  const many = Array.from({ length: 12 }, () => call('a', 'block', 100).then(note('greedy'), note('refused')));
  await call('a', 'echo', 0, 500, 'colleague').then(note('colleague'));
  expect(done.indexOf('colleague')).toBeLessThanOrEqual(2);
  await Promise.all(many);
});

test('what is read as a whole has its own time, and is 503 if it has no result', async () => {
  const { worker } = openWorker();
  expect(await worker.whole(somebody, 'block', [800])).toBe('timed-out');
  await expect(worker.whole(somebody, 'fail', [0])).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
});
