import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { insertWebhook, secretFor, until, webhookKey } from '../../support/deliveries.js';
import { commandOutput } from '../../support/goalpost.js';
import { Ledger } from '../../support/ledger.js';
import { acknowledge, refuse, startReceiver } from '../../support/receiver.js';
import { startServer } from '../../support/server.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const stops: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const settings = {
  DATABASE_URL: world.url,
  WEBHOOK_KEY: webhookKey,
  WEBHOOK_ALLOW: '127.0.0.0/8',
  LOG_LEVEL: 'warn',
};
/** How long gateways are killed and endpoints fail. */
const seconds = Number(process.env.WEBHOOK_CHAOS_SECONDS ?? 10);

/** An endpoint that fails in every way, until it is told to work. */
async function unreliable() {
  const ledger = new Ledger();
  const chaos = { isOn: true };
  const endpoint = await startReceiver((received, response) => {
    ledger.receive(received);
    const die = chaos.isOn ? Math.random() : 1;
    const accept = () => {
      ledger.acknowledged.add(received.sequence);
      acknowledge(received, response);
    };
    if (die < 0.05) refuse(500)(received, response);
    else if (die < 0.08) response.destroy();
    else if (die < 0.11) {
      // It has the event, and its answer is lost.
      ledger.acknowledged.add(received.sequence);
      response.destroy();
    } else if (die < 0.13) setTimeout(accept, 1_500);
    else if (die < 0.4) setTimeout(accept, 30);
    else accept();
  });
  return { ...endpoint, ledger, chaos };
}

/** Lets the time of retries pass, except of webhooks that a gateway delivers to right now. */
const passTime = () =>
  world.sql(`
    WITH idle AS (SELECT id FROM webhooks WHERE lease_id IS NULL FOR UPDATE SKIP LOCKED),
      moved AS (UPDATE webhook_retries SET due_at = now() WHERE webhook_id IN (SELECT id FROM idle) AND failures > 0)
    UPDATE webhooks SET due_at = now(), wait_until = CASE WHEN wait_until IS NULL THEN NULL ELSE now() END
    WHERE id IN (SELECT id FROM idle)`);

test(
  'gateways are killed, connections cut, and endpoints fail: nothing is lost, out of order, or repeated without its mark',
  async () => {
    const { company, caller, space } = await world.team();
    const goals = await Promise.all(Array.from({ length: 25 }, () => world.goal(space)));
    const endpoints = [await unreliable(), await unreliable()];
    const ids = [];
    for (const [index, { url, verifyWith, close }] of endpoints.entries()) {
      const id = await insertWebhook(world, company.companyId, url, { slot: index + 1 });
      verifyWith(secretFor(company.companyId, id));
      stops.push(close);
      ids.push(id);
    }
    const start = async () => {
      const gateway = await startServer(settings);
      stops.push(gateway.stop);
      return gateway;
    };
    const gateways = [await start(), await start()];

    const end = performance.now() + seconds * 1000;
    const write = async () => {
      while (performance.now() < end) {
        const some = Array.from({ length: 4 }, () => goals[Math.floor(Math.random() * goals.length)]?.id);
        await world.sql(
          "INSERT INTO activities (company_id, action, author_id, goal_id, name) SELECT $1, 'goal_closed', $2, unnest($3::text[]), 'Goal'",
          [company.companyId, caller.id, some],
        );
        await passTime();
        await sleep(25);
      }
    };
    const kill = async () => {
      for (let victim = 0; performance.now() < end - 2_000; victim = 1 - victim) {
        await sleep(1_500);
        gateways[victim]?.process.kill('SIGKILL');
        gateways[victim] = await start();
      }
    };
    const cut = async () => {
      while (performance.now() < end) {
        await sleep(700);
        await world.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'goalpost%'",
        );
      }
    };
    await Promise.all([write(), kill(), cut()]);
    for (const { chaos } of endpoints) chaos.isOn = false;

    const [{ count } = {}] = await world.sql('SELECT count(*)::int FROM activities');
    const rest = async () => {
      await passTime();
      return (await world.sql(
        'SELECT w.position::int, (SELECT count(*)::int FROM webhook_retries r WHERE r.webhook_id = w.id) AS retries FROM webhooks w',
      )) as Json[];
    };
    await until(rest, (rows) => rows.every(({ position, retries }) => position === count && retries === 0), 45_000);
    for (const { ledger } of endpoints) {
      expect(ledger.problems).toEqual([]);
      expect(ledger.acknowledged.size).toBe(count);
      expect(ledger.duplicates).toBeGreaterThan(0);
    }
    const listed = JSON.parse(await commandOutput(['webhook', 'list', '--json'], settings));
    expect(listed.map(({ id }: Json) => id).toSorted()).toEqual(ids.toSorted());
    console.log(
      `${count} events to ${endpoints.length} endpoints, ${endpoints.map(({ ledger }) => ledger.duplicates).join(' and ')} duplicates`,
    );
  },
  (seconds + 110) * 1000,
);
