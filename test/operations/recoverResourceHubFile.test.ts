import { describe, expect, test } from 'vitest';
import { changesOf, counts, nothing } from '../support/changes.js';
import { withFragments } from '../support/restFragments.js';
import { perform, type Surface } from '../support/surfaces.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();

const recover = (token: string, fileId: unknown, surface: Surface = 'REST') =>
  perform(world, surface, 'recoverResourceHubFile', token, { fileId });
const remove = (token: string, fileId: unknown) => perform(world, 'REST', 'deleteResourceHubFile', token, { fileId });
const fullFile = withFragments(
  'query ($id: ID!) { resourceHubFile(id: $id) { ...FileFields deletedAt deletedBy { id } } }',
);

describe('recovering a file', () => {
  test('with no id does nothing and answers a null file', async () => {
    const { caller } = await world.team();
    const [changes, outcome] = await changesOf(world, () => recover(caller.token, null));
    expect(outcome).toEqual({ status: 200, data: { file: null } });
    expect(changes).toEqual(nothing);
  });

  // Every caller on every record and surface is tried by test/access/isolationOfMutations.test.ts.
  test('to comment only is refused, deleted or not, and nothing changes', async () => {
    const { caller, hub } = await world.teamWithHub('goal', { companyLevel: 0, spaceLevel: 40 });
    for (const deletedAt of [new Date(), null]) {
      const file = await world.file(hub, caller, { deletedAt });
      const [changes, outcome] = await changesOf(world, () => recover(caller.token, file.id));
      const members = { required_access: 70, your_access: 40 };
      expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN', members });
      expect(changes).toEqual(nothing);
    }
  });
});

describe('what recovering writes', () => {
  test('is that the file is not deleted, and an activity; nobody is notified', async () => {
    const { company, caller, hub } = await world.teamWithHub('goal');
    const file = await world.file(hub, caller, { deletedAt: new Date(), deletedById: caller.id });
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [await world.person(company)], true);
    const [changes] = await changesOf(world, () => recover(caller.token, file.id));
    expect(changes).toEqual({
      removed: {},
      changed: {
        resource_hub_files: [
          {
            id: file.id,
            deleted_at: [expect.any(String), null],
            deleted_by_id: [caller.id, null],
            outcome_activity_id: [null, changes.added.activities?.[0].id],
          },
        ],
      },
      added: {
        activities: [
          expect.objectContaining({
            id: expect.any(String),
            inserted_at: expect.any(String),
            action: 'resource_hub_file_recovered',
            company_id: file.companyId,
            author_id: caller.id,
            file_id: file.id,
            origin: 'api',
            name: file.name,
            surface: 'rest',
          }),
        ],
      },
    });
  });

  test('is nothing when the file is not deleted', async () => {
    const { caller, hub } = await world.teamWithHub('project');
    const file = await world.file(hub, caller);
    const [changes, outcome] = await changesOf(world, () => recover(caller.token, file.id));
    expect(outcome).toMatchObject({ status: 200, data: { file: { id: file.id, name: file.name } } });
    expect(changes).toEqual(nothing);
  });

  test('of twenty recoveries at once through two gateways is one activity; all of them are 200', async () => {
    const { caller, hub } = await world.teamWithHub('project');
    const gateways = [world, world.twin()];
    const file = await world.file(hub, caller, { deletedAt: new Date() });
    const [changes, outcomes] = await changesOf(world, () =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          perform(gateways[n % 2] ?? world, n % 3 ? 'REST' : 'GraphQL', 'recoverResourceHubFile', caller.token, {
            fileId: file.id,
          }),
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(counts(changes.added)).toEqual({ activities: 1 });
  });
});

describe('a recovered file', () => {
  test('has everything it had before it was deleted', async () => {
    const { caller, hub } = await world.teamWithHub('goal');
    const folder = await world.folder(hub, (await world.folder(hub)).id);
    const file = await world.file(hub, caller, { parentFolderId: folder.id, description: 'Q3', size: 5_000_000_000n });
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [caller]);
    await world.comment(caller, { fileId: file.id });
    await world.reaction(caller, { fileId: file.id });
    const look = async () => (await world.graphql(caller.token, fullFile, { id: file.id })).body.data?.resourceHubFile;
    const before = await look();
    await remove(caller.token, file.id);
    expect(await look()).toBeFalsy();
    await recover(caller.token, file.id);
    expect(await look()).toEqual(before);
    expect(before).toMatchObject({ deletedAt: null, deletedBy: null });
  });

  test("is at the hub's root when its folder is gone; a folder with a file that is not deleted stays", async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const folder = await world.folder(hub);
    const [file, other] = [
      await world.file(hub, caller, { parentFolderId: folder.id }),
      await world.file(hub, caller, { parentFolderId: folder.id }),
    ];
    await remove(caller.token, file.id);
    const drop = () => world.sql('DELETE FROM resource_hub_folders WHERE id = $1', [folder.id]);
    await expect(drop()).rejects.toThrow(/foreign key/);
    await remove(caller.token, other.id);
    await drop();
    const { status, data } = await perform(world, 'REST', 'recoverResourceHubFile', caller.token, { fileId: file.id });
    expect(status).toBe(200);
    expect(data.file).toMatchObject({ parent_folder: null, parent_folder_id: null, path_to_file: [] });
  });
});
