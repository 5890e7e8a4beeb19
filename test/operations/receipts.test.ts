import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { longestInput, purgeReceipts } from '../../src/mcp/receipts.js';
import { createToken } from '../../src/tokens.js';
import { Agent } from '../support/agent.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { company, caller, space, hub } = await world.teamWithHub('space');
const folder = await world.folder(hub);
const agent = new Agent(world, caller.token);

const tokenOf = async (grants: Json = {}) =>
  new Agent(
    world,
    (await createToken(world.db, { ...company, personId: caller.id, name: 'agent', canWrite: true, ...grants })).token,
  );

/** Each operation on a record of its own, and how many activities of the record there are. */
const targets: Record<string, () => Promise<{ input: Json; id: string }>> = {
  async reopen_goal() {
    const { id } = await world.closedGoal(space);
    return { id, input: { id, message: 'Again' } };
  },
  async delete_resource_hub_file() {
    const { id } = await world.file(hub, caller);
    return { id, input: { file_id: id } };
  },
  async recover_resource_hub_file() {
    const { id } = await world.file(hub, caller, {
      deletedAt: new Date('2026-06-01T00:00:00Z'),
      deletedById: caller.id,
    });
    return { id, input: { file_id: id } };
  },
  async restore_document_version() {
    const { id } = await world.document(hub, caller);
    return { id, input: { document_id: id, version_number: 1 } };
  },
};
const names = Object.keys(targets);
const target = (name: string) => (targets[name] as () => Promise<{ input: Json; id: string }>)();

const activitiesOf = async (id: string) =>
  (await world.sql('SELECT id FROM activities WHERE $1 IN (goal_id, file_id, document_id)', [id])).length;

/** Makes the record another one than the preview showed. */
const changeElsewhere: Record<string, string> = {
  reopen_goal: "UPDATE goals SET name = 'Renamed' WHERE id = $1",
  delete_resource_hub_file: "UPDATE resource_hub_files SET name = 'Renamed' WHERE id = $1",
  recover_resource_hub_file: "UPDATE resource_hub_files SET name = 'Renamed' WHERE id = $1",
  restore_document_version: `UPDATE resource_hub_documents SET parent_folder_id = '${folder.id}' WHERE id = $1`,
};

const later = (seconds: number) =>
  world.sql(
    "UPDATE receipts SET inserted_at = inserted_at - $1 * interval '1 second', expires_at = expires_at - $1 * interval '1 second'",
    [seconds],
  );

describe.each(names)('%s', (name) => {
  test('makes exactly the change that its receipt is for, once', async () => {
    const { id, input } = await target(name);
    const preview = await agent.data('preview_change', { [name]: input });
    expect(preview).toMatchObject({ operation: name, preview: { would_change: true } });
    expect(preview.receipt).toMatch(/^rcpt_[\w-]{22}$/);
    expect(await activitiesOf(id)).toBe(0);
    const [first, ...others] = await Promise.all(
      [1, 2, 3, 4].map(() => agent.call(name, { receipt: preview.receipt })),
    );
    expect(await activitiesOf(id)).toBe(1);
    const again = await agent.data(name, { receipt: preview.receipt });
    const done = [first, ...others].filter(({ isError }) => !isError).map(({ structuredContent }) => structuredContent);
    expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(again).toEqual({ ...done[0], replayed: true });
    expect(again.activity.token.name).toBe('write');
    expect(again.activity.surface).toBe('mcp');
    // Those that came while it was being done are asked to come again.
    for (const { isError, structuredContent } of others.filter(({ isError }) => isError))
      expect({ isError, code: structuredContent.code }).toEqual({ isError: true, code: 'IDEMPOTENCY_KEY_IN_USE' });
  });

  test('changes nothing if the record has changed since the preview, and says so again', async () => {
    const { id, input } = await target(name);
    const receipt = await agent.receipt(name, input);
    await world.sql(changeElsewhere[name] as string, [id]);
    const failure = await agent.failure(name, { receipt });
    expect(failure).toMatchObject({ code: 'STATE_CHANGED', status: 409 });
    const { preview } = await agent.data('preview_change', { [name]: input });
    expect(failure.state).toBe(preview.state);
    expect(await agent.failure(name, { receipt })).toMatchObject({ code: 'STATE_CHANGED', state: failure.state });
    expect(await activitiesOf(id)).toBe(0);
  });

  test('takes no receipt of another operation, another token or nobody', async () => {
    const { id, input } = await target(name);
    const receipt = await agent.receipt(name, input);
    const other = names[(names.indexOf(name) + 1) % names.length] as string;
    const wrong = await agent.failure(other, { receipt });
    expect(wrong.errors).toEqual([
      { field: 'receipt', code: 'not_found', message: `is a receipt for ${name}: call that instead` },
    ]);
    const unknown = [
      await (await tokenOf()).failure(name, { receipt }),
      await agent.failure(name, { receipt: receipt.slice(0, -1) }),
      await agent.failure(name, { receipt: `${receipt}A` }),
      await agent.failure(name, { receipt: `rcpt_${'A'.repeat(22)}` }),
      await agent.failure(name, { receipt: '' }),
    ];
    for (const each of unknown) {
      expect(each).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
      expect(each.errors[0].message).toContain('is not a receipt of this token');
    }
    expect(await activitiesOf(id)).toBe(0);
  });

  test('takes the receipt and nothing else', async () => {
    const { id, input } = await target(name);
    const receipt = await agent.receipt(name, input);
    for (const given of [input, { receipt, ...input }, { receipt: 5 }, { receipt: [receipt] }, {}]) {
      expect((await agent.failure(name, given)).code).toBe('BAD_USER_INPUT');
    }
    expect(await activitiesOf(id)).toBe(0);
  });

  test('takes no receipt that has expired, unless it was used: then its outcome is returned', async () => {
    const [unused, used] = [await target(name), await target(name)];
    const receipts = [await agent.receipt(name, unused.input), await agent.receipt(name, used.input)];
    const first = await agent.data(name, { receipt: receipts[1] });
    await later(601);
    const expired = await agent.failure(name, { receipt: receipts[0] });
    expect(expired.errors[0].message).toBe('has expired: call preview_change for a new one');
    expect(await agent.data(name, { receipt: receipts[1] })).toEqual({ ...first, replayed: true });
    expect(await activitiesOf(unused.id)).toBe(0);
    expect(await activitiesOf(used.id)).toBe(1);
    await world.sql("DELETE FROM idempotency_keys WHERE key LIKE 'receipt-%'");
    expect((await agent.failure(name, { receipt: receipts[1] })).errors[0].message).toContain('is not a receipt');
    expect(await activitiesOf(used.id)).toBe(1);
  });
});

test('an outcome that is gone before its receipt expires is not made again', async () => {
  const { id } = await world.file(hub, caller);
  const receipt = await agent.receipt('delete_resource_hub_file', { file_id: id });
  await agent.data('delete_resource_hub_file', { receipt });
  await world.sql('UPDATE resource_hub_files SET deleted_at = NULL, deleted_by_id = NULL WHERE id = $1', [id]);
  await world.sql("DELETE FROM idempotency_keys WHERE key LIKE 'receipt-%'");
  const { errors } = await agent.failure('delete_resource_hub_file', { receipt });
  expect(errors[0].message).toContain('is not a receipt of this token, or not any more');
  expect(await activitiesOf(id)).toBe(1);
});

test('only the hash of a receipt is stored', async () => {
  const { input } = await target('reopen_goal');
  const receipt = await agent.receipt('reopen_goal', input);
  const hash = createHash('sha256').update(receipt).digest();
  expect(await world.sql('SELECT operation FROM receipts WHERE hash = $1', [hash])).toEqual([
    { operation: 'reopenGoal' },
  ]);
  const [{ text }] = await world.sql('SELECT string_agg(r::text, $1) AS text FROM receipts r', [' ']);
  expect(text).not.toContain(receipt.slice(5));
  expect(JSON.stringify(world.log)).not.toContain(receipt.slice(5));
});

test('a change that fails leaves its receipt to be used again', async () => {
  const { id, input } = await target('reopen_goal');
  const receipt = await agent.receipt('reopen_goal', input);
  await world.sql(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.goal_id = '${id}') EXECUTE FUNCTION refuse()`);
  expect(await agent.failure('reopen_goal', { receipt })).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  await world.sql('DROP TRIGGER refuse ON activities; DROP FUNCTION refuse');
  expect(await agent.data('reopen_goal', { receipt })).toMatchObject({ replayed: false });
  expect(await agent.data('reopen_goal', { receipt })).toMatchObject({ replayed: true });
  expect(await activitiesOf(id)).toBe(1);
});

test('the outcome of another surface with the key of a receipt is not its outcome', async () => {
  const { id } = await world.file(hub, caller);
  const receipt = await agent.receipt('delete_resource_hub_file', { file_id: id });
  const key = `receipt-${createHash('sha256').update(receipt).digest('hex')}`;
  const elsewhere = () =>
    world.post(restPaths.deleteResourceHubFile, caller.token, { file_id: id }, { 'Idempotency-Key': key });
  expect((await elsewhere()).status).toBe(200);
  expect(await agent.failure('delete_resource_hub_file', { receipt })).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
  await world.sql('DELETE FROM receipts');
  expect(await agent.failure('delete_resource_hub_file', { receipt })).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
  // Nor the other way round.
  const other = await world.file(hub, caller);
  const used = await agent.receipt('delete_resource_hub_file', { file_id: other.id });
  await agent.data('delete_resource_hub_file', { receipt: used });
  const body = { file_id: other.id };
  const again = await world.post(restPaths.deleteResourceHubFile, caller.token, body, {
    'Idempotency-Key': `receipt-${createHash('sha256').update(used).digest('hex')}`,
  });
  expect(again.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await activitiesOf(id)).toBe(1);
});

test('an input that is too long for a receipt is refused, and so is one that the operation refuses', async () => {
  const { id } = await world.closedGoal(space);
  const long = await agent.failure('preview_change', { reopen_goal: { id, message: 'x'.repeat(longestInput) } });
  expect(long).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ code: 'too_long' }] });
  const [{ count }] = await world.sql('SELECT count(*)::int AS count FROM receipts WHERE octet_length(input) > $1', [
    longestInput,
  ]);
  expect(count).toBe(0);
  const unknown = await agent.failure('preview_change', { reopen_goal: { id, subscriber_ids: ['nobody'] } });
  expect(unknown.errors).toEqual([{ field: 'subscriber_ids[0]', code: 'not_found', message: 'no person "nobody"' }]);
});

test('the token, its scopes and access are judged when the receipt is used', async () => {
  const scoped = await tokenOf({ scopes: ['reopen_goal', 'delete_resource_hub_file'] });
  const { id, input } = await target('reopen_goal');
  const receipt = await scoped.receipt('reopen_goal', input);
  await world.sql("UPDATE api_tokens SET scopes = 'delete_resource_hub_file' WHERE scopes LIKE '%reopen_goal%'");
  const redeem = () => scoped.request('tools/call', { name: 'reopen_goal', arguments: { receipt } });
  // No command changes the scopes of a token. Whoever does it by SQL makes the next request come again.
  expect(await redeem()).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
  const { status, body, headers } = await redeem();
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="reopen_goal"');
  const seen = await agent.receipt('reopen_goal', input);
  await world.sql('UPDATE goals SET company_level = 10, space_level = 10 WHERE id = $1', [id]);
  const refused = await agent.failure('reopen_goal', { receipt: seen });
  expect(refused.code).toBe('FORBIDDEN');
  expect(await activitiesOf(id)).toBe(0);
});

test('receipts are purged once they expire; one that was used is gone already', async () => {
  const purging = await tokenOf();
  const file = async () => {
    const { id } = await world.file(hub, caller);
    return purging.receipt('delete_resource_hub_file', { file_id: id });
  };
  await world.sql('DELETE FROM receipts');
  await file();
  await file();
  await purging.data('delete_resource_hub_file', { receipt: await file() });
  const count = async () => (await world.sql('SELECT hash FROM receipts')).length;
  expect(await count()).toBe(2);
  expect(await purgeReceipts(world.db, 'companies')).toBe(0);
  await later(601);
  expect(await purgeReceipts(world.db, 'companies', 1)).toBe(2);
  expect(await count()).toBe(0);
});
