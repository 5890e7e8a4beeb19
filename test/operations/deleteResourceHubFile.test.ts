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

describe('deleting a file', () => {
  test.each([
    ['absent', 'REST', {}],
    ['null', 'GraphQL', { fileId: null }],
  ] as const)('with its id %s, on %s, does nothing and answers a null file', async (_, surface, input) => {
    const { caller } = await world.team();
    const [changes, outcome] = await changesOf(world, () =>
      perform(world, surface, 'deleteResourceHubFile', caller.token, input),
    );
    expect(outcome).toEqual({ status: 200, data: { file: null } });
    expect(changes).toEqual(nothing);
  });

  // Every caller on every record and surface is tried by test/access/isolationOfMutations.test.ts.
  test.each(surfaces)('to comment only is refused through %s, says so, and changes nothing', async (surface) => {
    const { caller, hub } = await world.teamWithHub('goal', { companyLevel: 0, spaceLevel: 40 });
    const { id: fileId } = await world.file(hub, caller);
    const [changes, outcome] = await changesOf(world, () =>
      perform(world, surface, 'deleteResourceHubFile', caller.token, { fileId }),
    );
    const members = { required_access: 70, your_access: 40 };
    expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN', members });
    expect(changes).toEqual(nothing);
  });
});

describe('what deleting writes', () => {
  test('is when and by whom, an activity and notifications; blob, comments, reactions and subscriptions stay', async () => {
    const { company, caller, hub } = await world.teamWithHub('goal');
    const follower = await world.person(company);
    const file = await world.file(hub, caller);
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [caller, follower]);
    await world.comment(follower, { fileId: file.id });
    await world.reaction(follower, { fileId: file.id });
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

  test('of twenty deletions at once through two gateways exactly one is 200, the others 404', async () => {
    const { company, caller, hub } = await world.teamWithHub('project');
    const gateways = [world, world.twin()];
    const file = await world.file(hub, caller);
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [await world.person(company)]);
    const attempt = (n: number) =>
      perform(gateways[n % 2] ?? world, n % 3 ? 'REST' : 'GraphQL', 'deleteResourceHubFile', caller.token, {
        fileId: file.id,
      });
    const [changes, outcomes] = await changesOf(world, () =>
      Promise.all(Array.from({ length: 20 }, (_, n) => attempt(n))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
    expect(counts(changes.added)).toEqual({ activities: 1, notifications: 1 });
  });
});

describe('who is notified of a deletion', () => {
  /** Deletes a file whose list has everybody on it, and says by name who was notified. */
  async function notified(parent: (typeof parents)[number], levels: Json, everyone?: boolean): Promise<string[]> {
    const { company, caller, space, hub } = await world.teamWithHub(parent, { spaceLevel: 100, ...levels });
    await world.sql('UPDATE people SET is_owner = true WHERE id = $1', [caller.id]);
    const suspendedAt = new Date();
    const people = {
      author: caller,
      member: await world.person(company),
      suspendedMember: await world.person(company, { suspendedAt }),
      employee: await world.person(company),
      guest: await world.person(company, { type: 'guest' }),
      canceledMember: await world.person(company),
    };
    const members = [people.member, people.suspendedMember, people.canceledMember];
    await db.spaceMember.createMany({
      data: members.map(({ id: personId }) => ({ ...company, spaceId: space.id, personId })),
    });
    const file = await world.file(hub, caller);
    const { member: _, canceledMember, ...followers } = people;
    if (everyone !== undefined)
      await world.subscribe(
        { companyId: file.companyId, fileId: file.id },
        [...Object.values(followers), { id: canceledMember.id, canceled: true }],
        everyone,
      );
    expect(await remove(caller.token, file.id)).toMatchObject({ status: 200 });
    const rows = await db.notification.findMany({ where: { activity: { fileId: file.id } } });
    const nameOf = (id: string) => Object.entries(people).find(([, person]) => person.id === id)?.[0] ?? id;
    return rows.map(({ personId }) => nameOf(personId)).sort();
  }

  test.each(parents)(
    'in the hub of a %s: its list, members too if it says so, and only who sees it',
    async (parent) => {
      expect(await notified(parent, {})).toEqual([]);
      expect(await notified(parent, {}, false)).toEqual(['employee']);
      expect(await notified(parent, {}, true)).toEqual(['employee', 'member']);
      expect(await notified(parent, { companyLevel: 0, spaceLevel: 0 }, true)).toEqual([]);
    },
  );
});

describe('a deleted file', () => {
  test('is answered as it was at deletion', async () => {
    const { caller, hub } = await world.teamWithHub('goal');
    const folder = await world.folder(hub, (await world.folder(hub)).id);
    const file = await world.file(hub, caller, { parentFolderId: folder.id, description: 'Q3', size: 5_000_000_000n });
    await world.subscribe({ companyId: file.companyId, fileId: file.id }, [caller]);
    await world.comment(caller, { fileId: file.id });
    await world.reaction(caller, { fileId: file.id });
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
});
