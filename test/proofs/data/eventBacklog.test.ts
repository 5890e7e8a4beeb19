import { beforeAll, describe, expect, test } from 'vitest';
import type { Transaction } from '../../../src/database.js';
import { newId } from '../../../src/platform/postgres/values.js';
import { acquireLeases, fill, finish, type Outcome, releaseLease, take } from '../../../src/webhooks/queue.js';
import { insertWebhook } from '../../support/deliveries.js';
import { forAnother, plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const events = 40_000;
const goals = 8_000;

/** A company with many events, a webhook in the middle of them, and a row that has failed for every second goal. */
let companyId = '';
let webhookId = '';
const holder = 'held';
const lease = () => ({ companyId, webhookId, holder, epoch: 1 });

/** Whose the lease and the rows are, and how often the endpoint has failed. */
const prepare = async ({ isHeld = true, areTaken = false, failures = 0 }) => {
  await world.sql(
    isHeld
      ? "UPDATE webhooks SET locked_by = 'held', locked_until = now() + interval '1 minute', position = $1, failures = $2"
      : 'UPDATE webhooks SET locked_by = NULL, locked_until = NULL, next_attempt_at = now(), position = $1, failures = $2',
    [events / 2, failures],
  );
  await world.sql('UPDATE webhook_retries SET next_attempt_at = now(), locked_by = $1', [areTaken ? holder : null]);
};

const outcomes: Outcome[] = Array.from({ length: 60 }, (_, index) => ({
  record: `goal goal-${2 * index + 1}`,
  attempts: 3,
  failures: 3,
  pause: index % 4 > 0 ? undefined : 5,
  attempt: {
    eventId: `event ${index}`,
    type: 'goal.closed',
    sequence: 2 * index + 1,
    number: 3,
    outcome: index % 4 > 0 ? 'acknowledged' : 'failed',
    isAcknowledged: index % 4 > 0,
    status: index % 4 > 0 ? 204 : 500,
    milliseconds: 3,
  },
}));
const score = { hasSucceeded: true, failures: 0, failuresOnce: 0, hasProbeFailed: false, retryAfter: 0, isGone: false };

describe('among thousands of events and retries, no statement of a round reads more than its own', () => {
  beforeAll(async () => {
    const { caller, space, company } = await world.team();
    companyId = company.companyId;
    await world.sql(
      `INSERT INTO goals (company_id, space_id, id, name, company_level, space_level) SELECT $1, $2, 'goal-' || n, 'Goal', 70, 100 FROM generate_series(0, ${goals - 1}) n`,
      [companyId, space.id],
    );
    await world.sql(
      `INSERT INTO activities (company_id, action, author_id, goal_id, name, sequence)
       SELECT $1, 'goal_closed', $2, 'goal-' || CASE WHEN n % 2 = 0 THEN 0 ELSE n % ${goals} END, 'Goal', n FROM generate_series(1, ${events}) n`,
      [companyId, caller.id],
    );
    await world.sql(`UPDATE companies SET last_sequence = ${events} WHERE id = $1`, [companyId]);
    webhookId = await insertWebhook(world, companyId, 'https://example.com/', { position: events / 2 });
    await world.sql(
      `INSERT INTO webhook_retries (company_id, webhook_id, record, sequence, next_attempt_at, attempts, failures, last_error)
       SELECT $1, $2, 'goal goal-' || n, n, now(), 2, 2, 'status 500' FROM generate_series(1, ${goals - 1}, 2) n`,
      [companyId, webhookId],
    );
    await world.sql('VACUUM ANALYZE');
  });

  const steps: [string, Parameters<typeof prepare>[0], number, (db: Transaction) => Promise<unknown>][] = [
    ['acquireLeases', { isHeld: false }, 50, (db) => acquireLeases(db, companyId, 'new')],
    ['fill', {}, 1_500, (db) => fill(db, lease())],
    ['take', {}, 1_500, (db) => take(db, lease(), 60)],
    ['take of an endpoint that waits', { failures: 9 }, 1_500, (db) => take(db, lease(), 60)],
    ['finish', { areTaken: true }, 1_500, (db) => finish(db, lease(), outcomes, score)],
    ['releaseLease', {}, 450, (db) => releaseLease(db, lease())],
  ];
  test.each(steps)('%s', async (_, state, most, step) => {
    await prepare(state);
    const since = newId();
    const { statements } = await statementsOf(() => step(world.db.within(undefined)));
    await prepare(state);
    const plans = await plansOf(
      world.url,
      forAnother(
        new Map(),
        since,
        statements.filter(({ text }) => text.includes('webhook')),
      ),
    );
    expect(plans).toHaveLength(2);
    for (const { rows, sequential } of plans) {
      expect(sequential.filter((name) => ['activities', 'webhook_attempts'].includes(name))).toEqual([]);
      expect(rows).toBeLessThan(most);
    }
  });
});
