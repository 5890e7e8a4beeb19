import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { sentEvents } from '../../src/events/event.js';
import type { EventOrigin } from '../../src/generated/client/client.js';
import { actions, subjectOf } from '../../src/rules/activityActions.js';
import { openStatements } from '../../src/webhooks/deliverer.js';
import { secretOf } from '../../src/webhooks/signature.js';
import { insertWebhook, secretFor, startDeliveries, until, webhookKey } from '../support/deliveries.js';
import { acknowledge, type Received, refuse, startReceiver } from '../support/receiver.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld({ isAlone: true });
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  running.length = 0;
  await Promise.all(opened.splice(0).map((close) => close()));
});

async function receiver(...given: Parameters<typeof startReceiver>) {
  const started = await startReceiver(...given);
  opened.push(started.close);
  return started;
}

const running: ReturnType<typeof startDeliveries>[] = [];

function deliveries(options?: Parameters<typeof startDeliveries>[1]) {
  const started = startDeliveries(world, options);
  running.push(started);
  opened.push(started.stop);
  return started;
}

/** What the next poll of each gateway does, now. */
const poll = (companyId: string) => running.forEach(({ dispatcher }) => void dispatcher.changed(companyId));

type Goal = { companyId: string; id: string };

/** Writes activities of goals, as other programs do, in one transaction. */
async function happen(goals: Goal[], author: { id: string }): Promise<void> {
  const companyId = goals[0]?.companyId ?? '';
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT $1, 'goal_closed', $2, id, 'Goal' FROM unnest($3::text[]) WITH ORDINALITY g(id, n) ORDER BY n`,
    [companyId, author.id, goals.map(({ id }) => id)],
  );
  poll(companyId);
}

/** Writes an activity about a goal, file or document, as another program does. */
const record = (
  author: Goal,
  action: (typeof actions)[number],
  subjectId: string,
  origin: EventOrigin = 'application',
) => world.activity(author, { action, [`${subjectOf(action)}Id`]: subjectId, origin });

const webhookOf = async (id: string): Promise<Json> =>
  (await world.sql('SELECT * FROM webhooks WHERE id = $1', [id]))[0];
const retriesOf = (id: string) =>
  world.sql(
    'SELECT record, sequence::int, failures, once FROM webhook_retries WHERE webhook_id = $1 ORDER BY sequence',
    [id],
  );
const attemptsOf = (id: string) =>
  world.sql(
    'SELECT sequence::int, attempt, outcome, status, reason, response FROM webhook_attempts WHERE webhook_id = $1 ORDER BY attempted_at, id',
    [id],
  );
/** The webhook once no gateway works on it, and it is as expected. */
const untilIdle = (id: string, isDone: (webhook: Json) => boolean = () => true) =>
  until(
    () => webhookOf(id),
    (webhook) => webhook.locked_by === null && isDone(webhook),
  );
const untilIdleAt = (id: string, position: number) => untilIdle(id, (row) => Number(row.position) === position);
/** Once nothing waits for a retry. */
const untilNothingWaits = (id: string) =>
  until(
    () => retriesOf(id),
    (rows) => rows.length === 0,
  );
/** Once an event has failed. */
const untilOneFailed = (id: string) =>
  until(
    () => retriesOf(id),
    ([row]) => row?.failures === 1,
  );
const sequences = (received: Received[]) => received.map(({ sequence }) => sequence);
/** Makes what waits due now, as if its time had passed. */
async function passTime(id: string): Promise<void> {
  const [{ companyId }] = (await world.sql(
    `WITH retries AS (UPDATE webhook_retries SET next_attempt_at = now() WHERE webhook_id = $1)
     UPDATE webhooks SET next_attempt_at = now(), wait_until = CASE WHEN wait_until IS NULL THEN NULL ELSE now() END WHERE id = $1
     RETURNING company_id AS "companyId"`,
    [id],
  )) as [Json];
  poll(companyId);
}

/** A company with goals and a webhook. */
async function setting(endpoint: Awaited<ReturnType<typeof receiver>>, { goals = 1, ...values }: Json = {}) {
  const { caller, space, company } = await world.team();
  const made = await Promise.all(Array.from({ length: goals }, () => world.goal(space)));
  const id = await insertWebhook(world, company.companyId, endpoint.url, values);
  endpoint.verifyWith(secretFor(company.companyId, id));
  return { caller, company, space, goals: made, id };
}

test('a company has one statement of its deliveries at a time, beside those of others', async () => {
  const runStatement = openStatements(undefined as never, new AbortController().signal);
  const running = new Map<string, number>();
  const together = new Set<string>();
  const run = (companyId: string) =>
    runStatement(companyId, async () => {
      running.set(companyId, (running.get(companyId) ?? 0) + 1);
      expect(running.get(companyId)).toBe(1);
      await sleep(5);
      if (running.size === 2) together.add('both');
      running.delete(companyId);
      if (companyId === 'failing') throw new Error('it fails');
    });
  const outcomes = await Promise.allSettled([1, 2, 3].flatMap(() => ['one', 'failing'].map(run)));
  expect(outcomes.map(({ status }) => status)).toEqual([1, 2, 3].flatMap(() => ['fulfilled', 'rejected']));
  expect([...together]).toEqual(['both']);
});

test('an event reaches the endpoint as it was recorded, and is in the log of attempts', async () => {
  const endpoint = await receiver();
  const { goals, caller, company, id } = await setting(endpoint);
  const { counted } = deliveries();
  await happen(goals, caller);
  const [event] = await endpoint.until(1);
  const [activity] = await world.sql('SELECT * FROM activities WHERE company_id = $1', [company.companyId]);
  expect(event?.body).toEqual({
    id: activity?.id,
    type: 'goal.closed',
    timestamp: activity?.inserted_at.toISOString(),
    sequence: 1,
    company_id: company.companyId,
    origin: 'application',
    data: { author_id: caller.id, goal_id: goals[0]?.id },
  });
  expect(event?.attempt).toBe(1);
  await untilIdleAt(id, 1);
  expect(await attemptsOf(id)).toEqual([
    { sequence: 1, attempt: 1, outcome: 'acknowledged', status: 204, reason: null, response: null },
  ]);
  expect(counted).toEqual([['acknowledged', expect.any(Number)]]);
});

test('events of one goal come one after the other, those of others beside them, at most eight at once', async () => {
  const endpoint = await receiver(({ sequence }, response) => {
    setTimeout(() => response.writeHead(204).end(), sequence % 3 === 0 ? 30 : 5);
  });
  const { goals, caller, id } = await setting(endpoint, { goals: 20 });
  deliveries();
  await happen([...goals, ...goals, ...goals], caller);
  await endpoint.until(60);
  await untilIdleAt(id, 60);
  expect(endpoint.received).toHaveLength(60);
  expect(endpoint.mostRunning()).toBeGreaterThan(1);
  expect(endpoint.mostRunning()).toBeLessThanOrEqual(8);
  for (const { id: goal } of goals) {
    const own = sequences(endpoint.received.filter(({ body }) => body.data.goal_id === goal));
    expect(own).toEqual(own.toSorted((one, other) => one - other));
  }
});

test('a failed event holds up its goal alone, and what waited behind it comes in its order', async () => {
  const endpoint = await receiver();
  const { goals, caller, id } = await setting(endpoint, { goals: 2 });
  const [bad = '', good = ''] = goals.map((goal) => goal.id);
  let isBroken = true;
  endpoint.respondWith((event, response) =>
    (isBroken && event.body.data.goal_id === bad ? refuse(500, {}, 'out of order') : acknowledge)(event, response),
  );
  deliveries();
  await happen(goals, caller);
  await endpoint.until(2);
  await happen(goals, caller);
  await untilIdleAt(id, 4);
  expect(sequences(endpoint.received).toSorted()).toEqual([1, 2, 4]);
  expect(await retriesOf(id)).toEqual([{ record: `goal ${bad}`, sequence: 1, failures: 1, once: false }]);
  isBroken = false;
  await passTime(id);
  await untilNothingWaits(id);
  const [first, second] = [bad, good].map((goal) =>
    endpoint.received
      .filter(({ body }) => body.data.goal_id === goal)
      .map(({ sequence, attempt }) => [sequence, attempt]),
  );
  expect(first).toEqual([
    [1, 1],
    [1, 2],
    [3, 1],
  ]);
  expect(second).toEqual([
    [2, 1],
    [4, 1],
  ]);
  expect(await attemptsOf(id)).toContainEqual(
    expect.objectContaining({ sequence: 1, outcome: 'failed', status: 500, response: 'out of order' }),
  );
});

// The second is sent in the same batch, the sixth in the next one.
test.each([2, 6])(
  'an event is given up after its eighth retry, and event %i of its goal then has all of its own',
  async (later) => {
    const endpoint = await receiver();
    const { goals, caller, id } = await setting(endpoint, { goals: 2 });
    const [bad, good] = goals as unknown as [Goal, Goal];
    endpoint.respondWith((event, response) =>
      ([1, later].includes(event.sequence) ? refuse(500) : acknowledge)(event, response),
    );
    deliveries();
    await happen(Array(6).fill(bad), caller);
    await endpoint.until(1);
    for (const retries of [1, 7, 8]) {
      await untilIdle(id);
      await world.sql('UPDATE webhook_retries SET attempts = $2, failures = $2 WHERE webhook_id = $1', [id, retries]);
      // Another goal's success, so that the endpoint does not wait as a whole.
      await happen([good], caller);
      await endpoint.until(endpoint.received.length + 1);
      await untilIdle(id);
      expect(await retriesOf(id)).toMatchObject([{ sequence: 1, failures: retries }]);
      await passTime(id);
      await until(
        () => attemptsOf(id),
        (rows) => rows.some(({ sequence, attempt }) => sequence === 1 && attempt === retries + 1),
      );
    }
    await until(
      () => retriesOf(id),
      ([row]) => row?.sequence === later && row.failures === 1,
    );
    const attempts = await attemptsOf(id);
    const outcomesOf = (event: number) =>
      attempts.filter(({ sequence }) => sequence === event).map(({ attempt, outcome }) => [attempt, outcome]);
    expect(outcomesOf(1)).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [8, 'failed'],
      [9, 'given_up'],
    ]);
    expect(outcomesOf(later)).toMatchObject([[expect.any(Number), 'failed']]);
  },
);

test('an event is tried again after 5 s, 1 min, 10 min, 1 h, 4 h, 12 h, 24 h and 24 h, each a fifth more or less', async () => {
  const endpoint = await receiver(refuse(500));
  const { goals, caller, id } = await setting(endpoint);
  deliveries();
  await happen(goals, caller);
  for (const [before, seconds] of [5, 60, 600, 3_600, 14_400, 43_200, 86_400, 86_400].entries()) {
    if (before > 0) {
      await world.sql('UPDATE webhook_retries SET failures = $2 WHERE webhook_id = $1', [id, before]);
      await world.sql('UPDATE webhooks SET failures = 0 WHERE id = $1', [id]);
      await passTime(id);
    }
    await until(
      async () => ({ retries: await retriesOf(id), webhook: await webhookOf(id) }),
      ({ retries: [row], webhook }) => row?.failures === before + 1 && webhook.locked_by === null,
    );
    const [{ left }] = await world.sql(
      'SELECT extract(epoch FROM next_attempt_at - now())::float8 AS left FROM webhook_retries WHERE webhook_id = $1',
      [id],
    );
    expect(left).toBeGreaterThan(0.8 * seconds - 4);
    expect(left).toBeLessThan(1.2 * seconds);
  }
});

describe('an endpoint that only fails', () => {
  test.each([
    [0, 10],
    [1, 60],
    [2, 600],
    [3, 600],
  ])('waits as a whole, after it has waited %i times, for %i s, a fifth more or less', async (waits, seconds) => {
    const endpoint = await receiver(refuse(500));
    const { goals, caller, id } = await setting(endpoint, { failures: 5, waits });
    deliveries();
    await happen(goals, caller);
    const { wait_until } = await untilIdle(id, (row) => row.waits === waits + 1);
    const left = (wait_until - Date.now()) / 1000;
    expect(left).toBeGreaterThan(0.8 * seconds - 4);
    expect(left).toBeLessThan(1.2 * seconds);
  });

  test.each([
    ['before five days have passed', 4.9, refuse(500), { waits: 4, disabled_at: null }],
    ['if it has succeeded since', 5.1, acknowledge, { waits: 0, disabled_at: null, failing_since: null }],
  ])('is not disabled %s', async (_case, days, respond, outcome) => {
    const endpoint = await receiver(respond);
    const failing_since = new Date(Date.now() - days * 86_400_000);
    const { goals, caller, id } = await setting(endpoint, { failures: 7, waits: 3, failing_since });
    deliveries();
    await happen(goals, caller);
    const row = await untilIdle(id, ({ waits }) => waits === outcome.waits);
    expect(row).toMatchObject(outcome);
  });

  test('waits as a whole after five failures, and a success ends that', async () => {
    const endpoint = await receiver(refuse(503));
    const { goals, caller, id } = await setting(endpoint, { goals: 40 });
    const { log } = deliveries();
    await happen(goals, caller);
    const waiting = await untilIdle(id, (row) => row.waits === 1);
    const tried = endpoint.received.length;
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThanOrEqual(13);
    expect(waiting.wait_until - Date.now()).toBeGreaterThan(4_000);
    const retries = await retriesOf(id);

    // Its oldest failure and its next event are tried, and that uses up none of their retries.
    await passTime(id);
    await untilIdle(id, (row) => row.waits === 2);
    expect(sequences(endpoint.received.slice(tried)).toSorted((a, b) => a - b)).toEqual([1, tried + 1]);
    expect(await retriesOf(id)).toEqual(retries);

    endpoint.respondWith(acknowledge);
    await passTime(id);
    await untilIdleAt(id, 40);
    await passTime(id);
    await untilNothingWaits(id);
    expect(await webhookOf(id)).toMatchObject({ failures: 0, waits: 0, failing_since: null, wait_until: null });
    const arrived = endpoint.received.slice(tried + 2);
    // Those that were taken and not sent are not marked.
    const unsent = arrived.filter(({ sequence }) => sequence > tried + 1);
    expect(unsent.map(({ attempt }) => attempt)).toEqual(unsent.map(() => 1));
    expect(new Set(sequences(arrived)).size).toBe(40);
    expect(arrived).toHaveLength(40);
    expect(log.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
      'a webhook fails, and waits',
      'a webhook has recovered',
    ]);
  });

  test('is disabled after five days, and goes on where it was when it is enabled', async () => {
    const endpoint = await receiver(refuse(500));
    const { goals, caller, id } = await setting(endpoint, { goals: 1 });
    const { log } = deliveries();
    await world.sql(
      "UPDATE webhooks SET failures = 7, waits = 3, failing_since = now() - interval '5 days 1 minute' WHERE id = $1",
      [id],
    );
    await happen(goals, caller);
    const row = await untilIdle(id, ({ disabled_at }) => disabled_at !== null);
    expect(row).toMatchObject({ disabled_reason: 'failing' });
    expect(log).toContainEqual(
      expect.objectContaining({ level: 40, msg: 'a webhook is disabled', reason: 'status 500' }),
    );
    const { length } = endpoint.received;
    await happen(goals, caller);
    await untilIdle(id);
    expect(endpoint.received).toHaveLength(length);
    endpoint.respondWith(acknowledge);
    await world.sql(
      'UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL, failures = 0, waits = 0, wait_until = NULL, next_attempt_at = now() WHERE id = $1',
      [id],
    );
    poll(goals[0]?.companyId ?? '');
    await untilIdleAt(id, 2);
    expect(sequences(endpoint.received).slice(length)).toEqual([1, 2]);
  });
});

test('410 disables', async () => {
  const endpoint = await receiver(refuse(410));
  const { goals, caller, id } = await setting(endpoint);
  deliveries();
  await happen(goals, caller);
  await untilIdle(id, (row) => row.disabled_reason === 'gone');
  await happen(goals, caller);
  expect(endpoint.received).toHaveLength(1);
});

test.each([302, 400, 401, 403, 404, 405, 422, 429, 500, 502, 503])(
  '%i is a failure like any other: the event is tried again, and the webhook stays',
  async (status) => {
    const endpoint = await receiver(refuse(status));
    const { goals, caller, id } = await setting(endpoint);
    deliveries();
    await happen(goals, caller);
    await untilOneFailed(id);
    expect(await webhookOf(id)).toMatchObject({ disabled_at: null, failures: 1 });
    endpoint.respondWith(acknowledge);
    await passTime(id);
    await endpoint.until(2);
  },
);

test.each([429, 503])('Retry-After of a %i counts also while the endpoint waits as a whole', async (status) => {
  const endpoint = await receiver(refuse(status, { 'retry-after': '1800' }));
  const { goals, caller, id } = await setting(endpoint, { failures: 5, waits: 1 });
  deliveries();
  await happen(goals, caller);
  const { wait_until } = await untilIdle(id, ({ waits }) => waits === 2);
  const seconds = (wait_until - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(1_700);
  expect(seconds).toBeLessThan(1_810);
});

test('Retry-After of a 503 is obeyed by the endpoint as a whole, up to an hour', async () => {
  const endpoint = await receiver(refuse(503, { 'retry-after': '86400' }));
  const { goals, caller, id } = await setting(endpoint, { goals: 3 });
  deliveries();
  await happen(goals, caller);
  const row = await untilIdle(id, ({ wait_until }) => wait_until !== null);
  const seconds = (row.wait_until - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(3_500);
  expect(seconds).toBeLessThan(3_610);
  expect(row.waits).toBe(0);
  endpoint.respondWith(acknowledge);
  await passTime(id);
  await untilIdleAt(id, 3);
  await untilNothingWaits(id);
});

test('an endpoint that hangs on one event gets the others, new ones too', async () => {
  const endpoint = await receiver(({ sequence }, response) => {
    if (sequence !== 1) response.writeHead(204).end();
  });
  const { goals, caller, id } = await setting(endpoint, { goals: 3 });
  const { stop } = deliveries({ timeout: 4_000 });
  await happen(goals, caller);
  await endpoint.until(3);
  await until(
    () => webhookOf(id),
    ({ position }) => Number(position) === 3,
    2_500,
  );
  await happen(goals, caller);
  await endpoint.until(5, 3_500);
  expect(sequences(endpoint.received).toSorted()).toEqual([1, 2, 3, 5, 6]);
  await untilOneFailed(id);
  expect(await attemptsOf(id)).toContainEqual(
    expect.objectContaining({ sequence: 1, reason: 'there was no response within 4 s' }),
  );
  endpoint.respondWith(acknowledge);
  await passTime(id);
  await untilNothingWaits(id);
  expect(
    endpoint.received
      .filter(({ body }) => body.data.goal_id === goals[0]?.id)
      .map(({ sequence, attempt }) => [sequence, attempt]),
  ).toEqual([
    [1, 1],
    [1, 2],
    [4, 1],
  ]);
  await stop();
});

test('only wanted actions are sent, drafts never, and purged events are skipped', async () => {
  const endpoint = await receiver();
  const { goals, caller, company, space, id } = await setting(endpoint, {
    actions: '{goal_reopened,resource_hub_document_created}',
  });
  const hub = await world.hub(company, { spaceId: space.id });
  const [draft, document] = [await world.draft(hub, caller), await world.document(hub, caller)];
  const [goal = ''] = goals.map(({ id }) => id);
  await record(caller, 'resource_hub_document_created', draft.id);
  await record(caller, 'goal_closed', goal);
  await record(caller, 'resource_hub_document_created', document.id);
  await record(caller, 'goal_reopened', goal);
  deliveries();
  await untilIdleAt(id, 4);
  expect(sequences(endpoint.received).toSorted()).toEqual([3, 4]);
  // A retry whose event was purged.
  await world.sql(
    "INSERT INTO webhook_retries (company_id, webhook_id, record, sequence, failures, next_attempt_at) VALUES ($1, $2, 'file f', 3, 2, now())",
    [company.companyId, id],
  );
  await passTime(id);
  await untilNothingWaits(id);
  expect(endpoint.received).toHaveLength(2);
});

test('what is about a record that an import has removed, or about what is in a hub that it removed, is not sent', async () => {
  const endpoint = await receiver();
  const { caller, company, space, id } = await setting(endpoint);
  const [stays, gone] = await Promise.all([1, 2].map(() => world.hub(company, { spaceId: space.id })));
  if (!stays || !gone) throw new Error('there are two hubs');
  const file = (hub: Goal) => world.file(hub, caller, { deletedAt: new Date() });
  const document = (hub: Goal) => world.document(hub, caller);
  // Of each kind one that stays, one that is removed, and one in a hub that is removed.
  const kinds = [
    ['goals', 'goal_closed', [await world.goal(space), await world.goal(space)]],
    ['resource_hub_files', 'resource_hub_file_deleted', [await file(stays), await file(stays), await file(gone)]],
    [
      'resource_hub_documents',
      'resource_hub_document_edited',
      [await document(stays), await document(stays), await document(gone)],
    ],
  ] as const;
  for (const [table, action, subjects] of kinds) {
    for (const subject of subjects) await record(caller, action, subject.id);
    await world.sql(`UPDATE ${table} SET removed_at = now() WHERE id = $1`, [subjects[1].id]);
  }
  await world.sql('UPDATE resource_hubs SET removed_at = now() WHERE id = $1', [gone.id]);
  deliveries();
  await untilIdleAt(id, 8);
  const sent = endpoint.received.flatMap(({ body }) => body.data.goal_id ?? body.data.file_id ?? body.data.document_id);
  expect(sent.toSorted()).toEqual(kinds.map(([, , [first]]) => first.id).toSorted());
});

test('what origins are left out is not sent, also of a record that waits for a retry, and each body says its origin', async () => {
  const endpoint = await receiver(refuse(500));
  const { goals, caller, id } = await setting(endpoint, { goals: 2, except_origins: '{application}' });
  const [goal = '', other = ''] = goals.map((each) => each.id);
  await record(caller, 'goal_reopened', goal, 'api');
  await record(caller, 'goal_closed', goal);
  await record(caller, 'goal_closed', other, 'import');
  await record(caller, 'goal_closed', other);
  deliveries();
  await untilIdleAt(id, 4);
  await record(caller, 'goal_closed', goal);
  await record(caller, 'goal_reopened', goal, 'api');
  endpoint.received.length = 0;
  endpoint.respondWith(acknowledge);
  await until(
    async () => {
      await passTime(id);
      return retriesOf(id);
    },
    (rows) => rows.length === 0,
  );
  await untilIdleAt(id, 6);
  expect(new Set(sequences(endpoint.received))).toEqual(new Set([1, 3, 6]));
  expect(new Set(endpoint.received.map(({ body }) => body.origin))).toEqual(new Set(['api', 'import']));
});

test('what was asked for once is sent once, also to a disabled webhook', async () => {
  const endpoint = await receiver(refuse(500));
  const { goals, caller, company, id } = await setting(endpoint, {
    disabled_at: new Date(),
    disabled_reason: 'owner',
  });
  deliveries();
  await happen(goals, caller);
  const queue = (record: string, sequence: number | null) =>
    world.sql(
      'INSERT INTO webhook_retries (company_id, webhook_id, record, once, sequence, next_attempt_at) VALUES ($1, $2, $3, true, $4, now())',
      [company.companyId, id, record, sequence],
    );
  await until(
    async () => (await world.sql('SELECT sequence FROM activities WHERE company_id = $1', [company.companyId]))[0],
    (row) => row?.sequence !== null,
  );
  await queue('ping 1', null);
  await queue('event 1', 1);
  await passTime(id);
  await endpoint.until(2);
  await untilNothingWaits(id);
  const ping = endpoint.received.find(({ type }) => type === 'ping');
  expect(Object.keys(ping?.body)).toEqual(['id', 'type', 'timestamp', 'company_id']);
  expect(endpoint.received.find(({ type }) => type === 'goal.closed')).toMatchObject({ sequence: 1, attempt: 1 });
  expect(await webhookOf(id)).toMatchObject({ failures: 2, position: '0' });
});

test('what was asked for once is taken beside as many rows as a gateway takes, and ends no request', async () => {
  const endpoint = await receiver(() => {});
  const { goals, caller, company, id } = await setting(endpoint, { goals: 250 });
  const { log, stop } = deliveries();
  await happen(goals, caller);
  await endpoint.until(8);
  const { locked_by: holder } = await webhookOf(id);
  await world.sql(
    'INSERT INTO webhook_retries (company_id, webhook_id, record, once, next_attempt_at) VALUES ($1, $2, $3, true, now())',
    [company.companyId, id, 'ping 1'],
  );
  const taken = () =>
    world.sql('SELECT attempts FROM webhook_retries WHERE webhook_id = $1 AND locked_by = $2', [id, holder]);
  await until(taken, (rows) => rows.length === 241);
  // It looks for new events twice a second.
  await sleep(1_500);
  expect(log.map(({ msg }) => msg)).not.toContain('cannot deliver to webhooks, will try again');
  expect(await taken()).toHaveLength(241);
  await stop();
});

test('a gateway that stops waits for no endpoint that hangs, and gives its leases back; another sends again, marked', async () => {
  const endpoint = await receiver(() => {});
  const { goals, caller, id } = await setting(endpoint, { goals: 3 });
  const first = deliveries();
  await happen(goals, caller);
  await endpoint.until(3);
  const since = performance.now();
  await first.stop();
  expect(performance.now() - since).toBeLessThan(12_000);
  expect((await webhookOf(id)).locked_by).toBe(null);
  endpoint.respondWith(acknowledge);
  deliveries();
  await endpoint.until(6);
  expect(endpoint.received.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2, 2, 2]);
  await untilIdleAt(id, 3);
});

test('a gateway whose lease ends while it sends loses nothing, and what comes again is marked', async () => {
  const endpoint = await receiver((event, response) => void setTimeout(() => acknowledge(event, response), 1_200));
  const { goals, caller, id } = await setting(endpoint, { goals: 5 });
  deliveries();
  deliveries();
  await happen(goals, caller);
  await endpoint.until(5);
  // As if another had taken it, and died.
  await world.sql("UPDATE webhooks SET locked_by = 'another', locked_until = now() WHERE id = $1", [id]);
  await untilIdleAt(id, 5);
  expect(endpoint.received.map(({ sequence, attempt }) => `${sequence} ${attempt}`).toSorted()).toEqual(
    goals.flatMap((_, index) => [`${index + 1} 1`, `${index + 1} 2`]),
  );
});

test('a takeover that puts an event aside keeps the mark of those behind it', async () => {
  const endpoint = await receiver(refuse(500));
  const { goals, caller, id } = await setting(endpoint, { attempted: 2 });
  deliveries();
  await happen([...goals, ...goals, ...goals], caller);
  await untilOneFailed(id);
  endpoint.respondWith(acknowledge);
  await passTime(id);
  await endpoint.until(4);
  expect(endpoint.received.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
    [1, 2],
    [1, 2],
    [2, 2],
    [3, 1],
  ]);
});

test('an endpoint that only fails and is tried with its oldest event keeps the mark of those behind it', async () => {
  const endpoint = await receiver(refuse(500));
  // It begins to wait with the next failure, and a gateway that died had begun to send the first two.
  const { goals, caller, id } = await setting(endpoint, { attempted: 2, failures: 4 });
  deliveries();
  await happen([...goals, ...goals, ...goals], caller);
  await untilIdle(id, ({ failures }) => failures === 5);
  await passTime(id);
  await untilIdle(id, ({ failures }) => failures === 6);
  endpoint.respondWith(acknowledge);
  await passTime(id);
  await endpoint.until(5);
  expect(endpoint.received.map(({ sequence, attempt }) => [sequence, attempt > 1])).toEqual([
    [1, true],
    [1, true],
    [1, true],
    [2, true],
    [3, false],
  ]);
});

test('a ping that fails makes an endpoint wait like an event, and puts off no event of one that waits', async () => {
  const endpoint = await receiver(refuse(500));
  const { company, id } = await setting(endpoint);
  deliveries();
  const ping = async (count: number) => {
    await world.sql(
      `INSERT INTO webhook_retries (company_id, webhook_id, record, once, next_attempt_at)
       SELECT $1, $2, 'ping ' || new_id(), true, now() FROM generate_series(1, $3)`,
      [company.companyId, id, count],
    );
    await world.sql('UPDATE webhooks SET next_attempt_at = now() WHERE id = $1', [id]);
    poll(company.companyId);
    return until(
      async () => ({ left: await retriesOf(id), webhook: await webhookOf(id) }),
      ({ left, webhook }) => left.length === 0 && webhook.locked_by === null,
    );
  };
  expect((await ping(4)).webhook).toMatchObject({ failures: 4, waits: 0, wait_until: null });
  const { webhook } = await ping(1);
  expect(webhook).toMatchObject({ failures: 5, waits: 1 });
  expect(webhook.wait_until).not.toBe(null);
  expect((await ping(2)).webhook).toMatchObject({ failures: 5, waits: 1, wait_until: webhook.wait_until });
  endpoint.respondWith(acknowledge);
  expect((await ping(1)).webhook).toMatchObject({ failures: 0, waits: 0, wait_until: null });
});

test('what is sent verifies with the new secret, and for a day with the old one too; with a new key and the old key', async () => {
  const endpoint = await receiver();
  const { goals, caller, company, id } = await setting(endpoint);
  const secret = (generation: number) => secretFor(company.companyId, id, generation);
  const first = deliveries();
  await happen(goals, caller);
  await endpoint.until(1);
  await world.sql(
    "UPDATE webhooks SET generation = 2, previous_until = ARRAY[now() + interval '1 hour'] WHERE id = $1",
    [id],
  );
  endpoint.verifyWith(secret(1), secret(2));
  await happen(goals, caller);
  await endpoint.until(2);
  await world.sql('UPDATE webhooks SET previous_until = ARRAY[now()] WHERE id = $1', [id]);
  endpoint.verifyWith(secret(2));
  await happen(goals, caller);
  const [, , last] = await endpoint.until(3);
  expect(last?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  await first.stop();
  const newKey = 'n'.repeat(32);
  deliveries({ keys: [newKey, webhookKey] });
  endpoint.verifyWith(secret(2), secretOf(newKey, { companyId: company.companyId, id, generation: 2 }));
  await happen(goals, caller);
  const [, , , rotated] = await endpoint.until(4);
  expect(rotated?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
});

test('every type of event arrives as the OpenAPI document describes it', async () => {
  const endpoint = await receiver();
  const { goals, caller, company, space } = await setting(endpoint);
  const hub = await world.hub(company, { spaceId: space.id });
  const [file, document] = [await world.file(hub, caller), await world.document(hub, caller)];
  const restore = { document_id: document.id, version_number: 1, expected_current_version: 3 };
  expect((await world.post(restPaths.restoreDocumentVersion, caller.token, restore)).status).toBe(200);
  const subjects: Json = { goal: goals[0]?.id, file: file.id, document: document.id };
  for (const action of actions.filter((name) => name !== 'document_version_restored'))
    await record(caller, action, subjects[subjectOf(action)]);
  deliveries();
  await endpoint.until(actions.length);
  expect(new Set(endpoint.received.map(({ type }) => type))).toEqual(
    new Set(sentEvents.map(({ type }) => type).filter((type) => type !== 'ping')),
  );
});

test('one company waits for no endpoint of another, however slow, nor for its backlog', async () => {
  const hanging = await receiver(() => {});
  const failing = await receiver(refuse(500));
  const quick = await receiver();
  const backlog = await setting(hanging, { goals: 30 });
  const dead = await setting(failing, { goals: 30 });
  await happen(Array(20).fill(backlog.goals).flat(), backlog.caller);
  await happen(Array(20).fill(dead.goals).flat(), dead.caller);
  const { goals, caller } = await setting(quick);
  deliveries({ timeout: 3_000 });
  await hanging.until(8);
  const times: number[] = [];
  for (let count = 1; count <= 9; count += 1) {
    const since = performance.now();
    await happen(goals, caller);
    await quick.until(count);
    times.push(performance.now() - since);
  }
  expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(1_500);
  expect(hanging.mostRunning()).toBeLessThanOrEqual(8);
});
