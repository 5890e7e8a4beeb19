import { expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { goalpost } from '../../support/goalpost.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();

test('more changes than undo reads at once are all undone, and those of another token stay', async () => {
  const { company, caller, hub } = await world.teamWithHub('space');
  const token = (name: string) => createToken(world.db, { ...company, personId: caller.id, name, canWrite: true });
  const [agent, other] = [await token('agent'), await token('other')];
  const remove = async ({ token }: { token: string }) => {
    const { id } = await world.file(hub, caller);
    expect((await world.post(restPaths.deleteResourceHubFile, token, { file_id: id })).status).toBe(200);
  };
  for (let round = 0; round < 130; round += 1) await Promise.all([1, 2, 3, 4].map(() => remove(agent)));
  await remove(other);
  const undo = (...options: string[]) =>
    goalpost(['token', 'undo', agent.id, '--json', ...options], { DATABASE_URL: world.url });
  // A mistake in an option revokes nothing.
  expect(await undo('--as', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody') });
  await remove(agent);
  await world.sql(
    "UPDATE activities SET recorded_at = recorded_at - interval '3 hours' WHERE recorded_at < (SELECT max(recorded_at) FROM activities)",
  );
  const recent = await undo('--since', '2h', '--as', caller.id);
  expect(recent.stderr).toContain('undid 1 change, left 0');
  const { code, stdout } = await undo();
  const undone = (JSON.parse(stdout).changes as Json[]).filter(({ left }) => left === null);
  expect([code, undone.length]).toEqual([0, 520]);
  const deleted = 'SELECT count(*)::int AS count FROM resource_hub_files WHERE deleted_at IS NOT NULL';
  expect(await world.sql(deleted)).toEqual([{ count: 1 }]);
});
