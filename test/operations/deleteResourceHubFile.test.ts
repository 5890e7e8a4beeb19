import { describe, expect, test } from 'vitest';
import { changesOf, counts, nothing } from '../support/changes.js';
import { withFragments } from '../support/restFragments.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

const parents = ['space', 'goal', 'project'] as const;

const remove = (token: string, fileId: unknown) => perform(world, 'REST', 'deleteResourceHubFile', token, { fileId });

const deleteFully = withFragments(
  'mutation ($id: ID!) { deleteResourceHubFile(input: { fileId: $id }) { file { ...FileFields } } }',
);
const fullFile = withFragments('query ($id: ID!) { resourceHubFile(id: $id) { ...FileFields } }');

describe.each(surfaces)('deleting a file through %s', (surface) => {
  test.each([
    ['absent', {}],
    ['null', { fileId: null }],
  ])('with its id %s does nothing and answers a null file', async (_, input) => {
    const { caller } = await world.team();
    const [changes, outcome] = await changesOf(world, () =>
      perform(world, surface, 'deleteResourceHubFile', caller.token, input),
    );
    expect(outcome).toEqual({ status: 200, data: { file: null } });
    expect(changes).toEqual(nothing);
  });

  const refused: [string, Json, Json][] = [
    ['an unknown one', { id: 'nobody-knows' }, { status: 404, code: 'NOT_FOUND' }],
    ['one of another company', { foreign: true }, { status: 404, code: 'NOT_FOUND' }],
    ['an invisible one', { level: 0 }, { status: 404, code: 'NOT_FOUND' }],
    ['a deleted one', { deletedAt: new Date() }, { status: 404, code: 'NOT_FOUND' }],
    [
      'one to view only',
      { level: 10 },
      { status: 403, code: 'FORBIDDEN', members: { required_access: 70, your_access: 10 } },
    ],
    [
      'one to comment only',
      { level: 40 },
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
        const file = await world.file(there.hub, there.caller, data);
        const [changes, outcome] = await changesOf(world, () =>
          perform(world, surface, 'deleteResourceHubFile', caller.token, { fileId: id ?? file.id }),
        );
        expect(outcome).toMatchObject({ members: {}, ...expected });
        expect(changes).toEqual(nothing);
      },
    );
  });

  test.each(parents)('one to edit in the hub of a %s is deleted', async (parent) => {
    const { caller, hub } = await world.teamWithHub(parent, { companyLevel: 0, spaceLevel: 70 });
    const file = await world.file(hub, caller);
    const outcome = await perform(world, surface, 'deleteResourceHubFile', caller.token, { fileId: file.id });
    expect(outcome).toEqual({ status: 200, data: { file: expect.objectContaining({ id: file.id }) } });
  });
});

describe('what deleting writes', () => {
  test('is when and by whom, an activity and notifications; blob, comments, reactions and subscriptions stay', async () => {
    const { company, caller, hub } = await world.teamWithHub('goal');
    const follower = await world.person(company);
    const file = await world.file(hub, caller);
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [caller, follower]);
    await db.comment.create({
      data: { fileId: file.id, companyId: follower.companyId, authorId: follower.id, content: 'Nice' },
    });
    await db.reaction.create({
      data: { fileId: file.id, companyId: follower.companyId, personId: follower.id, emoji: '👍' },
    });
    const [changes] = await changesOf(world, () => remove(caller.token, file.id));
    const fresh = { company_id: file.companyId, id: expect.any(String), inserted_at: expect.any(String) };
    const [activity] = changes.added.activities ?? [];
    expect(changes).toEqual({
      removed: {},
      changed: {
        resource_hub_files: [
          {
            id: file.id,
            deleted_at: [null, expect.any(String)],
            deleted_by_id: [null, caller.id],
            outcome_activity_id: [null, activity.id],
          },
        ],
      },
      added: {
        activities: [
          expect.objectContaining({
            ...fresh,
            action: 'resource_hub_file_deleted',
            author_id: caller.id,
            file_id: file.id,
            origin: 'api',
            name: file.name,
            surface: 'rest',
          }),
        ],
        notifications: [{ ...fresh, activity_id: activity.id, person_id: follower.id, read_at: null }],
      },
    });
  });

  test('is all or nothing: when the last row is refused, the file is still there', async () => {
    const { company, caller, hub } = await world.teamWithHub('space');
    const file = await world.file(hub, caller);
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [await world.person(company)]);
    await world.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER refuse AFTER INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const [changes, outcome] = await changesOf(world, () => remove(caller.token, file.id));
    await world.sql('DROP FUNCTION refuse CASCADE');
    expect(outcome).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(changes).toEqual(nothing);
  });

  test('of twenty deletions at once through two gateways exactly one is 200, the others 404', async () => {
    const { company, caller, hub } = await world.teamWithHub('project');
    const gateways = [world, world.twin()];
    for (let round = 0; round < 2; round++) {
      const file = await world.file(hub, caller);
      await world.subscribe({ companyId: file.companyId, fileId: file.id }, [await world.person(company)]);
      const [changes, outcomes] = await changesOf(world, () =>
        Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            perform(gateways[n % 2] ?? world, n % 3 ? 'REST' : 'GraphQL', 'deleteResourceHubFile', caller.token, {
              fileId: file.id,
            }),
          ),
        ),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
      expect(counts(changes.added)).toEqual({ activities: 1, notifications: 1 });
    }
  });
});

describe('who is notified of a deletion', () => {
  type Name =
    | 'member'
    | 'suspendedMember'
    | 'canceledMember'
    | 'employee'
    | 'guest'
    | 'canceled'
    | 'suspended'
    | 'author';
  const secret = { companyLevel: 0, spaceLevel: 0 };
  const all: Name[] = ['author', 'member', 'suspendedMember', 'employee', 'guest', 'suspended'];
  const cases: [string, Json, { following: Name[]; everyone?: boolean } | null, Name[]][] = [
    ['nobody, when there is no list', {}, null, []],
    ['nobody, when the list is empty', {}, { following: [] }, []],
    ['who follows the file', {}, { following: ['member', 'employee'] }, ['employee', 'member']],
    [
      'never the author, a suspended person, a guest without access or who has canceled',
      {},
      { following: all },
      ['employee', 'member'],
    ],
    ['the members of the space too, when the list says everyone', {}, { following: [], everyone: true }, ['member']],
    ['each person once', {}, { following: ['member', 'employee'], everyone: true }, ['employee', 'member']],
    ['nobody who cannot see the hub', secret, { following: all, everyone: true }, []],
  ];
  test.each(cases)('%s', async (_, levels, list, expected) => {
    for (const parent of parents) {
      const { company, caller, space, hub } = await world.teamWithHub(parent, { spaceLevel: 100, ...levels });
      await world.sql('UPDATE people SET is_owner = true WHERE id = $1', [caller.id]);
      const suspendedAt = new Date();
      const people: Record<Name, { id: string }> = {
        author: caller,
        member: await world.person(company),
        suspendedMember: await world.person(company, { suspendedAt }),
        canceledMember: await world.person(company),
        employee: await world.person(company),
        guest: await world.person(company, { type: 'guest' }),
        canceled: await world.person(company),
        suspended: await world.person(company, { suspendedAt }),
      };
      await db.spaceMember.createMany({
        data: (['member', 'suspendedMember', 'canceledMember'] as const).map((name) => ({
          ...company,
          spaceId: space.id,
          personId: people[name].id,
        })),
      });
      const file = await world.file(hub, caller);
      if (list) {
        const canceled = [people.canceled, people.canceledMember].map(({ id }) => ({ id, canceled: true }));
        await world.subscribe(
          { companyId: file.companyId, fileId: file.id },
          [...list.following.map((name) => people[name]), ...canceled],
          list.everyone,
        );
      }
      expect(await remove(caller.token, file.id)).toMatchObject({ status: 200 });
      const rows = await db.notification.findMany({ where: { activity: { fileId: file.id } } });
      const nameOf = (id: string) => Object.entries(people).find(([, person]) => person.id === id)?.[0];
      expect(rows.map(({ personId }) => nameOf(personId)).sort(), parent).toEqual(expected);
    }
  });
});

describe('a deleted file', () => {
  test('is answered as it was at deletion', async () => {
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
    const before = (await world.graphql(caller.token, fullFile, { id: file.id })).body.data.resourceHubFile;
    const answer = await world.graphql(caller.token, deleteFully, { id: file.id });
    // The folder appears as it is now: without the file.
    const folderNow = { ...before.parentFolder, childrenCount: before.parentFolder.childrenCount - 1 };
    expect(answer.body.data.deleteResourceHubFile.file).toEqual({
      ...before,
      parentFolder: folderNow,
      pathToFile: [before.pathToFile[0], folderNow],
    });
    expect(before).toMatchObject({ type: 'application/pdf', size: 5_000_000_000, commentsCount: 1 });
  });

  test('is gone from look-ups and from the count of its folder', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const folder = await world.folder(hub);
    const [file, other] = [
      await world.file(hub, caller, { parentFolderId: folder.id }),
      await world.file(hub, caller, { parentFolderId: folder.id }),
    ];
    const look = (id: string) =>
      world.graphql(caller.token, 'query ($id: ID!) { resourceHubFile(id: $id) { parentFolder { childrenCount } } }', {
        id,
      });
    expect((await look(other.id)).body.data.resourceHubFile.parentFolder.childrenCount).toBe(2);
    await remove(caller.token, file.id);
    expect((await look(other.id)).body.data.resourceHubFile.parentFolder.childrenCount).toBe(1);
    const gone = await look(file.id);
    const unknown = await look('nobody-knows');
    expect(gone.status).toBe(unknown.status);
    expect(gone.body.errors[0]).toMatchObject({
      message: `No file "${file.id}" exists, or you cannot see it.`,
      extensions: { code: 'NOT_FOUND' },
    });
    expect(await remove(caller.token, file.id)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
