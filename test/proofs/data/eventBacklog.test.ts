import { beforeAll, describe, expect, test } from 'vitest';
import type { ModelTransaction } from '../../../src/database.js';
import { eventSource } from '../../../src/events/source.js';
import { newId } from '../../../src/platform/postgres/values.js';
import { claim } from '../../../src/webhooks/claim.js';
import { complete, type Progress } from '../../../src/webhooks/complete.js';
import { acquireLease, releaseLease } from '../../../src/webhooks/lease.js';
import { insertWebhook } from '../../support/deliveries.js';
import { forAnother, plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const events = 20_000;
const goals = 400;

/** A company with many events, a webhook in the middle of them, and a retry for each goal. */
let companyId = '';
let webhookId = '';
const leaseId = 'held';
const lease = () => ({ companyId, webhookId, leaseId, epoch: 1 });
const hold = (isHeld: boolean) =>
  world.sql(
    isHeld
      ? "UPDATE webhooks SET lease_id = 'held', lease_until = now() + interval '1 minute'"
      : 'UPDATE webhooks SET lease_id = NULL, lease_until = NULL, due_at = now()',
  );

const progress: Progress = {
  position: events / 2 + 60,
  attempted: events / 2 + 60,
  attempts: Array.from({ length: 60 }, (_, index) => ({
    eventId: `event ${index}`,
    type: 'goal.closed',
    sequence: events / 2 + index + 1,
    number: 1,
    outcome: 'acknowledged',
    status: 204,
    reason: undefined,
    milliseconds: 3,
    response: undefined,
  })),
  parked: [{ record: 'goal goal-1', sequence: 1, failures: 1, attempted: 1, pause: 5 }],
  done: [{ record: 'goal goal-2', through: 2 }],
  sentOnce: [],
  failures: 0,
  waits: 0,
  wait: 0,
  failing: 'no',
  disabled: undefined,
};

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
      `INSERT INTO webhook_retries (company_id, webhook_id, record, sequence, due_at, failures)
       SELECT $1, $2, 'goal goal-' || n, n, now(), 2 FROM generate_series(1, ${goals - 1}, 2) n`,
      [companyId, webhookId],
    );
    await world.sql('VACUUM ANALYZE');
  });

  const steps: [string, boolean, number, (db: ModelTransaction) => Promise<unknown>][] = [
    ['claim', false, 50, (db) => acquireLease(db, eventSource, companyId, 'new')],
    ['take', true, 1_500, (db) => claim(db, eventSource, lease(), { failures: 0 })],
    ['take of an endpoint that waits', true, 1_500, (db) => claim(db, eventSource, lease(), { failures: 9 })],
    ['record', true, 700, (db) => complete(db, eventSource, lease(), progress)],
    ['release', true, 450, (db) => releaseLease(db, eventSource, lease())],
  ];
  test.each(steps)('%s', async (_, isHeld, most, step) => {
    await hold(isHeld);
    const since = newId();
    const { statements } = await statementsOf(() => step(world.db.within(undefined)));
    await world.sql('UPDATE webhook_retries SET due_at = now()');
    await hold(isHeld);
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
