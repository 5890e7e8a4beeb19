import { describe, expect, test } from 'vitest';
import { readDuration } from '../../src/commands/token.js';
import { type KeptFile, type PurgedFile, purgeableFiles, purgeFiles } from '../../src/operations/purgeFiles.js';
import { changesOf, counts } from '../support/changes.js';
import { createWorld, type World } from '../support/world.js';

const world = await createWorld();
const { db } = world;

const days = (count: number) => count * 86_400_000;

type Team = Awaited<ReturnType<World['team']>>;

/** A file with everything that can hang on one, deleted some days ago, or not at all. */
async function deletedFile(daysAgo: number | null, team?: Team) {
  const { company, caller, space } = team ?? (await world.team());
  const follower = await world.person(company);
  const file = await world.file(await world.hub(company, { spaceId: space.id }), caller);
  await world.subscribe({ companyId: file.companyId, fileId: file.id }, [caller, follower]);
  const comment = await world.comment(follower, { fileId: file.id });
  await world.reaction(follower, { fileId: file.id });
  await world.reaction(caller, { commentId: comment.id });
  const { id: activityId } = await world.activity(caller, {
    action: 'resource_hub_file_created',
    fileId: file.id,
    notifications: { create: { personId: follower.id } },
  });
  const thread = await db.commentThread.create({ data: { ...company, activityId, message: 'Look' } });
  await world.subscribe({ ...company, threadId: thread.id }, [follower]);
  await world.comment(follower, { threadId: thread.id });
  await world.sql(`UPDATE resource_hub_files SET deleted_at = now() - $2 * interval '1 day' WHERE id = $1`, [
    file.id,
    daysAgo,
  ]);
  return file;
}

describe('purging deleted files', () => {
  test('removes what was deleted before the moment, with everything that hangs on it, and nothing else', async () => {
    const team = await world.team();
    for (const other of [team, undefined]) for (const daysAgo of [null, 10]) await deletedFile(daysAgo, other);
    // What other tests have left in the database.
    await purgeFiles(db, days(90));
    const old = await deletedFile(100, team);
    const [changes, count] = await changesOf(world, () => purgeFiles(db, days(90)));
    expect(count).toBe(1);
    expect({ added: changes.added, changed: changes.changed }).toEqual({ added: {}, changed: {} });
    expect(counts(changes.removed)).toEqual({
      resource_hub_files: 1,
      blobs: 1,
      activities: 1,
      notifications: 1,
      comment_threads: 1,
      comments: 2,
      reactions: 2,
      subscription_lists: 2,
      subscriptions: 3,
    });
    expect(changes.removed.resource_hub_files).toMatchObject([{ id: old.id }]);
  });

  test('takes one batch after the other, and says what it removed', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    await world.sql(
      `WITH blob AS (
         INSERT INTO blobs (company_id, filename, size, content_type, url)
         SELECT $3, 'plan.pdf', n, 'application/pdf', 'https://files.example.com/' || n FROM generate_series(1, 450) n
         RETURNING id
       )
       INSERT INTO resource_hub_files (company_id, resource_hub_id, name, author_id, blob_id, deleted_at)
       SELECT $3, $1, 'Plan', $2, id, now() - interval '1 year' FROM blob`,
      [hub.id, caller.id, hub.companyId],
    );
    const batches: number[] = [];
    expect(await purgeFiles(db, days(90), { onPurged: (files) => batches.push(files.length) })).toBe(450);
    expect(batches).toEqual([200, 200, 50]);
    expect(await purgeableFiles(db, days(90))).toEqual([]);
  });

  test('passes over a file that is being recovered, which is then there', async () => {
    const file = await deletedFile(100);
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE resource_hub_files SET deleted_at = NULL WHERE id = ${file.id}`;
      expect(await purgeFiles(db, days(90))).toBe(0);
    });
    expect(await db.resourceHubFile.findFirst({ where: { id: file.id } })).toMatchObject({ deletedAt: null });
  });
});

test('leaves a file that another table refers to, says so, and removes the others', async () => {
  const team = await world.team();
  const files = [];
  for (const age of [104, 103, 102, 101]) files.push(await deletedFile(age, team));
  const [first, left, ...others] = files.map(({ id }) => id);
  await world.sql(`CREATE TABLE attachments (company_id text, file_id text, CONSTRAINT attached
    FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id))`);
  await world.sql('INSERT INTO attachments VALUES ($1, $2)', [team.company.companyId, left]);
  const [purged, kept]: [string[], KeptFile[]] = [[], []];
  const onPurged = (batch: PurgedFile[]) => purged.push(...batch.map(({ id }) => id));
  const count = await purgeFiles(db, days(90), { onPurged, onKept: (file) => kept.push(file) });
  await world.sql('DROP TABLE attachments');
  expect([count, purged]).toEqual([3, [first, ...others]]);
  expect(kept).toMatchObject([{ id: left, reason: expect.stringMatching(/"attached" on table "attachments"/) }]);
  expect((await purgeableFiles(db, days(90))).map(({ id }) => id)).toEqual([left]);
  await purgeFiles(db, days(90));
});

test.each(['90', '0d', '36501d'])('the duration %j is refused', (duration) => {
  expect(() => readDuration('--older-than', duration)).toThrow(
    '--older-than takes a duration such as 30d, 12h or 45m, at most 36500d, not ',
  );
});
