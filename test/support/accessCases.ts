import { Ladder } from '../proofs/search/isolation/ladder.js';
import type { Json, World } from './world.js';

/** The grants of one person on one goal, project or space, and the levels of that resource. */
export interface Case {
  grant: number | null;
  role: 'champion' | 'reviewer' | null;
  isMember: boolean;
  spaceLevel: number;
  isGuest: boolean;
  companyLevel: number;
  isOwner: boolean;
}

export type Kind = 'goal' | 'project' | 'space';

const permissionsAt = (level: number) => ({
  canView: level >= 10,
  canComment: level >= 40,
  canEdit: level >= 70,
  hasFullAccess: level >= 100,
});

const hubPermissionsAt = (level: number) => ({
  ...Object.fromEntries(['Document', 'File'].map((kind) => [`canCommentOn${kind}`, level >= 40])),
  ...Object.fromEntries(
    'canCreateDocument canCreateFolder canCreateFile canEditDocument canEditFile canEditParentFolder canDeleteDocument canDeleteFile canDeleteFolder canCopyFolder canRenameFolder'
      .split(' ')
      .map((name) => [name, level >= 70]),
  ),
  canView: level >= 10,
});

const shown = ({ grant, role, isMember, spaceLevel, isGuest, companyLevel, isOwner }: Case) =>
  `grant ${grant}, role ${role}, member ${isMember}: ${spaceLevel}, guest ${isGuest}: ${companyLevel}, owner ${isOwner}`;

/** A company with a person of each membership, and what compares the permissions of cases with the ladder. */
export async function accessCases(world: World) {
  const company = await world.company();
  const team = await Promise.all(
    [false, true].flatMap((isMember) =>
      [false, true].flatMap((isGuest) =>
        [false, true].map(async (isOwner) => ({
          ...(await world.person(company, { type: isGuest ? 'guest' : 'human', isOwner })),
          isMember,
          isGuest,
          isOwner,
        })),
      ),
    ),
  );
  const members = team.filter(({ isMember }) => isMember);
  const space = await world.space(company, members);
  const author = await world.person(company, { isOwner: true });

  /** Sets up a case: who asks, the resource that decides, and what is looked at: a goal, or a file of a hub. */
  async function furnish(kind: Kind, one: Case) {
    const person = team.find(
      ({ isMember, isGuest, isOwner }) =>
        isMember === one.isMember && isGuest === one.isGuest && isOwner === one.isOwner,
    );
    if (!person) throw new Error('no such person');
    const data = { companyLevel: one.companyLevel, spaceLevel: one.spaceLevel };
    const role = one.role && { [`${one.role}Id`]: person.id };
    const { id } =
      kind === 'space' ? await world.space(company, members, data) : await world[kind](space, { ...data, ...role });
    const on = { goal: { goalId: id }, project: { projectId: id }, space: { spaceId: id } }[kind];
    if (one.grant !== null) await world.grant(company, person, one.grant, on);
    return {
      one,
      person,
      id,
      look: kind === 'goal' ? id : (await world.file(await world.hub(company, on), author)).id,
    };
  }

  /** What people may do in each case, as the product says and as the ladder does. */
  async function permissionsIn(kind: Kind, cases: Case[]): Promise<{ found: Json; expected: Json }> {
    const furnished = [];
    for (const one of cases) furnished.push(await furnish(kind, one));
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
          expected[shown(each.one)] = level < 10 ? null : at(level);
          found[shown(each.one)] = body.data[`r${index}`]?.permissions ?? null;
        }
      }
    }
    return { found, expected };
  }
  return { team, permissionsIn };
}
