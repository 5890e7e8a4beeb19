import { describe, expect, test } from 'vitest';
import { changesOf, counts, nothing } from '../support/changes.js';
import { withFragments } from '../support/restFragments.js';
import { perform, type Surface, surfaces } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

const parents = ['space', 'goal', 'project'] as const;

const recover = (token: string, fileId: unknown, surface: Surface = 'REST') =>
  perform(world, surface, 'recoverResourceHubFile', token, { fileId });
const remove = (token: string, fileId: unknown) => perform(world, 'REST', 'deleteResourceHubFile', token, { fileId });
const fullFile = withFragments(
  'query ($id: ID!) { resourceHubFile(id: $id) { ...FileFields deletedAt deletedBy { id } } }',
);

describe.each(surfaces)('recovering a file through %s', (surface) => {
  test.each([
    ['absent', {}],
    ['null', { fileId: null }],
  ])('with its id %s does nothing and answers a null file', async (_, input) => {
    const { caller } = await world.team();
    const [changes, outcome] = await changesOf(world, () =>
      perform(world, surface, 'recoverResourceHubFile', caller.token, input),
    );
    expect(outcome).toEqual({ status: 200, data: { file: null } });
    expect(changes).toEqual(nothing);
  });

  const refused: [string, Json, Json][] = [
    ['an unknown one', { id: 'nobody-knows' }, { status: 404, code: 'NOT_FOUND' }],
    ['one of another company', { foreign: true }, { status: 404, code: 'NOT_FOUND' }],
    ['an invisible one', { level: 0 }, { status: 404, code: 'NOT_FOUND' }],
    ['an invisible one that is not deleted', { level: 0, deletedAt: null }, { status: 404, code: 'NOT_FOUND' }],
    [
      'one to view only',
      { level: 10 },
      { status: 403, code: 'FORBIDDEN', members: { required_access: 70, your_access: 10 } },
    ],
    [
      'one to comment only that is not deleted',
      { level: 40, deletedAt: null },
      { status: 403, code: 'FORBIDDEN', members: { required_access: 70, your_access: 40 } },
    ],
  ];
  // Every caller on every parent is tried by test/proofs/search/isolationOfMutations.test.ts.
  const parent = surface === 'REST' ? 'space' : 'goal';
  describe(`in the hub of a ${parent}`, () => {
    test.each(refused)(
      '%s is refused and nothing changes',
      async (_, { id, foreign, level = 100, ...data }, expected) => {
        const { caller, hub } = await world.teamWithHub(parent, { companyLevel: 0, spaceLevel: level });
        const there = foreign ? await world.teamWithHub(parent) : { caller, hub };
        const file = await world.file(there.hub, there.caller, { deletedAt: new Date(), ...data });
        const [changes, outcome] = await changesOf(world, () => recover(caller.token, id ?? file.id, surface));
        expect(outcome).toMatchObject({ members: {}, ...expected });
        expect(changes).toEqual(nothing);
      },
    );
  });

  test.each(parents)('one to edit in the hub of a %s is back', async (parent) => {
    const { caller, hub } = await world.teamWithHub(parent, { companyLevel: 0, spaceLevel: 70 });
    const file = await world.file(hub, caller, { deletedAt: new Date() });
    expect(await recover(caller.token, file.id, surface)).toEqual({
      status: 200,
      data: { file: expect.objectContaining({ id: file.id }) },
    });
    expect(await db.resourceHubFile.findFirst({ where: { id: file.id } })).toMatchObject({ deletedAt: null });
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

  test('is all or nothing: when the activity is refused, the file stays deleted', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const file = await world.file(hub, caller, { deletedAt: new Date() });
    await world.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER refuse AFTER INSERT ON activities FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const [changes, outcome] = await changesOf(world, () => recover(caller.token, file.id));
    await world.sql('DROP FUNCTION refuse CASCADE');
    expect(outcome).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
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
    await db.comment.create({
      data: { fileId: file.id, companyId: caller.companyId, authorId: caller.id, content: 'Nice' },
    });
    await db.reaction.create({
      data: { fileId: file.id, companyId: caller.companyId, personId: caller.id, emoji: '👍' },
    });
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
