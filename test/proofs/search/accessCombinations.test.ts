import { expect, test } from 'vitest';
import { createWorld, type Json } from '../../support/world.js';
import { Ladder } from './isolation/ladder.js';

const world = await createWorld();

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

const company = await world.company();
const memberships = [false, true].flatMap((isMember) =>
  [false, true].flatMap((isGuest) => [false, true].map((isOwner) => ({ isMember, isGuest, isOwner }))),
);
const team = await Promise.all(
  memberships.map(async (membership) => {
    const type = membership.isGuest ? 'guest' : 'human';
    return { ...(await world.person(company, { type, isOwner: membership.isOwner })), ...membership };
  }),
);
const members = team.filter(({ isMember }) => isMember);
const space = await world.space(company, members);
const author = await world.person(company, { isOwner: true });

const permissionsAt = (level: number) => ({
  canView: level >= 10,
  canComment: level >= 40,
  canEdit: level >= 70,
  hasFullAccess: level >= 100,
});

const edits =
  'canCreateDocument canCreateFolder canCreateFile canEditDocument canEditFile canEditParentFolder canDeleteDocument canDeleteFile canDeleteFolder canCopyFolder canRenameFolder';
const hubPermissionsAt = (level: number) => ({
  canView: level >= 10,
  canCommentOnDocument: level >= 40,
  canCommentOnFile: level >= 40,
  ...Object.fromEntries(edits.split(' ').map((name) => [name, level >= 70])),
});

/** Combines a few steps of each ladder, so that each decides in some case. */
const combinations = (roles: Case['role'][]): Case[] =>
  [null, 40, 70].flatMap((grant) =>
    roles.flatMap((role) =>
      [0, 40, 70].flatMap((spaceLevel) =>
        [0, 40, 70].flatMap((companyLevel) =>
          memberships.map((membership) => ({ grant, role, spaceLevel, companyLevel, ...membership })),
        ),
      ),
    ),
  );

/** Sets up a case: who asks, the resource that decides, and what is looked at: a goal, or a file of a hub. */
async function furnish(kind: 'goal' | 'project' | 'space', one: Case) {
  const person = team.find(
    ({ isMember, isGuest, isOwner }) => isMember === one.isMember && isGuest === one.isGuest && isOwner === one.isOwner,
  ) as (typeof team)[number];
  const data = { companyLevel: one.companyLevel, spaceLevel: one.spaceLevel };
  const role = one.role && { [`${one.role}Id`]: person.id };
  const { id } =
    kind === 'space' ? await world.space(company, members, data) : await world[kind](space, { ...data, ...role });
  const on = { goal: { goalId: id }, project: { projectId: id }, space: { spaceId: id } }[kind];
  if (one.grant !== null) await world.grant(company, person, one.grant, on);
  const look = kind === 'goal' ? id : (await world.file(await world.hub(company, on), author)).id;
  return { name: JSON.stringify(one), person, id, look };
}

test.each([
  ['a goal', 'goal', [null, 'champion' as const, 'reviewer' as const]],
  ['the hub of a project', 'project', [null, 'champion' as const, 'reviewer' as const]],
  ['the hub of a space', 'space', [null]],
] as const)('the ladder of %s, in every combination, is what the permissions say', async (_, kind, roles) => {
  const furnished = [];
  for (const one of combinations([...roles])) furnished.push(await furnish(kind, one));
  const ladder = await Ladder.read(world);
  const [field, at] =
    kind === 'goal' ? (['goal', permissionsAt] as const) : (['resourceHubFile', hubPermissionsAt] as const);
  const [found, expected]: Json[] = [{}, {}];
  for (const { id, token } of team) {
    const asked = furnished.filter(({ person }) => person.id === id);
    // In batches, because the number of aliases in a query is limited.
    for (let from = 0; from < asked.length; from += 25) {
      const some = asked.slice(from, from + 25);
      const parts = some.map(
        ({ look }, index) => `r${index}: ${field}(id: "${look}") { permissions { ${Object.keys(at(0)).join(' ')} } }`,
      );
      const { body } = await world.graphql(token, `{ ${parts.join('\n')} }`);
      for (const [index, each] of some.entries()) {
        const level = ladder.levelOf(id, each.id);
        expected[each.name] = level < 10 ? null : at(level);
        found[each.name] = body.data[`r${index}`]?.permissions ?? null;
      }
    }
  }
  expect(Object.keys(found)).toHaveLength(furnished.length);
  expect(found).toEqual(expected);
});
