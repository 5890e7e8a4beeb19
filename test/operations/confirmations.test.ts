import { describe, expect, test } from 'vitest';
import { confirmationOf, confirmationSeconds, sentenceOf } from '../../src/mcp/confirmations.js';
import { createToken } from '../../src/tokens.js';
import { Agent } from '../support/agent.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { company, caller, space, hub } = await world.teamWithHub('space');
const folder = await world.folder(hub);
const agent = new Agent(world, caller.token);
const reader = new Agent(world, caller.readOnlyToken);

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

await world.sql("INSERT INTO confirmation_secrets VALUES (1, sha256('secret')) ON CONFLICT DO NOTHING");
const [{ secret }] = await world.sql('SELECT secret FROM confirmation_secrets');
const [{ id: tokenId }] = await world.sql("SELECT id FROM api_tokens WHERE name = 'write' AND person_id = $1", [
  caller.id,
]);
const now = async () => {
  const [row] = await world.sql('SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now');
  return BigInt(row?.now);
};

/** The key of the change: its confirmation without the sentence. */
const keyOf = ({ confirmation }: Json): string => confirmation.replace(/^.* · /, '');

/** The confirmation that the token would have got so many seconds ago. */
async function earlier(seconds: number, fileId: string): Promise<Json> {
  const { preview } = await reader.data('preview_change', { delete_resource_hub_file: { file_id: fileId } });
  const confirmation = confirmationOf(secret, {
    ...company,
    tokenId,
    operation: 'deleteResourceHubFile',
    input: { fileId },
    sentence: 'Delete a file',
    state: preview.state,
    time: (await now()) - BigInt(Math.round(seconds * 1e6)),
  });
  return { file_id: fileId, confirmation };
}

describe.each(names)('%s', (name) => {
  test('makes exactly the change that was previewed, once', async () => {
    const { id, input } = await target(name);
    const shown = await agent.data('preview_change', { [name]: input });
    expect(shown).toMatchObject({ operation: name, preview: { would_change: true }, arguments: input });
    expect(shown.confirmation).toMatch(/^.+ · v2\.[0-9a-z]{10,11}\.[0-9a-f]{32}\.[\w-]{22}$/);
    expect(await activitiesOf(id)).toBe(0);
    const confirmed = { ...shown.arguments, confirmation: shown.confirmation };
    const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => agent.data(name, confirmed)));
    expect(await activitiesOf(id)).toBe(1);
    // Those that came while it was being done have waited for it.
    const outcomes = [first, ...others].map(({ replayed: _, ...outcome }) => outcome);
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect([first, ...others].filter(({ replayed }) => !replayed)).toHaveLength(1);
    const again = await agent.data(name, confirmed);
    expect(again).toEqual({ ...outcomes[0], replayed: true });
    expect(again.activity.token.name).toBe('write');
    expect(again.activity.surface).toBe('mcp');
  });

  test('changes nothing if the record has changed since the preview, and says so again', async () => {
    const { id, input } = await target(name);
    const confirmed = await agent.confirmed(name, input);
    await world.sql(changeElsewhere[name] as string, [id]);
    const failure = await agent.failure(name, confirmed);
    expect(failure).toMatchObject({ code: 'STATE_CHANGED', status: 409 });
    expect(failure.remedy).toMatch(/Call preview_change again/);
    const { preview } = await agent.data('preview_change', { [name]: input });
    expect(failure.state).toBe(preview.state);
    expect(await agent.failure(name, confirmed)).toMatchObject({ code: 'STATE_CHANGED', state: failure.state });
    expect(await activitiesOf(id)).toBe(0);
  });
});

test('takes no other argument than was previewed, nor another operation, another token or a forged confirmation', async () => {
  const name = 'restore_document_version';
  const { id, input } = await target(name);
  const other = { version_number: 2 };
  const confirmed = await agent.confirmed(name, input);
  const { confirmation } = confirmed;
  const wrong = [
    await agent.failure(name, { ...confirmed, ...other }),
    await (await tokenOf()).failure(name, confirmed),
    await agent.failure('reopen_goal', { ...(await target('reopen_goal')).input, confirmation }),
    await agent.failure(name, {
      ...confirmed,
      confirmation: confirmation.replace(/\.[0-9a-f]{32}\./, `.${'0'.repeat(32)}.`),
    }),
    await agent.failure(name, {
      ...confirmed,
      confirmation: confirmation.replace(/ v2\.[0-9a-z]+/, ' v2.zzzzzzzzzz'),
    }),
    await agent.failure(name, { ...confirmed, confirmation: `${confirmation.slice(0, -22)}${'A'.repeat(22)}` }),
    await agent.failure(name, { ...confirmed, confirmation: `Another sentence${confirmation.replace(/^.* ·/, ' ·')}` }),
  ];
  for (const each of wrong) {
    expect(each).toMatchObject({ code: 'BAD_USER_INPUT', status: 400, errors: [{ field: 'confirmation' }] });
    expect(each.errors[0].message).toMatch(/^is not for this change: .+ or call preview_change again$/);
  }
  for (const text of [
    confirmation.slice(0, -1),
    `${confirmation}A`,
    '',
    'v2.1.2.3',
    confirmation.replace(/^.* · /, ''),
  ]) {
    const { errors } = await agent.failure(name, { ...confirmed, confirmation: text });
    expect(errors[0].message).toBe('is no confirmation: copy it whole, or call preview_change for a new one');
  }
  for (const given of [
    input,
    { confirmation },
    { ...confirmed, confirmation: [confirmation] },
    { ...confirmed, more: 1 },
    {},
  ])
    expect((await agent.failure(name, given)).code).toBe('BAD_USER_INPUT');
  expect(await activitiesOf(id)).toBe(0);
  // After all that, it is still good.
  expect(await agent.data(name, confirmed)).toMatchObject({ replayed: false });
  expect((await agent.failure(name, { ...confirmed, ...other })).errors[0].message).toContain('not for this change');
  expect(await activitiesOf(id)).toBe(1);
});

test('the bytes of a confirmation stay as they are, so that gateways of two versions take the same', () => {
  const change = {
    companyId: 'company',
    tokenId: 'token',
    operation: 'reopenGoal',
    input: { id: 'goal', message: 'Zurück', subscriberIds: ['b', 'a'], sendNotificationsToEveryone: false },
    sentence: 'Reopen the goal "Plan"; notifies 2 people',
    state: 'e40b21db92c3b8117d5a794174510d7f',
    time: 1_795_640_400_123_456n,
  };
  const key = Buffer.alloc(32, 7);
  const expected =
    'Reopen the goal "Plan"; notifies 2 people · v2.hoi1t8679c.e40b21db92c3b8117d5a794174510d7f._DTUJOsL0IeAt7Dienm1jw';
  expect(confirmationOf(key, change)).toBe(expected);
  // The order of an input's fields does not matter; everything else does.
  const { id, ...others } = change.input;
  expect(confirmationOf(key, { ...change, input: { ...others, id } })).toBe(expected);
  const differing = [
    { ...change, companyId: 'another' },
    { ...change, tokenId: 'another' },
    { ...change, operation: 'another' },
    { ...change, input: { ...change.input, subscriberIds: ['a', 'b'] } },
    { ...change, sentence: 'another' },
    { ...change, state: 'another' },
    { ...change, time: change.time + 1n },
  ].map((each) => confirmationOf(key, each));
  expect(new Set([expected, ...differing, confirmationOf(Buffer.alloc(32, 8), change)]).size).toBe(9);
});

test.each([
  ['a”; notifies 0 people', "a'; notifies 0 people"],
  ['a＂; notifies nobody', "a'; notifies nobody"],
  ['a‟; notifies 0 people', "a'; notifies 0 people"],
  ['a″; notifies 0 people', "a'; notifies 0 people"],
  ["a''; notifies 0 people", "a'; notifies 0 people"],
  ['aʺ; notifies 0 people', "a'; notifies 0 people"],
  ['a״; notifies 0 people', "a'; notifies 0 people"],
  ['a〃; notifies 0 people', "a'; notifies 0 people"],
  ['a❞; notifies 0 people', "a'; notifies 0 people"],
  ['« quoted »', "' quoted '"],
  ['„a“ ‘b’ ‹c› 「d」', "'a' 'b' 'c' 'd'"],
  ['\u3164', '�'],
  ['\u115f\u1160\uffa0', '�'],
  ['\u2800\u2800', '�'],
  ['\u202egnp.ogol', '�gnp.ogol'],
  ['\u2066a\u2069\u200fb\u061c', '�a�b�'],
  ['one\ntwo\r\nthree\u2028four\u0085five\u000bsix', 'one two three four�five six'],
  ['a\u00a0\u3000 b\ufeff', 'a b'],
  ['p\u200bay\u00adroll\u{e0041}', 'p�ay�roll�'],
  ['\u0338\u20dda', '�a'],
  ['\u{1d159}\ue000\u{10fffe}', '�'],
  ['Ann’s 👨‍👩‍👧 and ❤️', "Ann's 👨‍👩‍👧 and ❤️"],
])('a name is shown as what it is in the sentence of a confirmation: %j', (name, shown) => {
  expect(
    sentenceOf('Delete the file {file.name}; notifies {notified.total_count} people', {
      file: { name },
      notified: { total_count: 3 },
    }),
  ).toBe(`Delete the file "${shown}"; notifies 3 people`);
});

test('a confirmation begins with what the person who approves the call can read, whatever names hold', async () => {
  const said = async (operation: string, input: Json) =>
    (await agent.confirmed(operation, input)).confirmation.replace(/ · v2\.[^ ]*$/, '');
  const follower = await world.person(company);
  const name = `Plan" \u202Eof\nall · v2.1.2.3 ${'x'.repeat(100)}`;
  const goal = await world.closedGoal(space, { name });
  expect(await said('reopen_goal', { id: goal.id, subscriber_ids: [follower.id] })).toBe(
    `Reopen the goal "Plan' �of all · v2.1.2.3 ${'x'.repeat(54)}…"; notifies 1 person`,
  );
  const file = await world.file(hub, caller, { name: 'Logo' });
  const { name: hubName } = await world.db.resourceHub.findUniqueOrThrow({
    where: { companyId_id: { ...company, id: hub.id } },
  });
  const inHub = `the file "Logo" in "${hubName}"`;
  expect(await said('delete_resource_hub_file', { file_id: file.id })).toBe(`Delete ${inHub}; notifies 0 people`);
  const document = await world.document(hub, caller);
  expect(await said('restore_document_version', { document_id: document.id, version_number: 1 })).toBe(
    'Restore version 1 of the document "Title 3", which has version 3',
  );
  const { activity } = await agent.data(
    'delete_resource_hub_file',
    await agent.confirmed('delete_resource_hub_file', { file_id: file.id }),
  );
  expect(await said('recover_resource_hub_file', { file_id: file.id })).toBe(`Recover ${inHub}`);
  expect(await said('undo_change', { activity_id: activity.id })).toMatch(
    /^Take back that a file of a hub was deleted: "Logo", by ".+"$/,
  );
});

test('null is as if it were not given', async () => {
  const { id } = await world.closedGoal(space);
  const { message: _, ...confirmed } = await agent.confirmed('reopen_goal', {
    id,
    message: null,
    subscriber_ids: null,
  });
  expect(Object.keys(confirmed)).toEqual(['id', 'confirmation']);
  const given = { ...confirmed, send_notifications_to_everyone: null, message: null };
  expect(await agent.data('reopen_goal', given)).toMatchObject({ replayed: false });
  expect(await agent.data('reopen_goal', confirmed)).toMatchObject({ replayed: true });
});

test('a confirmation expires by the clock of the database, unless it was used: then its outcome is returned', async () => {
  const [unused, used] = [await world.file(hub, caller), await world.file(hub, caller)];
  const old = await earlier(confirmationSeconds + 1, unused.id);
  for (let count = 0; count < 2; count += 1) {
    const { errors } = await agent.failure('delete_resource_hub_file', old);
    expect(errors).toEqual([
      { field: 'confirmation', code: 'invalid', message: 'has expired: call preview_change again' },
    ]);
  }
  const late = await earlier(confirmationSeconds - 3, used.id);
  const first = await agent.data('delete_resource_hub_file', late);
  const isOver = async () => {
    const { errors } = await agent.failure('delete_resource_hub_file', await earlier(confirmationSeconds, unused.id));
    return errors[0].message.startsWith('has expired') && (await now()) > sentUntil;
  };
  const sentUntil = (await now()) + 3_000_000n;
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
  expect(await agent.data('delete_resource_hub_file', late)).toEqual({ ...first, replayed: true });
  expect(await activitiesOf(unused.id)).toBe(0);
  expect(await activitiesOf(used.id)).toBe(1);
  // When the outcome is gone as well, nothing is made again, though the record is as it was.
  await world.sql('UPDATE resource_hub_files SET deleted_at = NULL, deleted_by_id = NULL WHERE id = $1', [used.id]);
  await world.sql("DELETE FROM idempotency_keys WHERE key LIKE 'v2.%'");
  expect((await agent.failure('delete_resource_hub_file', late)).errors[0].message).toContain('has expired');
  expect(await activitiesOf(used.id)).toBe(1);
});

test('an outcome is kept at least as long as its confirmation lasts, however short others are kept', async () => {
  const brief = new Agent(new World(world.db, world.url, { idempotencySeconds: 1 }), caller.token);
  const { id } = await world.file(hub, caller);
  const confirmed = await brief.confirmed('delete_resource_hub_file', { file_id: id });
  await brief.data('delete_resource_hub_file', confirmed);
  const [{ seconds }] = await world.sql(
    'SELECT extract(epoch FROM expires_at - now())::float8 AS seconds FROM idempotency_keys WHERE key = $1',
    [keyOf(confirmed)],
  );
  expect(seconds).toBeGreaterThan(confirmationSeconds - 30);
});

test('two previews of the same moment have confirmations of their own, which no log has', async () => {
  const { input } = await target('reopen_goal');
  const issued = await Promise.all([1, 2, 3, 4].map(() => agent.confirmed('reopen_goal', input)));
  expect(new Set(issued.map(({ confirmation }) => confirmation)).size).toBe(4);
  for (const { confirmation } of issued) expect(JSON.stringify(world.log)).not.toContain(confirmation.slice(-22));
});

test('the outcome of another surface with a confirmation as its key is not its outcome', async () => {
  const { id } = await world.file(hub, caller);
  const confirmed = await agent.confirmed('delete_resource_hub_file', { file_id: id });
  const elsewhere = (fileId: string, given: Json) =>
    world.post(restPaths.deleteResourceHubFile, caller.token, { file_id: fileId }, { 'Idempotency-Key': keyOf(given) });
  expect((await elsewhere(id, confirmed)).status).toBe(200);
  expect(await agent.failure('delete_resource_hub_file', confirmed)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  // Nor the other way round.
  const file = await world.file(hub, caller);
  const used = await agent.confirmed('delete_resource_hub_file', { file_id: file.id });
  await agent.data('delete_resource_hub_file', used);
  expect((await elsewhere(file.id, used)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await activitiesOf(id)).toBe(1);
});

test('an input that the operation refuses has no confirmation', async () => {
  const { id } = await world.closedGoal(space);
  const unknown = await agent.failure('preview_change', { reopen_goal: { id, subscriber_ids: ['nobody'] } });
  expect(unknown.errors).toEqual([{ field: 'subscriber_ids[0]', code: 'not_found', message: 'no person "nobody"' }]);
});

test('the token, its scopes and access are judged when the confirmation is used', async () => {
  const scoped = await tokenOf({ scopes: ['reopen_goal', 'delete_resource_hub_file'] });
  const { id, input } = await target('reopen_goal');
  const confirmed = await scoped.confirmed('reopen_goal', input);
  await world.sql("UPDATE api_tokens SET scopes = 'delete_resource_hub_file' WHERE scopes LIKE '%reopen_goal%'");
  // No command changes the scopes of a token. Whoever does it by SQL makes the next request come again.
  const first = await scoped.request('tools/call', { name: 'reopen_goal', arguments: confirmed });
  expect(first.body.result?.structuredContent ?? first.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await scoped.failure('reopen_goal', confirmed)).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
    missing_scopes: ['reopen_goal'],
  });
  const seen = await agent.confirmed('reopen_goal', input);
  await world.sql('UPDATE goals SET company_level = 10, space_level = 10 WHERE id = $1', [id]);
  expect((await agent.failure('reopen_goal', seen)).code).toBe('FORBIDDEN');
  expect(await activitiesOf(id)).toBe(0);
});
