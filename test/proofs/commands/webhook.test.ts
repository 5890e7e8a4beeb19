import { expect, test } from 'vitest';
import { purgeAttempts } from '../../../src/webhooks/operators.js';
import { insertWebhook } from '../../support/deliveries.js';
import { goalpost } from '../../support/goalpost.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const run = (...args: string[]) => goalpost(['webhook', ...args], { DATABASE_URL: world.url, LOG_LEVEL: 'warn' });

test('lists the webhooks of all companies, the one that is most behind first, and disables one', async () => {
  const [one, other] = [await world.company(), await world.company()];
  await world.sql('UPDATE companies SET last_sequence = 8 WHERE id = ANY ($1)', [[one.companyId, other.companyId]]);
  const behind = await insertWebhook(world, other.companyId, 'https://example.com/b', { position: 2, waits: 1 });
  const upToDate = await insertWebhook(world, one.companyId, 'https://example.com/\u001b[31ma', { position: 8 });

  const json = await run('list', '--json');
  expect(JSON.parse(json.stdout)).toEqual([
    {
      id: behind,
      companyId: other.companyId,
      url: 'https://example.com/b',
      state: 'failing',
      disabledReason: null,
      lag: 6,
      failingSince: null,
    },
    expect.objectContaining({ id: upToDate, state: 'active', lag: 0 }),
  ]);
  const { stdout, stderr } = await run('list');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['id', 'state', 'lag'],
    [behind, 'failing', '6'],
    [upToDate, 'active', '0'],
    [''],
  ]);
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toContain('Database: ');

  expect(await run('disable', behind)).toMatchObject({ code: 0, stdout: `disabled ${behind}\n` });
  expect((await run('list')).stdout).toContain('disabled (operator)');
  const again = await run('disable', behind);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain(`no enabled webhook has the id "${behind}"`);
});

test('the log of attempts is purged after its days, by the clock of the database', async () => {
  const { companyId } = await world.company();
  const id = await insertWebhook(world, companyId, 'https://example.com/', { slot: 3 });
  const insert = (days: number) =>
    world.sql(
      `INSERT INTO webhook_attempts (company_id, webhook_id, event_id, type, attempt, outcome, milliseconds, attempted_at)
       SELECT $1, $2, 'e', 'ping', 1, 'failed', 1, now() - make_interval(days => $3) FROM generate_series(1, 5)`,
      [companyId, id, days],
    );
  await insert(6);
  await insert(8);
  expect(await purgeAttempts(world.db, { days: 7, batch: 2 })).toBe(5);
  expect(await world.sql('SELECT id FROM webhook_attempts WHERE webhook_id = $1', [id])).toHaveLength(5);
});
