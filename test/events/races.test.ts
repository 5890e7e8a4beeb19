import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import type { Transaction } from '../../src/platform/postgres/index.js';
import { fill, finish, type Lease, take } from '../../src/webhooks/queue.js';
import { insertWebhook } from '../support/deliveries.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld } from '../support/world.js';

// A statement that waits for the lock of its webhook sees the rows and events of before, and the webhook as it is by then.
// Each order of the two is forced: one of them waits while the other commits.

const world = await createWorld({ isAlone: true });
const db = openModels({ url: world.url, poolSize: 2, preparedStatements });
afterAll(() => db.$disconnect());

type Step = (tx: Transaction) => Promise<unknown>;

const score = { hasSucceeded: true, failures: 0, failuresOnce: 0, hasProbeFailed: false, retryAfter: 0, isGone: false };

/** A webhook whose lease is held, and which has sent the first event of a goal. */
async function setting() {
  const { caller, space, company } = await world.team();
  const { companyId } = company;
  const goal = await world.goal(space);
  const id = await insertWebhook(world, companyId, 'https://example.com/', {
    locked_by: 'holder',
    locked_until: new Date(Date.now() + 60_000),
  });
  const lease: Lease = { companyId, webhookId: id, holder: 'holder', epoch: 1 };
  const happen = (sequence: number) =>
    world.sql(
      `WITH numbered AS (UPDATE companies SET last_sequence = $4 WHERE id = $1)
       INSERT INTO activities (company_id, action, author_id, goal_id, name, sequence) VALUES ($1, 'goal_closed', $2, $3, 'Goal', $4)`,
      [companyId, caller.id, goal.id, sequence],
    );
  await happen(1);
  await fill(db, lease);
  const taken = await take(db, lease, 10);
  expect(taken?.rows).toMatchObject([{ event: { sequence: 1 } }]);
  const [{ record = '' } = {}] = taken?.rows ?? [];
  const settle: Step = (tx) => finish(tx, lease, [{ record, attempts: 1, failures: 0, pause: undefined }], score);
  const queued = () =>
    world.sql(
      'SELECT w.position::int, r.sequence::int FROM webhooks w LEFT JOIN webhook_retries r ON r.webhook_id = w.id WHERE w.id = $1',
      [id],
    );
  return { lease, happen, settle, queued, id };
}

/** Runs `first` and commits it while `waiting` waits for the lock of the webhook, with a snapshot of before. */
async function race(id: string, waiting: Step, first: Step): Promise<void> {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT id FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const [{ pid } = {}] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
    const second = waiting(db);
    const isWaiting = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))';
    while ((await world.sql(isWaiting, [pid])).length === 0) await sleep(5);
    const $queryRaw = async (query: { text: string; values: unknown[] }) =>
      (await client.query(query.text, query.values)).rows;
    await first({ $queryRaw } as unknown as Transaction);
    await client.query('COMMIT');
    await second;
  } finally {
    await client.end();
  }
}

test('finish finds the event that fill has put behind its row, which it cannot see yet', async () => {
  const { lease, happen, settle, queued, id } = await setting();
  await race(id, settle, async (tx) => {
    await happen(2);
    await fill(tx, lease);
  });
  expect(await queued()).toEqual([{ position: 2, sequence: 2 }]);
});

test('fill queues the event of a record whose row finish has deleted, which it still sees', async () => {
  const { lease, happen, settle, queued, id } = await setting();
  await happen(2);
  await race(id, (tx) => fill(tx, lease), settle);
  expect(await queued()).toEqual([{ position: 2, sequence: 2 }]);
});

test('a replay whose row was filled while it waited sends the events before that row too', async () => {
  const { lease, happen, queued, id } = await setting();
  await happen(2);
  await world.sql('UPDATE webhooks SET position = 0 WHERE id = $1', [id]);
  await world.sql('UPDATE webhook_retries SET sequence = 2 WHERE webhook_id = $1', [id]);
  await fill(db, lease);
  expect(await queued()).toEqual([{ position: 2, sequence: 1 }]);
});
