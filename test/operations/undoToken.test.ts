import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { disableWebhooksOf } from '../../src/webhooks/operators.js';
import { acquireLeases, fill, finish, take } from '../../src/webhooks/queue.js';
import { undoToken } from '../support/undo.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();

async function scene() {
  const { company, caller, space, hub } = await world.teamWithHub('space');
  const owner = await world.person(company, { isOwner: true });
  const agent = await createToken(world.db, { ...company, personId: caller.id, name: 'agent', canWrite: true });
  const post = (token: string, operation: keyof typeof restPaths, body: Json) =>
    world.post(restPaths[operation], token, body);
  const run = async (operation: keyof typeof restPaths, body: Json, token = agent.token) =>
    expect((await post(token, operation, body)).status).toBe(200);
  /** What changes of the company: without the activities, which only grow. */
  const records = async () => {
    const of = (table: string, columns: string) =>
      world.sql(`SELECT id, ${columns} FROM ${table} WHERE company_id = $1 ORDER BY id`, [company.companyId]);
    return {
      goals: await of('goals', 'closed_at, closed_by_id, success'),
      files: await of('resource_hub_files', 'deleted_at IS NULL AS there'),
      documents: await of('resource_hub_documents', 'name, content'),
    };
  };
  /** As the application writes, without an activity. */
  const write = (table: string, columns: string, { id }: { id: string }) =>
    world.sql(`UPDATE ${table} SET ${columns} WHERE company_id = $1 AND id = $2`, [company.companyId, id]);
  return { company, caller, space, hub, owner, agent, post, run, records, write };
}

const shown = ({ changes }: Json) => changes.map(({ subjectId, left }: Json) => ({ subjectId, left }));

const undo = (id: string, options?: Parameters<typeof undoToken>[2]): Promise<Json> => undoToken(world, id, options);

const restored = (document: { id: string }, version: number, current: number) => ({
  document_id: document.id,
  version_number: version,
  expected_current_version: current,
});

describe('goalpost token undo', () => {
  test('lists what cannot be taken back, instead of passing over it', async () => {
    const { caller, space, agent, run } = await scene();
    const [goal, other] = [await world.closedGoal(space), await world.goal(space)];
    await run('reopenGoal', { id: goal.id });
    // As an operation would that has no inverse.
    const by = { tokenId: agent.id, surface: 'rest', origin: 'api' } as const;
    await world.activity(caller, { action: 'goal_closed', goalId: other.id, ...by });
    for (const dryRun of [true, false]) {
      const { changes } = await undo(agent.id, { dryRun });
      expect(changes.map(({ action, left }: Json) => [action, left])).toEqual([
        ['goal_closed', 'it cannot be taken back: no operation of this version makes it'],
        ['goal_reopened', null],
      ]);
    }
  });

  test('lists each change once, however many there are', async () => {
    const { company, caller, space, agent } = await scene();
    const goal = await world.goal(space);
    // Two of each time, so that a page ends between them.
    await world.sql(
      `INSERT INTO activities (company_id, id, action, author_id, goal_id, name, token_id, surface, origin, recorded_at)
       SELECT $1, 'activity' || n, 'goal_closed', $2, $3, 'Goal', $4, 'rest', 'api', '2026-01-01'::timestamptz + n / 2 * interval '1 s'
       FROM generate_series(1, 1102) n`,
      [company.companyId, caller.id, goal.id, agent.id],
    );
    const { changes } = await undo(agent.id, { dryRun: true });
    expect(changes).toHaveLength(1102);
    expect(new Set(changes.map(({ activityId }: Json) => activityId)).size).toBe(1102);
  });

  test('revokes the token, and every record is as it was before; run again it does nothing', async () => {
    const { company, caller, space, hub, agent, run, records, post, owner } = await scene();
    const follower = await world.person(company);
    const goal = await world.closedGoal(space, { closedById: caller.id, success: false });
    const [file, gone] = [await world.file(hub, caller), await world.file(hub, caller, { deletedAt: new Date() })];
    const document = await world.document(hub, caller);
    const before = await records();
    await run('reopenGoal', { id: goal.id, message: 'Again', subscriber_ids: [follower.id] });
    await run('deleteResourceHubFile', { file_id: file.id });
    await run('recoverResourceHubFile', { file_id: gone.id });
    // Several changes of one record.
    await run('restoreDocumentVersion', restored(document, 1, 3));
    await run('restoreDocumentVersion', restored(document, 2, 4));
    await run('recoverResourceHubFile', { file_id: file.id });
    await run('deleteResourceHubFile', { file_id: file.id });
    expect(await world.db.notification.count({ where: { ...company, activity: { goalId: goal.id } } })).toBe(1);

    const dry = await undo(agent.id, { dryRun: true });
    expect(dry.changes.map(({ action, left, undoneBy }: Json) => ({ action, left, undoneBy }))).toEqual(
      [
        'resource_hub_file_deleted',
        'resource_hub_file_recovered',
        'document_version_restored',
        'document_version_restored',
        'resource_hub_file_recovered',
        'resource_hub_file_deleted',
        'goal_reopened',
      ].map((action) => ({ action, left: null, undoneBy: null })),
    );
    expect((await world.graphql(agent.token, '{ viewer { token { id } } }')).status).toBe(200);

    const done = await undo(agent.id);
    expect(done.changes.map(({ left }: Json) => left)).toEqual(Array(7).fill(null));
    expect(await records()).toEqual(before);
    expect((await post(agent.token, 'reopenGoal', {})).status).toBe(401);
    expect(await world.db.notification.count({ where: { ...company, activity: { goalId: goal.id } } })).toBe(0);
    const versions = await world.sql(
      'SELECT version_number, content FROM document_versions WHERE company_id = $1 ORDER BY version_number',
      [company.companyId],
    );
    expect(versions.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'one', 'two', 'one', 'three']);

    // Each is an activity that names what it undoes, of origin api, of no token.
    const asked = await world.graphql(
      owner.token,
      `{ goal(id: "${goal.id}") { activities(first: 2) { nodes { id action token { id } undoes { id action } } } } }`,
    );
    const [closing, reopening] = asked.body.data.goal.activities.nodes;
    expect(closing).toMatchObject({
      action: 'GOAL_CLOSED',
      token: null,
      undoes: { id: reopening.id, action: 'GOAL_REOPENED' },
    });
    const undoing = await world.sql(
      'SELECT origin, author_id FROM activities WHERE company_id = $1 AND undoes_id IS NOT NULL',
      [company.companyId],
    );
    expect(undoing).toEqual(Array(7).fill({ origin: 'api', author_id: caller.id }));

    const again = await undo(agent.id);
    expect(again).toEqual({ changes: [], webhooks: [] });
    expect(await records()).toEqual(before);
  });

  test('withdraws only notifications that nobody has read', async () => {
    const { company, space, agent, run } = await scene();
    const [reader, other] = [await world.person(company), await world.person(company)];
    const goal = await world.closedGoal(space);
    await run('reopenGoal', { id: goal.id, subscriber_ids: [reader.id, other.id] });
    await world.sql('UPDATE notifications SET read_at = now() WHERE company_id = $1 AND person_id = $2', [
      company.companyId,
      reader.id,
    ]);
    await undo(agent.id);
    const left = await world.sql('SELECT person_id FROM notifications WHERE company_id = $1', [company.companyId]);
    expect(left).toEqual([{ person_id: reader.id }]);
  });

  test('leaves what others have built on, with the reason, and everything older of that record', async () => {
    const { caller, space, hub, agent, run, owner, company, write } = await scene();
    const [goal, archived] = [await world.closedGoal(space), await world.closedGoal(space)];
    const [document, edited] = [await world.document(hub, caller), await world.document(hub, caller)];
    const file = await world.file(hub, caller);
    // Others undo and do it in between, so that the record is again as the token left it.
    await run('deleteResourceHubFile', { file_id: file.id });
    await run('recoverResourceHubFile', { file_id: file.id }, owner.token);
    await run('deleteResourceHubFile', { file_id: file.id });
    // Between two restores of the token, somebody restores another version.
    await run('restoreDocumentVersion', restored(document, 1, 3));
    await run('restoreDocumentVersion', restored(document, 2, 4), owner.token);
    await run('restoreDocumentVersion', restored(document, 1, 5));
    // The main application writes without an activity.
    await run('restoreDocumentVersion', restored(edited, 1, 3));
    await world.sql(
      `WITH version AS (INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number, title,
         content, editor_id, origin) VALUES ($1, $2, 5, 4, 'New', 'new', $3, 'edited'))
       UPDATE resource_hub_documents SET name = 'New', content = 'new', current_version = 5 WHERE company_id = $1 AND id = $2`,
      [company.companyId, edited.id, caller.id],
    );
    await run('reopenGoal', { id: goal.id });
    await write('goals', 'closed_at = now(), success = true', goal);
    await run('reopenGoal', { id: archived.id });
    await write('goals', 'archived_at = now()', archived);
    const expected = [
      { subjectId: archived.id, left: 'it has been changed since' },
      { subjectId: goal.id, left: 'it has been changed since' },
      { subjectId: edited.id, left: 'it has been changed since' },
      { subjectId: document.id, left: null },
      { subjectId: document.id, left: expect.stringContaining(`document_version_restored by ${owner.fullName} at 20`) },
      { subjectId: file.id, left: null },
      { subjectId: file.id, left: expect.stringContaining(`resource_hub_file_recovered by ${owner.fullName} at 20`) },
    ];
    expect(shown(await undo(agent.id, { dryRun: true }))).toEqual(expected);
    expect(shown(await undo(agent.id))).toEqual(expected);
    const [now] = await world.sql('SELECT content FROM resource_hub_documents WHERE company_id = $1 AND id = $2', [
      company.companyId,
      document.id,
    ]);
    expect(now.content).toBe('two');
  });

  test('leaves what an import has removed or the application has archived since, with the reason', async () => {
    const { caller, space, hub, agent, run, records, write } = await scene();
    const [removed, archived] = [await world.closedGoal(space), await world.closedGoal(space)];
    const [deleted, recovered] = [
      await world.file(hub, caller),
      await world.file(hub, caller, { deletedAt: new Date() }),
    ];
    const document = await world.document(hub, caller);
    await run('reopenGoal', { id: removed.id });
    await run('reopenGoal', { id: archived.id });
    await run('deleteResourceHubFile', { file_id: deleted.id });
    await run('recoverResourceHubFile', { file_id: recovered.id });
    await run('restoreDocumentVersion', restored(document, 1, 3));
    const removal = 'removed_at = now(), deleted_at = coalesce(deleted_at, now())';
    await write('goals', 'removed_at = now()', removed);
    await write('goals', 'archived_at = now()', archived);
    for (const file of [deleted, recovered]) await write('resource_hub_files', removal, file);
    await write('resource_hub_documents', removal, document);
    const before = await records();
    const expected = [document, recovered, deleted, archived, removed].map(({ id }) => ({
      subjectId: id,
      left: 'it has been changed since',
      undoneBy: null,
    }));
    for (const dryRun of [true, false]) expect((await undo(agent.id, { dryRun })).changes).toMatchObject(expected);
    expect(await records()).toEqual(before);
  });

  test('leaves what the application has changed since without an activity, even if it looks the same again', async () => {
    const { caller, space, hub, agent, run, company, write } = await scene();
    const remove = (file: { id: string }) => write('resource_hub_files', 'deleted_at = now()', file);
    const recover = (file: { id: string }) =>
      write('resource_hub_files', 'deleted_at = NULL, deleted_by_id = NULL', file);
    const [deleted, recovered, between] = [
      await world.file(hub, caller),
      await world.file(hub, caller, { deletedAt: new Date() }),
      await world.file(hub, caller),
    ];
    const [goal, untouched] = [await world.closedGoal(space), await world.closedGoal(space)];
    await run('deleteResourceHubFile', { file_id: deleted.id });
    await recover(deleted);
    await remove(deleted);
    await run('recoverResourceHubFile', { file_id: recovered.id });
    await remove(recovered);
    await recover(recovered);
    await run('reopenGoal', { id: goal.id });
    await write('goals', 'closed_at = now(), success = true', goal);
    await write('goals', 'closed_at = NULL, success = NULL', goal);
    // Twice between two changes of the token, so that the second one seems to follow the first.
    await run('deleteResourceHubFile', { file_id: between.id });
    await recover(between);
    await remove(between);
    await run('recoverResourceHubFile', { file_id: between.id });
    // What is not the outcome may change, and an activity may arrive late.
    await run('reopenGoal', { id: untouched.id });
    await write('goals', "name = 'Renamed', description = 'Other'", untouched);
    const insertedAt = new Date(Date.now() - 86_400_000);
    await world.activity(caller, { action: 'goal_closed', goalId: untouched.id, insertedAt, origin: 'import' });
    const expected = [
      { subjectId: untouched.id, left: null },
      { subjectId: between.id, left: null },
      { subjectId: between.id, left: 'it has been changed since' },
      { subjectId: goal.id, left: 'it has been changed since' },
      { subjectId: recovered.id, left: 'it has been changed since' },
      { subjectId: deleted.id, left: 'it has been changed since' },
    ];
    expect(shown(await undo(agent.id, { dryRun: true }))).toEqual(expected);
    expect(shown(await undo(agent.id))).toEqual(expected);
    const files = await world.sql(
      'SELECT id FROM resource_hub_files WHERE company_id = $1 AND deleted_at IS NOT NULL ORDER BY id',
      [company.companyId],
    );
    expect(files.map(({ id }) => id)).toEqual([deleted.id, between.id].sort());
  });

  test('twice at once undoes each change once, and both say so', async () => {
    const { caller, hub, agent, run, company } = await scene();
    for (let n = 0; n < 10; n += 1) await run('deleteResourceHubFile', { file_id: (await world.file(hub, caller)).id });
    const both = await Promise.all([undo(agent.id), undo(agent.id)]);
    for (const { changes } of both) expect(changes.filter(({ left }: Json) => left !== null)).toEqual([]);
    const [undone] = await world.sql(
      'SELECT count(*)::int AS all, count(DISTINCT undoes_id)::int AS once FROM activities WHERE company_id = $1 AND undoes_id IS NOT NULL',
      [company.companyId],
    );
    expect(undone).toEqual({ all: 10, once: 10 });
  });

  test('disables the webhooks that it made, and no others', async () => {
    const { company, caller, agent } = await scene();
    await world.sql(
      "INSERT INTO webhooks (company_id, slot, url, token_id) VALUES ($1, 1, 'https://example.com/', $2), ($1, 2, 'https://example.org/', NULL)",
      [company.companyId, agent.id],
    );
    const token = { ...company, tokenId: agent.id, authorId: caller.id };
    for (const [hours, count] of [
      [-1, 1],
      [1, 0],
    ] as const) {
      const since = new Date(Date.now() + hours * 3_600_000);
      expect(await disableWebhooksOf(world.db, token, { since, dryRun: true })).toHaveLength(count);
    }
    expect((await undo(agent.id, { dryRun: true })).webhooks).toMatchObject([{ url: 'https://example.com/' }]);
    expect((await undo(agent.id)).webhooks).toMatchObject([{ url: 'https://example.com/' }]);
    const rows = await world.sql(
      `SELECT slot, updated_at = inserted_at AS "isAsOwnersLeftIt" FROM webhooks
       WHERE company_id = $1 AND disabled_reason = $2 AND disabled_at IS NOT NULL`,
      [company.companyId, 'operator'],
    );
    // `updatedAt` says when an owner last changed it.
    expect(rows).toEqual([{ slot: 1, isAsOwnersLeftIt: true }]);
  });

  test('ends what a gateway has in hand for such a webhook: it may send no more, and records nothing', async () => {
    const { company, agent, caller, space } = await scene();
    const { id: goalId } = await world.goal(space);
    const [{ id: webhookId }] = (await world.sql(
      "INSERT INTO webhooks (company_id, slot, url, token_id, next_attempt_at) VALUES ($1, 1, 'https://example.com/', $2, now()) RETURNING id",
      [company.companyId, agent.id],
    )) as [{ id: string }];
    const happen = (sequence: number) =>
      world.sql(
        `WITH numbered AS (UPDATE companies SET last_sequence = $4 WHERE id = $1)
         INSERT INTO activities (company_id, action, author_id, goal_id, name, sequence) VALUES ($1, 'goal_closed', $2, $3, 'Goal', $4)`,
        [company.companyId, caller.id, goalId, sequence],
      );
    await happen(1);
    const { leases } = await acquireLeases(world.db, company.companyId, 'lease');
    const [lease] = leases.filter((each) => each.webhookId === webhookId);
    if (!lease) throw new Error('the webhook is not due');
    await fill(world.db, lease);
    const taken = await take(world.db, lease, 10);
    expect(taken?.rows).toHaveLength(1);

    await undo(agent.id);
    const outcome = { record: `goal ${goalId}`, isSettled: true, attempts: 1, failures: 0, pause: 0 };
    const none = { failures: 0, failuresOnce: 0, hasProbeFailed: false, retryAfter: 0, isGone: false };
    expect(await finish(world.db, lease, [outcome], { hasSucceeded: true, ...none })).toBe(undefined);
    await happen(2);
    expect(await fill(world.db, lease)).toBe(undefined);
    expect(await take(world.db, lease, 10)).toBe(undefined);
    expect(await world.sql('SELECT position::int FROM webhooks WHERE id = $1', [webhookId])).toEqual([{ position: 1 }]);
    expect(await world.sql('SELECT sequence::int FROM webhook_retries WHERE webhook_id = $1', [webhookId])).toEqual([
      { sequence: 1 },
    ]);
  });

  test('undoes only what is newer than a moment, and in the name of another, if asked to', async () => {
    const { company, caller, hub, agent, run, owner } = await scene();
    const [old, recent] = [await world.file(hub, caller), await world.file(hub, caller)];
    await run('deleteResourceHubFile', { file_id: old.id });
    await world.sql(
      "UPDATE activities SET recorded_at = recorded_at - interval '3 hours' WHERE company_id = $1 AND file_id = $2",
      [company.companyId, old.id],
    );
    await run('deleteResourceHubFile', { file_id: recent.id });
    const { changes } = await undo(agent.id, { since: new Date(Date.now() - 2 * 3_600_000), as: owner.id });
    expect(changes).toMatchObject([{ subjectId: recent.id, left: null }]);
    const undone = await world.sql(
      'SELECT author_id, file_id FROM activities WHERE company_id = $1 AND undoes_id IS NOT NULL',
      [company.companyId],
    );
    expect(undone).toEqual([{ author_id: owner.id, file_id: recent.id }]);
    expect((await undo(agent.id)).changes).toMatchObject([{ subjectId: old.id, left: null }]);
  });
});
