import { afterEach, expect, test } from 'vitest';
import { purgeWhileServing } from '../../src/gateway.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { insertWebhook, secretFor, startDeliveries, until } from '../support/deliveries.js';
import { acknowledge, refuse, startReceiver } from '../support/receiver.js';
import { createWorld, type Json } from '../support/world.js';

// A clock that was set back leaves times in the future, and one that was set forward leaves times in the past: so do these
// tests, in place of the clock.

const world = await createWorld();
const opened: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((close) => close())));

/** A company with goals, and a webhook with these values. */
async function setting(values: Json = {}, goalCount = 1) {
  const { caller, space, company } = await world.team();
  const goals = await Promise.all(Array.from({ length: goalCount }, () => world.goal(space)));
  const endpoint = await startReceiver();
  opened.push(endpoint.close);
  const id = await insertWebhook(world, company.companyId, endpoint.url, values);
  endpoint.verifyWith(secretFor(company.companyId, id));
  /** Writes an activity of each goal, as other programs do. */
  const happen = (name = 'Goal', given = goals) =>
    world.sql(
      `INSERT INTO activities (company_id, action, author_id, goal_id, name)
       SELECT $1, 'goal_closed', $2, id, $4 FROM unnest($3::text[]) WITH ORDINALITY g(id, n) ORDER BY n`,
      [company.companyId, caller.id, given.map((goal) => goal.id), name],
    );
  const webhook = async (): Promise<Json> => (await world.sql('SELECT * FROM webhooks WHERE id = $1', [id]))[0];
  const change = (assignments: string) => world.sql(`UPDATE webhooks SET ${assignments} WHERE id = $1`, [id]);
  return { companyId: company.companyId, id, goals, endpoint, happen, webhook, change };
}

function deliveries() {
  const started = startDeliveries(world);
  opened.push(started.stop);
  return started;
}

/** What a process that serves does when it starts and every ten minutes. */
async function tenMinutesPass() {
  const problems: unknown[] = [];
  const logger = createLogger('info', { write: (line: string) => void problems.push(line) });
  const stop = purgeWhileServing({ fileRetentionDays: undefined, webhookLogDays: 7 }, world.db, logger);
  await stop();
  expect(problems).toEqual([]);
}

const isIdleAt = (position: number) => (row: Json) => row.lease_id === null && Number(row.position) === position;

test.each([
  ['minutes', '5 minutes'],
  ['a day', '1 day'],
])('events that waited when the clock was set back by %s come before those after it', async (_, step) => {
  const { companyId, endpoint, happen, webhook } = await setting({}, 2);
  await happen('before 1');
  await happen('before 2');
  await world.sql(`UPDATE activities SET recorded_at = recorded_at + interval '${step}' WHERE company_id = $1`, [
    companyId,
  ]);
  await happen('after 1');
  await happen('after 2');
  deliveries();
  await until(webhook, isIdleAt(8));
  const numbered = await world.sql('SELECT name FROM activities WHERE company_id = $1 ORDER BY sequence', [companyId]);
  const names = ['before 1', 'before 2', 'after 1', 'after 2'];
  expect(numbered.map(({ name }) => name)).toEqual(names.flatMap((name) => [name, name]));
  for (const goal of new Set(endpoint.received.map(({ body }) => body.data.goal_id))) {
    const own = endpoint.received.filter(({ body }) => body.data.goal_id === goal).map(({ sequence }) => sequence);
    expect(own).toEqual(own.toSorted((one, other) => one - other));
  }
});

test('a dead gateway whose lease would end in an hour holds its webhook up for twenty seconds', async () => {
  const held = { lease_id: 'dead', lease_until: new Date(Date.now() + 3_600_000), due_at: null, attempted: 1 };
  const { endpoint, happen, webhook, change } = await setting(held);
  await happen();
  deliveries();
  const { lease_id, lease_until } = await until(webhook, (row) => row.lease_until - Date.now() < 21_000);
  // Its holder may still be sending: only a clock has changed.
  expect(lease_id).toBe('dead');
  expect(lease_until - Date.now()).toBeGreaterThan(15_000);
  expect(endpoint.received).toEqual([]);
  await change('lease_until = now()');
  await until(webhook, isIdleAt(1));
  expect(endpoint.received.map(({ attempt }) => attempt)).toEqual([2]);
});

test('an endpoint that would wait for a day is tried again, and so is an event', async () => {
  const { companyId, id, endpoint, happen, webhook, change, goals } = await setting();
  endpoint.respondWith(refuse(500));
  deliveries();
  await happen();
  await until(webhook, isIdleAt(1));
  const retries = () =>
    world.sql("SELECT due_at - now() > '1 minute' AS late FROM webhook_retries WHERE webhook_id = $1", [id]);
  await tenMinutesPass();
  const inTime = await webhook();
  expect(await retries()).toEqual([{ late: false }]);
  expect(inTime.due_at.getTime()).toBeGreaterThan(Date.now() + 1_000);

  endpoint.respondWith(acknowledge);
  await world.sql("UPDATE webhook_retries SET due_at = due_at + interval '1 day' WHERE webhook_id = $1", [id]);
  await change("due_at = now() + interval '1 day', wait_until = now() + interval '1 day', failures = 5, waits = 1");
  await happen('Goal', goals);
  await tenMinutesPass();
  await until(webhook, isIdleAt(2));
  await until(retries, (rows) => rows.length === 0);
  expect(await world.sql('SELECT last_sequence::int AS last FROM companies WHERE id = $1', [companyId])).toEqual([
    { last: 2 },
  ]);
});

test('a clock that was set forward by a week disables no endpoint that has failed for a minute', async () => {
  const { endpoint, happen, webhook } = await setting();
  endpoint.respondWith(refuse(500));
  await world.sql("UPDATE webhooks SET failures = 7, waits = 3, failing_since = now() - interval '7 days'");
  deliveries();
  await happen();
  await until(webhook, ({ waits, lease_id }) => waits === 4 && lease_id === null);
  expect(await webhook()).toMatchObject({ disabled_at: null, position: '0' });
});

test('a clock that is set forward while a gateway sends loses nothing, and what comes again is marked', async () => {
  const { endpoint, happen, webhook, change, goals } = await setting({}, 5);
  endpoint.respondWith((event, response) => void setTimeout(() => acknowledge(event, response), 1_500));
  deliveries();
  deliveries();
  await happen();
  await endpoint.until(5);
  await change("lease_until = lease_until - interval '1 day'");
  await until(webhook, isIdleAt(5));
  expect(endpoint.received.map(({ sequence, attempt }) => `${sequence} ${attempt}`).toSorted()).toEqual(
    goals.flatMap((_, index) => [`${index + 1} 1`, `${index + 1} 2`]),
  );
});
