import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { commandOutput, goalpost } from '../../support/goalpost.js';
import { startServer } from '../../support/server.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const { db } = world;
const settings = { DATABASE_URL: world.url };

/** Files that were deleted 100 and 10 days ago, and nobody purged since. */
async function deletedFiles() {
  const { caller, hub } = await world.teamWithHub('space');
  const at = (daysAgo: number) => ({ deletedAt: new Date(Date.now() - daysAgo * 86_400_000) });
  return [await world.file(hub, caller, at(100)), await world.file(hub, caller, at(10))] as const;
}

const there = async (files: readonly { id: string }[]) =>
  (await db.resourceHubFile.findMany({ where: { id: { in: files.map(({ id }) => id) } } })).map(({ id }) => id).sort();

describe('a gateway', () => {
  test.each([
    ['purges nothing by itself', {}, false],
    ['purges what is older than FILE_RETENTION_DAYS', { FILE_RETENTION_DAYS: '90' }, true],
  ] as const)('%s', async (_, own, isGone) => {
    const files = await deletedFiles();
    const { stop } = await startServer({ ...settings, ...own });
    if (isGone) await eventually(async () => expect(await there(files)).toHaveLength(1));
    await stop();
    expect(await there(files)).toEqual((isGone ? [files[1].id] : files.map(({ id }) => id)).sort());
    await commandOutput(['purge', '--older-than', '90d', '--yes'], settings);
  });
});

describe('goalpost purge', () => {
  const run = async (...options: string[]) => {
    const { stdout, stderr, code } = await goalpost(['purge', '--older-than', '90d', ...options], settings);
    return { lines: stdout.trimEnd().split('\n'), stderr, code };
  };

  test('lists the files and removes nothing; with --yes it removes them', async () => {
    const files = await deletedFiles();
    const dry = await run();
    expect(dry.lines).toHaveLength(2);
    expect(dry.lines[1]).toContain(`${files[0].id}\t`);
    expect(dry.stderr).toContain('1 file would be removed for good. Nothing was removed: add --yes to remove it.');
    expect(await there(files)).toHaveLength(2);

    const done = await run('--yes');
    expect(done.lines).toEqual(dry.lines);
    expect(done.stderr).toContain('Removed 1 file for good.');
    expect(await there(files)).toEqual([files[1].id]);
    expect((await run()).lines).toHaveLength(1);
  });

  test('says which file it has left, as another table refers to it', async () => {
    const [{ id, companyId }] = await deletedFiles();
    await world.sql(`CREATE TABLE attachments (company_id text, file_id text, CONSTRAINT attached
      FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id))`);
    await world.sql('INSERT INTO attachments VALUES ($1, $2)', [companyId, id]);
    const { code, stderr, lines } = await run('--yes');
    expect([code, lines.length]).toEqual([1, 1]);
    expect(stderr).toMatch(new RegExp(`Left ${id} of .*"attached" on table "attachments"`));
    expect(stderr).toContain('1 file cannot be removed');
  });

  test('refuses a duration without a unit', async () => {
    expect(await goalpost(['purge', '--older-than', '90'], settings)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--older-than takes a duration such as 30d, 12h or 45m'),
    });
  });
});
