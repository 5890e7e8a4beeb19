import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/index.js';
import { insertWebhook, secretFor, startDeliveries, until, webhookKey } from '../../support/deliveries.js';
import { goalpost } from '../../support/goalpost.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { acknowledge, startReceiver } from '../../support/receiver.js';
import { statementsOf } from '../../support/statements.js';
import { temporaryServer } from '../../support/temporary.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const opened: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((close) => close())));

const prepared = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off' };
const hooks = { WEBHOOK_KEY: webhookKey, WEBHOOK_ALLOW: '127.0.0.0/8' };

async function setting() {
  const endpoint = await startReceiver();
  const { caller, space, company } = await world.team();
  const goal = await world.goal(space);
  const id = await insertWebhook(world, company.companyId, endpoint.url);
  endpoint.verifyWith(secretFor(company.companyId, id));
  const happen = () => world.activity(caller, { action: 'goal_closed', goalId: goal.id });
  opened.push(endpoint.close);
  return { endpoint, happen, space, company, caller, id };
}

const serve = (settings: Record<string, string> = hooks) =>
  temporaryServer({ DATABASE_URL: world.url, ...prepared, ...settings });

describe('goalpost serve', () => {
  test('delivers what its clients change at once, and counts it', async () => {
    const { endpoint, space, caller } = await setting();
    const { client, announced } = await serve({ ...hooks, METRICS_PORT: '0' });
    const goal = await world.closedGoal(space);
    const { status } = await client.post('/api/external/v1/reopen_goal', caller.token, { id: goal.id });
    expect(status).toBe(200);
    const [event] = await endpoint.until(1);
    expect(event).toMatchObject({ type: 'goal.reopened', attempt: 1 });
    const metrics = async () => (await fetch(announced.metrics ?? '')).text();
    await until(metrics, (text) => /goalpost_webhook_attempts_total\{outcome="acknowledged"\} 1/.test(text));
    expect(await metrics()).toMatch(/goalpost_webhook_delivery_seconds_count 1/);
    await until(metrics, (text) => /goalpost_webhooks\{state="active"\} [1-9]/.test(text));
  });

  test('says of an endpoint that never answers how far it is behind at once, and from its first attempt that it fails', async () => {
    const { endpoint, space, company, id } = await setting();
    endpoint.respondWith(() => {});
    const owner = await world.person(space, { isOwner: true });
    const { client, announced } = await serve({ ...hooks, METRICS_PORT: '0', RATE_LIMIT_PER_TOKEN: '1000000' });
    const goals = await Promise.all(Array.from({ length: 11 }, () => world.goal(space)));
    const [first = { id: '' }] = goals;
    for (const goal of [...goals, ...Array(29).fill(first)])
      await world.activity(owner, { action: 'goal_closed', goalId: goal.id });
    await endpoint.until(8);
    const shown = async () =>
      (await client.graphql(owner.token, `{ webhook(id: "${id}") { state lag position failingSince } }`)).body.data
        .webhook;
    const listed = async () => {
      const { stdout } = await goalpost(['webhook', 'list', '--json'], { DATABASE_URL: world.url, ...prepared });
      return JSON.parse(stdout).find((webhook: Json) => webhook.id === id);
    };
    const metrics = async () => (await fetch(announced.metrics ?? '')).text();
    expect(await until(shown, ({ lag }) => lag >= 40)).toMatchObject({ state: 'ACTIVE', lag: 40 });
    expect(await listed()).toMatchObject({ state: 'active', lag: 40 });
    await until(shown, ({ state }) => state === 'FAILING', 30_000);
    const attempts = await world.sql('SELECT FROM webhook_attempts WHERE webhook_id = $1', [id]);
    expect(attempts.length).toBeLessThan(9);
    expect(await shown()).toMatchObject({ lag: 40, failingSince: expect.any(String) });
    expect(await listed()).toMatchObject({ state: 'failing', lag: 40 });
    const figures = await until(metrics, (text) => /goalpost_webhooks\{state="failing"\} 1/.test(text), 30_000);
    expect(figures).toMatch(/goalpost_webhook_lag_events 40\n/);
    endpoint.respondWith(acknowledge);
    await until(shown, ({ lag }) => lag === 0, 60_000);
    expect(await shown()).toMatchObject({ state: 'ACTIVE', failingSince: null });
    await world.sql('DELETE FROM webhooks WHERE company_id = $1', [company.companyId]);
  });

  test('signs with the secret that an owner was shown, sends a ping at once, and shows what came of it', async () => {
    const { endpoint, space } = await setting();
    await world.sql('DELETE FROM webhooks WHERE url = $1', [endpoint.url]);
    const owner = await world.person(space, { isOwner: true });
    const { client } = await serve();
    const call = async (text: string) => {
      const { body } = await client.graphql(owner.token, text);
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const { createWebhook } = await call(
      `mutation { createWebhook(input: { url: "${endpoint.url}" }) { secret webhook { id } } }`,
    );
    const { id } = createWebhook.webhook;
    endpoint.verifyWith(createWebhook.secret);
    await sleep(1_200);
    const since = performance.now();
    const { pingWebhook } = await call(`mutation { pingWebhook(input: { id: "${id}" }) { eventId } }`);
    expect(await endpoint.until(1)).toMatchObject([{ id: pingWebhook.eventId, type: 'ping', attempt: 1 }]);
    expect(performance.now() - since).toBeLessThan(10_000);
    const attempts = async () =>
      (await call(`{ webhook(id: "${id}") { attempts { nodes { eventId type outcome status } } } }`)).webhook.attempts
        .nodes;
    const expected = [{ eventId: pingWebhook.eventId, type: 'ping', outcome: 'ACKNOWLEDGED', status: 204 }];
    expect(await until(attempts, (nodes) => nodes.length > 0)).toEqual(expected);
  });

  test('without a key sends nothing; one with a key that starts later does', async () => {
    const { endpoint, happen, id } = await setting();
    await serve({});
    await happen();
    const numbered = async () =>
      (
        await world.sql(
          'SELECT c.last_sequence::int AS last FROM companies c JOIN webhooks w ON w.company_id = c.id WHERE w.id = $1',
          [id],
        )
      )[0];
    await until(numbered, (row) => row?.last === 1);
    await sleep(1_500);
    expect(endpoint.received).toEqual([]);
    await serve();
    await endpoint.until(1);
  });

  test('after SIGTERM, others go on at once', async () => {
    const { endpoint, happen, id } = await setting();
    const [first, second] = [await serve(), await serve()];
    let count = 0;
    for (const stopping of [first, second]) {
      stopping.process.kill('SIGTERM');
      for (let round = 0; round < 3; round += 1) {
        const since = performance.now();
        await happen();
        count += 1;
        await endpoint.until(count);
        expect(performance.now() - since).toBeLessThan(15_000);
      }
      if (stopping === first) await serve();
    }
    await until(
      async () => (await world.sql('SELECT locked_by FROM webhooks WHERE id = $1', [id]))[0],
      (row) => row?.locked_by === null,
    );
    expect(endpoint.received.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

test("a gateway in a server of one's own delivers until it is closed", async () => {
  const { endpoint, happen } = await setting();
  const app = await createApp({ databaseUrl: world.url, settings: { ...prepared, ...hooks }, log: () => {} });
  await happen();
  await endpoint.until(1);
  const since = performance.now();
  await app.close();
  expect(performance.now() - since).toBeLessThan(10_000);
});

test('an event on its own costs five statements, besides its numbering', async () => {
  const { endpoint, happen, id } = await setting();
  const { stop, dispatcher } = startDeliveries(world);
  opened.push(stop);
  await sleep(1_200);
  const { statements } = await statementsOf(async () => {
    await happen();
    dispatcher.changed((await world.sql('SELECT company_id FROM webhooks WHERE id = $1', [id]))[0]?.company_id);
    await endpoint.until(1);
    await sleep(300);
  });
  const steps = statements.flatMap(({ text }) => /(acquired|looked|taken|logged|work) AS/.exec(text)?.[1] ?? []);
  expect(steps).toEqual(['acquired', 'looked', 'taken', 'logged', 'work']);
});
