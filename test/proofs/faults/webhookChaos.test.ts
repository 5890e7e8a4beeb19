import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSystem } from '../../../tools/history/system.js';
import { idsIn } from '../../../tools/history/workspace.js';
import { insertWebhook, secretFor, until } from '../../support/deliveries.js';
import { commandOutput } from '../../support/goalpost.js';
import { Ledger } from '../../support/ledger.js';
import { startPgbouncer } from '../../support/pgbouncer.js';
import { acknowledge, refuse, startReceiver } from '../../support/receiver.js';
import type { Json } from '../../support/world.js';

/** How long gateways and PostgreSQL are killed and endpoints fail. */
const seconds = Number(process.env.WEBHOOK_CHAOS_SECONDS ?? 10);
const gatewayCount = Number(process.env.WEBHOOK_CHAOS_GATEWAYS ?? 2);
const hasPgbouncer = spawnSync('pgbouncer', ['--version']).error === undefined;

/** An endpoint that fails in every way while `chaos` is on. */
async function unreliable() {
  const ledger = new Ledger();
  const chaos = { isOn: false };
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

/** Gateways, their PostgreSQL and two endpoints, all of them to fail. */
async function start(through: 'directly' | 'through PgBouncer') {
  let stopPgbouncer = async () => {};
  const route = async (url: string) => {
    const pgbouncer = await startPgbouncer(url);
    stopPgbouncer = pgbouncer.stop;
    const routed = new URL(url);
    routed.host = `127.0.0.1:${pgbouncer.port}`;
    return routed.href;
  };
  const options = through === 'directly' ? {} : { route, settings: { PREPARED_STATEMENTS: 'off' } };
  const system = await startSystem({ ...options, gateways: gatewayCount });
  onTestFinished(() => system.stop().finally(stopPgbouncer), 60_000);
  const prefix = 'chaos';
  await system.begin(prefix);
  const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
    (await system.pool.query(text, values)).rows;
  const endpoints = [await unreliable(), await unreliable()];
  for (const [index, { url, verifyWith, close }] of endpoints.entries()) {
    const id = await insertWebhook({ sql }, `${prefix}-company`, url, { slot: index + 1 });
    verifyWith(secretFor(`${prefix}-company`, id));
    onTestFinished(close);
  }
  return { system, sql, endpoints, ids: idsIn(prefix) };
}

/** Lets the time of retries pass, except of webhooks that a gateway delivers to right now. */
const timePasses = `
  WITH idle AS (SELECT id FROM webhooks WHERE lease_id IS NULL FOR UPDATE SKIP LOCKED),
    moved AS (UPDATE webhook_retries SET due_at = now() WHERE webhook_id IN (SELECT id FROM idle) AND failures > 0)
  UPDATE webhooks SET due_at = now(), wait_until = CASE WHEN wait_until IS NULL THEN NULL ELSE now() END
  WHERE id IN (SELECT id FROM idle)`;

test.each(['directly', ...(hasPgbouncer ? (['through PgBouncer'] as const) : [])] as const)(
  'gateways and PostgreSQL are killed, connections cut, and endpoints fail: nothing is lost, out of order, or repeated without its mark, %s',
  async (through) => {
    const { system, sql, endpoints, ids } = await start(through);
    const { pool, postgres, gateways } = system;
    const records = [
      ...ids.goals.map((id) => ({ id, subject: 'goal_id', action: 'goal_closed' })),
      ...ids.files.map((id) => ({ id, subject: 'file_id', action: 'resource_hub_file_created' })),
      ...ids.documents.map((id) => ({ id, subject: 'document_id', action: 'resource_hub_document_edited' })),
    ];
    const happen = () => {
      const { id, subject, action } = records[Math.floor(Math.random() * records.length)] ?? {};
      return sql(
        `INSERT INTO activities (company_id, action, author_id, ${subject}, name)
         SELECT 'chaos-company', '${action}', $1, $2, 'Name' FROM generate_series(1, 3)`,
        [ids.clients[0], id],
      );
    };
    /** While PostgreSQL is down, it fails. */
    const attempt = (work: () => Promise<unknown>) => work().catch(() => {});

    for (const { chaos } of endpoints) chaos.isOn = true;
    const end = performance.now() + seconds * 1000;
    const write = async () => {
      while (performance.now() < end) {
        await attempt(happen);
        await attempt(() => sql(timePasses));
        await sleep(25);
      }
    };
    const killGateways = async () => {
      for (let victim = 0; performance.now() < end - 2_000; victim = (victim + 1) % gatewayCount) {
        await sleep(1_500);
        await gateways[victim]?.kill();
        // On a busy machine PostgreSQL may be killed in each of its starts.
        await attempt(async () => gateways[victim]?.restart());
      }
    };
    const killPostgres = async () => {
      while (performance.now() < end - 2_000) {
        await sleep(4_000);
        await postgres.kill();
        await postgres.start();
      }
    };
    const cut = async () => {
      while (performance.now() < end) {
        await sleep(700);
        const all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'goalpost%'";
        await attempt(() => pool.query(all));
      }
    };
    await Promise.all([write(), killGateways(), killPostgres(), cut()]);
    for (const { chaos } of endpoints) chaos.isOn = false;
    await Promise.all(gateways.map((gateway) => gateway.base ?? gateway.restart()));

    const [{ count } = {}] = await sql('SELECT count(*)::int FROM activities');
    const rest = async () => {
      await sql(timePasses);
      return sql(
        'SELECT w.position::int, (SELECT count(*)::int FROM webhook_retries r WHERE r.webhook_id = w.id) AS retries FROM webhooks w',
      );
    };
    await until(rest, (rows) => rows.every(({ position, retries }) => position === count && retries === 0), 45_000);
    for (const { ledger } of endpoints) {
      expect(ledger.problems).toEqual([]);
      expect(ledger.acknowledged.size).toBe(count);
      expect(ledger.duplicates).toBeGreaterThan(0);
    }
    const listed = JSON.parse(await commandOutput(['webhook', 'list', '--json'], { DATABASE_URL: postgres.url }));
    expect(listed).toHaveLength(endpoints.length);
    const duplicates = endpoints.map(({ ledger }) => ledger.duplicates).join(' and ');
    console.log(`${count} events to ${endpoints.length} endpoints ${through}, ${duplicates} duplicates`);
  },
  (seconds + 140) * 1000,
);

test.each(['directly', ...(hasPgbouncer ? (['through PgBouncer'] as const) : [])] as const)(
  'an idle gateway sends what it has changed as soon as it is committed, %s',
  async (through) => {
    const { system, sql, endpoints, ids } = await start(through);
    const { token } = await system.issueToken(ids.clients[0] ?? '');
    const [endpoint] = endpoints;
    const milliseconds: number[] = [];
    for (let change = 0; change < 40; change += 1) {
      await sql('UPDATE goals SET closed_at = now(), success = true WHERE id = $1', [ids.goals[0]]);
      const response = await fetch(`${system.gateways[change % gatewayCount]?.base}/api/external/v1/reopen_goal`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ id: ids.goals[0] }),
      });
      const committed = performance.now();
      expect(response.status).toBe(200);
      const received = await endpoint?.until(change + 1);
      milliseconds.push((received?.[change]?.at ?? 0) - committed);
    }
    const [median = 0, most = 0] = [20, 39].map((index) => milliseconds.toSorted((a, b) => a - b)[index]);
    console.log(`committed → received ${through}: median ${Math.round(median)} ms, at most ${Math.round(most)} ms`);
    // What the poll would find takes half a second.
    expect(median).toBeLessThan(300);
  },
  90_000,
);
