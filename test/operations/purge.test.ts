import { describe, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { purgeableFiles, purgeFiles } from '../../src/operations/purgeFiles.js';
import { changesOf, counts } from '../support/changes.js';
import { eventually } from '../support/eventually.js';
import { goalpost } from '../support/goalpost.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { startServer } from '../support/server.js';
import { createWorld, World } from '../support/world.js';

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

async function run(...args: string[]) {
  const { stdout, stderr } = await goalpost(args, { DATABASE_URL: world.url, LOG_LEVEL: 'warn' });
  return { lines: stdout.trimEnd().split('\n'), stderr };
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
    const other = new World(openModels({ url: world.url, poolSize: 2, preparedStatements }), world.url);
    await other.db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE resource_hub_files SET deleted_at = NULL WHERE id = ${file.id}`;
      expect(await purgeFiles(db, days(90))).toBe(0);
    });
    await other.close();
    expect(await db.resourceHubFile.findFirst({ where: { id: file.id } })).toMatchObject({ deletedAt: null });
  });
});

describe('a gateway', () => {
  test.each([
    ['purges nothing by itself', {}, false],
    ['purges what is older than FILE_RETENTION_DAYS', { FILE_RETENTION_DAYS: '90' }, true],
  ] as const)('%s', async (_, settings, isGone) => {
    const [old, recent] = [await deletedFile(100), await deletedFile(10)];
    const { stop } = await startServer({ DATABASE_URL: world.url, ...settings });
    const left = () => db.resourceHubFile.findMany({ where: { id: { in: [old.id, recent.id] } } });
    if (isGone) await eventually(async () => expect(await left()).toHaveLength(1));
    await stop();
    expect((await left()).map(({ id }) => id).sort()).toEqual((isGone ? [recent.id] : [old.id, recent.id]).sort());
    await purgeFiles(db, days(90));
  });
});

describe('goalpost purge', () => {
  test('lists the files and removes nothing; with --yes it removes them', async () => {
    const file = await deletedFile(100);
    await deletedFile(10);
    const dry = await run('purge', '--older-than', '90d');
    expect(dry.lines).toHaveLength(2);
    expect(dry.lines[1]).toContain(`${file.id}\t`);
    expect(dry.stderr).toContain('1 file would be removed for good. Nothing was removed: add --yes to remove it.');
    expect(await db.resourceHubFile.findFirst({ where: { id: file.id } })).not.toBeNull();

    const done = await run('purge', '--older-than', '90d', '--yes');
    expect(done.lines).toEqual(dry.lines);
    expect(done.stderr).toContain('Removed 1 file for good.');
    expect(await db.resourceHubFile.findFirst({ where: { id: file.id } })).toBeNull();
    expect((await run('purge', '--older-than', '90d')).lines).toHaveLength(1);
  });

  test('leaves a file that another table refers to, says so, and removes the others', async () => {
    const team = await world.team();
    const files = [];
    for (const age of [104, 103, 102, 101]) files.push(await deletedFile(age, team));
    const [first, left, ...others] = files.map(({ id }) => id);
    await world.sql(`CREATE TABLE attachments (company_id text, file_id text, CONSTRAINT attached
      FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id))`);
    await world.sql('INSERT INTO attachments VALUES ($1, $2)', [team.company.companyId, left]);
    const purge = () => goalpost(['purge', '--older-than', '90d', '--yes'], { DATABASE_URL: world.url });
    const { stdout, stderr, code } = await purge();
    await world.sql('DROP TABLE attachments');
    const printed = (text: string) =>
      text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')[0]);
    expect(printed(stdout)).toEqual([first, ...others]);
    expect(stderr).toMatch(new RegExp(`Left ${left} of .*"attached" on table "attachments"`));
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 file cannot be removed')]);
    expect(printed((await purge()).stdout)).toEqual([left]);
  });

  test.each(['90', '0d', '36501d'])('refuses the duration %j', async (duration) => {
    expect(await goalpost(['purge', '--older-than', duration], { DATABASE_URL: world.url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--older-than takes a duration such as 30d, 12h or 45m'),
    });
  });
});
