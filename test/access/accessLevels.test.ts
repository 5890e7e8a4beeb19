import { describe, expect, test } from 'vitest';
import { accessCases, type Case, type Kind, levelOf, nobody } from '../support/accessCases.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const { space, author, personOf, furnish } = await accessCases(world);

/** Each step of each ladder alone, with whatever must not raise it. */
const single: [string, Case][] = [
  ...[0, 10, 40, 70, 100].map((level): [string, Case] => [`a personal grant of ${level}`, { ...nobody, grant: level }]),
  ...[40, 70].flatMap((level): [string, Case][] => {
    const guest = { ...nobody, isGuest: true, companyLevel: 100 };
    const member = { ...nobody, isMember: true, spaceLevel: level };
    return [
      [`a guest with a personal grant of ${level}`, { ...guest, grant: level }],
      [`a member of a space that gives ${level}`, member],
      [`a guest member of a space that gives ${level}`, { ...guest, ...member, isGuest: true }],
      [`anyone of a company that gives ${level}`, { ...nobody, companyLevel: level, spaceLevel: 100 }],
    ];
  }),
  ['a guest of a company that gives 100', { ...nobody, isGuest: true, companyLevel: 100, spaceLevel: 100 }],
  ['the owner', { ...nobody, isOwner: true }],
  ['the champion, whatever was granted', { ...nobody, role: 'champion', grant: 10 }],
  ['the reviewer, a guest', { ...nobody, role: 'reviewer', isGuest: true }],
];

const outcomeAt = (level: number): Json => {
  if (level < 10) return { status: 404, code: 'NOT_FOUND' };
  if (level < 70) return { status: 403, code: 'FORBIDDEN', members: { required_access: 70, your_access: level } };
  return { status: 200 };
};

/** A new target of each operation, as its input. */
const targets = {
  reopenGoal: async ({ id }: Furnished) => ({ id }),
  deleteResourceHubFile: async ({ hub }: Furnished) => ({ fileId: (await world.file(hub, author)).id }),
  restoreDocumentVersion: async ({ hub }: Furnished) => ({
    documentId: (await world.document(hub, author, ['one', 'two'])).id,
    versionNumber: 1,
    expectedCurrentVersion: 2,
  }),
};
type Furnished = Awaited<ReturnType<typeof furnish>>;
type Attempted = keyof typeof targets;

const attempts: [Attempted, Kind, string][] = [
  ['reopenGoal', 'goal', 'goal'],
  ...(['goal', 'project', 'space'] as const).flatMap((kind): [Attempted, Kind, string][] => [
    ['deleteResourceHubFile', kind, 'resourceHubFile'],
    ['restoreDocumentVersion', kind, 'resourceHubDocument'],
  ]),
];

describe.each(attempts)('%s with a %s', (operation, kind, field) => {
  test.each(single.filter(([, { role }]) => !(role && kind === 'space')))('by %s', async (_, one) => {
    const level = levelOf(one);
    for (const surface of surfaces) {
      const furnished = await furnish(kind, one);
      const { person } = furnished;
      const input: Json = await targets[operation](furnished);
      const id = Object.values(input)[0];
      const query = await world.graphql(person.token, `query ($id: ID!) { ${field}(id: $id) { id } }`, { id });
      if (level < 10) expect(query.body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
      else expect(query.body.data).toEqual({ [field]: { id } });
      expect(await perform(world, surface, operation, person.token, input), surface).toMatchObject(outcomeAt(level));
    }
  });
});

describe('public access', () => {
  test('marks a resource and gives nobody access', async () => {
    const person = personOf(nobody);
    const goal = await world.closedGoal(space, { publicLevel: 100, companyLevel: 0, spaceLevel: 0 });
    expect(await perform(world, 'REST', 'reopenGoal', person.token, { id: goal.id })).toMatchObject(outcomeAt(0));
    await db.prisma.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: 10 } });
    expect(await perform(world, 'REST', 'reopenGoal', person.token, { id: goal.id })).toMatchObject(outcomeAt(10));
  });
});
