import { describe, expect, test } from 'vitest';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** The grants of one person on one goal, project or space, and the levels of that resource. */
interface Case {
  grant: number | null;
  role: 'champion' | 'reviewer' | null;
  isMember: boolean;
  spaceLevel: number;
  isGuest: boolean;
  companyLevel: number;
  isOwner: boolean;
}

const nobody: Case = {
  grant: null,
  role: null,
  isMember: false,
  spaceLevel: 0,
  isGuest: false,
  companyLevel: 0,
  isOwner: false,
};

/** The ladder, written a second time: the tests compare it with what the product computes. */
function levelOf({ grant, role, isMember, spaceLevel, isGuest, companyLevel, isOwner }: Case): number {
  const steps = [0];
  if (grant !== null) steps.push(grant);
  if (role) steps.push(100);
  if (isMember) steps.push(spaceLevel);
  if (!isGuest) steps.push(companyLevel);
  if (isOwner) steps.push(100);
  return Math.max(...steps);
}

const permissionsAt = (level: number) => ({
  canView: level >= 10,
  canComment: level >= 40,
  canEdit: level >= 70,
  hasFullAccess: level >= 100,
});

const hubPermissionsAt = (level: number) => ({
  ...Object.fromEntries(['Document', 'File', 'Link'].map((kind) => [`canCommentOn${kind}`, level >= 40])),
  ...Object.fromEntries(
    'canCreateDocument canCreateFolder canCreateFile canCreateLink canEditDocument canEditFile canEditLink canEditParentFolder canDeleteDocument canDeleteFile canDeleteFolder canDeleteLink canCopyFolder canRenameFolder'
      .split(' ')
      .map((name) => [name, level >= 70]),
  ),
  canView: level >= 10,
});
const hubPermissions = Object.keys(hubPermissionsAt(0)).join(' ');

const company = await world.company();
const team = await Promise.all(
  [false, true].flatMap((isMember) =>
    [false, true].flatMap((isGuest) =>
      [false, true].map(async (isOwner) => ({
        ...(await world.person(company, { type: isGuest ? 'guest' : 'human', isOwner })),
        isMember,
        isGuest,
      })),
    ),
  ),
);
const members = team.filter(({ isMember }) => isMember);
const space = await world.space(company, members);
const author = await world.person(company, { isOwner: true });

const personOf = (wanted: Case) => {
  const person = team.find(
    (one) => one.isMember === wanted.isMember && one.isGuest === wanted.isGuest && one.isOwner === wanted.isOwner,
  );
  if (!person) throw new Error('no such person');
  return person;
};

type Kind = 'goal' | 'project' | 'space';

/** Sets up a case. The result includes the resource's hub, if the case asks for it. */
async function furnish(kind: Kind, one: Case) {
  const person = personOf(one);
  const data = { companyLevel: one.companyLevel, spaceLevel: one.spaceLevel };
  const role = one.role && { [`${one.role}Id`]: person.id };
  const { id } =
    kind === 'space'
      ? await world.space(company, members, data)
      : await world[kind](space, { ...data, ...role, ...(kind === 'goal' && { closedAt: new Date(), success: true }) });
  const on = { goal: { goalId: id }, project: { projectId: id }, space: { spaceId: id } }[kind];
  if (one.grant !== null) await world.grant(company, person, one.grant, on);
  return { person, id, hub: await world.hub(company, on) };
}

const every = <Value>(...values: Value[]) => values;

/** Combines a few steps of each ladder, so that each decides in some case. */
const combinations = (roles: Case['role'][]): Case[] =>
  every(null, 40, 70).flatMap((grant) =>
    roles.flatMap((role) =>
      every(0, 40, 70).flatMap((spaceLevel) =>
        every(0, 40, 70).flatMap((companyLevel) =>
          team.map(({ isMember, isGuest, isOwner }) => ({
            grant,
            role,
            spaceLevel,
            companyLevel,
            isMember,
            isGuest,
            isOwner,
          })),
        ),
      ),
    ),
  );

const shown = ({ grant, role, isMember, spaceLevel, isGuest, companyLevel, isOwner }: Case) =>
  `grant ${grant}, role ${role}, member ${isMember}: ${spaceLevel}, guest ${isGuest}: ${companyLevel}, owner ${isOwner}`;

describe('the ladder, in every combination', () => {
  test.each([
    ['a goal', 'goal', every(null, 'champion' as const, 'reviewer' as const)],
    ['the hub of a project', 'project', every(null, 'champion' as const, 'reviewer' as const)],
    ['the hub of a space', 'space', every(null)],
  ] as const)(
    'of %s is what the permissions say',
    async (_, kind, roles) => {
      const asked = new Map<string, { one: Case; id: string }[]>();
      const cases = combinations([...roles]);
      for (const one of cases) {
        const { person, id, hub } = await furnish(kind, one);
        const look = kind === 'goal' ? id : (await world.file(hub, author)).id;
        asked.set(person.token, [...(asked.get(person.token) ?? []), { one, id: look }]);
      }
      const found: Json = {};
      const expected: Json = {};
      const [field, permissions, at] =
        kind === 'goal'
          ? (['goal', 'canView canComment canEdit hasFullAccess', permissionsAt] as const)
          : (['resourceHubFile', hubPermissions, hubPermissionsAt] as const);
      for (const [token, looks] of asked) {
        // In batches, because the number of aliases in a query is limited.
        for (let from = 0; from < looks.length; from += 25) {
          const some = looks.slice(from, from + 25);
          const fields = some.map(
            ({ id }, index) => `r${index}: ${field}(id: "${id}") { permissions { ${permissions} } }`,
          );
          const { body } = await world.graphql(token, `{ ${fields.join('\n')} }`);
          for (const [index, { one }] of some.entries()) {
            const level = levelOf(one);
            expected[shown(one)] = level < 10 ? null : at(level);
            found[shown(one)] = body.data[`r${index}`]?.permissions ?? null;
          }
        }
      }
      expect(Object.keys(found)).toHaveLength(cases.length);
      expect(found).toEqual(expected);
    },
    60_000,
  );
});

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
    await db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: 10 } });
    expect(await perform(world, 'REST', 'reopenGoal', person.token, { id: goal.id })).toMatchObject(outcomeAt(10));
  });
});
