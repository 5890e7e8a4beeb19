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
  const { code, stdout } = await goalpost(['token', 'undo', agent.id, '--json'], { DATABASE_URL: world.url });
  const undone = (JSON.parse(stdout).changes as Json[]).filter(({ left }) => left === null);
  expect([code, undone.length]).toEqual([0, 520]);
  const deleted = 'SELECT count(*)::int AS count FROM resource_hub_files WHERE deleted_at IS NOT NULL';
  expect(await world.sql(deleted)).toEqual([{ count: 1 }]);
});
