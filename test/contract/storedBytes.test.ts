import { expect, test } from 'vitest';
import { eventCursor } from '../../src/events/event.js';
import { Prisma } from '../../src/generated/client/client.js';
import { cursorOf } from '../../src/lists/engine.js';
import { isExpected } from '../../src/operations/operation.js';
import { hashToken } from '../../src/tokens.js';
import { secretOf, signatureOf, signingSecrets } from '../../src/webhooks/signature.js';
import { createWorld } from '../support/world.js';

// What is kept and compared later, also by another version of the gateway. Who changes a byte of it refuses retries,
// cursors and signatures that were valid: make a new version beside this one instead.

const world = await createWorld();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('the fingerprint of a request with an Idempotency-Key', async () => {
  const company = await world.company();
  const caller = await world.person(company);
  const space = await world.space(company, [caller]);
  const key = { 'idempotency-key': 'pinned' };
  const kept = async () => {
    const rows = await world.db.idempotencyKey.findMany({ where: { companyId: company.companyId } });
    await world.db.idempotencyKey.deleteMany({ where: { companyId: company.companyId } });
    return rows.map(({ operation, fingerprint }) => [operation, hex(fingerprint)]);
  };
  await world.closedGoal(space, { id: 'pinned-goal' });
  await world.post('/api/external/v1/reopen_goal', caller.token, { message: 'Go', id: 'pinned-goal' }, key);
  expect(await kept()).toEqual([['reopenGoal', '34afb7023b7adb74e0ddfd04585a3e097640a650d3f40af56d94848a5cd81040']]);
  await world.graphql(caller.token, 'mutation { reopenGoal(input: { id: "pinned-goal" }) { goal { id } } }', {}, key);
  expect(await kept()).toEqual([['reopenGoal', '76c4c1837fad57db924f502c1eca6d04f8927fcd9bea92a627e4d1c6fa8a7dfd']]);
});

/** They have no version of their own: another form is told apart by how it begins, and both are read for a while. */
test('cursors', () => {
  const time = '2026-01-02T03:04:05.678Z';
  expect(cursorOf({ name: 'goals.name', key: 'text' }, { rank: 0, key: 'plan', id: 'g1' })).toBe(
    'WyJnb2Fscy5uYW1lIiwwLCJwbGFuIiwiZzEiXQ',
  );
  expect(cursorOf({ name: 'goals.insertedAt', key: 'timestamptz' }, { rank: 1, key: time, id: 'g1' })).toBe(
    'WyJnb2Fscy5pbnNlcnRlZEF0IiwxLCIyMDI2LTAxLTAyVDAzOjA0OjA1LjY3OFoiLCJnMSJd',
  );
  expect(eventCursor(42, 'event-1')).toBe('WyJldmVudHMiLDAsNDIsInpqYUdQMUcydXZuUiJd');
});

test('the state of a record', async () => {
  const { sql } = Prisma;
  const time = sql`'2026-01-02T03:04:05.678Z'::timestamptz(3)`;
  const rows = {
    goal: sql`SELECT 'g1'::text AS id, 'Plan'::text AS name, ${time} AS closed_at, 'p1'::text AS closed_by_id, true AS success, NULL::timestamptz(3) AS archived_at`,
    file: sql`SELECT 'f1'::text AS id, 'a.pdf'::text AS name, 'h1'::text AS resource_hub_id, NULL::text AS parent_folder_id, 'b1'::text AS blob_id, NULL::timestamptz(3) AS deleted_at, NULL::text AS deleted_by_id`,
    document: sql`SELECT 'd1'::text AS id, 'Notes'::text AS name, 'Text'::text AS content, 'h1'::text AS resource_hub_id, NULL::text AS parent_folder_id, 3 AS current_version, NULL::timestamptz(3) AS deleted_at`,
  };
  const states = {
    goal: 'f8e02cd49f4ed4d32b4f3dcc036789e5',
    file: 'a4c486c52ef9a97846a1d2346e7c3095',
    document: '4bdbb323b90a82b3babc6181fefbd79b',
  };
  for (const kind of ['goal', 'file', 'document'] as const) {
    const [row] = await world.db.$queryRaw<{ same: boolean; state: string }[]>(
      sql`SELECT ${isExpected(kind, 'r', states[kind])} AS same FROM (${rows[kind]}) r`,
    );
    expect(row, kind).toEqual({ same: true });
  }
});

test('secrets and signatures of webhooks, and hashes of tokens', () => {
  const key = 'a key of thirty-two characters...';
  const owner = { companyId: 'c1', id: 'w1', generation: 1 };
  const secret = secretOf(key, owner);
  expect(signingSecrets([key], { ...owner, generation: 2, older: [1] })).toContain(secret);
  expect(secret).toBe('whsec_Gzdk73DclnFWEDM/90OIS45l0hocCo6Yi4zoob5nj60=');
  expect(signatureOf([secret], 'msg_1', '1767323045', '{"type":"goal.reopened"}')).toBe(
    'v1,JRrbhMscW/1dYjcbqlfN0KpXcgXd44VkM/Qkj5xMtdw=',
  );
  expect(hex(hashToken('gp_0000000000000000000000000000000000000000000'))).toBe(
    'bf934d3ea63186ff3e0fb60f05af15405f9dedbe4bdbab1fb1b6968b1dc92dd0',
  );
});
