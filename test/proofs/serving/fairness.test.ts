import { expect, test } from 'vitest';
import { Overload } from '../../../src/platform/http/admission.js';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld({ overload: new Overload({ maxConcurrentRequests: 10 }, createLogger('silent')) });
const { caller } = await world.team();
const ask = (token: string) => world.graphql(token, '{ viewer { person { id } } }');
const burst = (token: string, count: number) => Array.from({ length: count }, () => ask(token));

test('one caller alone gets 200 for 500 requests at once', async () => {
  const statuses = (await Promise.all(burst(caller.token, 500))).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

test.each(['another company', 'another token of the company'])('one caller does not keep %s waiting', async (who) => {
  const other = who === 'another company' ? (await world.team()).caller.token : caller.readOnlyToken;
  await Promise.all([ask(caller.token), ask(other)]);
  let answered = 0;
  const flood = burst(caller.token, 300).map((answer) => answer.finally(() => answered++));
  await Promise.any(flood);
  const before = answered;
  expect(await ask(other)).toMatchObject({ status: 200 });
  expect(answered - before).toBeLessThan(150);
  await Promise.all(flood);
});
