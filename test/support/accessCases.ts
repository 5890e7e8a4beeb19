import type { World } from './world.js';

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

export const nobody: Case = {
  grant: null,
  role: null,
  isMember: false,
  spaceLevel: 0,
  isGuest: false,
  companyLevel: 0,
  isOwner: false,
};

/** The ladder, written a second time: the tests compare it with what the product computes. */
export function levelOf({ grant, role, isMember, spaceLevel, isGuest, companyLevel, isOwner }: Case): number {
  const steps = [0];
  if (grant !== null) steps.push(grant);
  if (role) steps.push(100);
  if (isMember) steps.push(spaceLevel);
  if (!isGuest) steps.push(companyLevel);
  if (isOwner) steps.push(100);
  return Math.max(...steps);
}

export type Kind = 'goal' | 'project' | 'space';

/** A company with a person of each membership, and what sets up a case for one of them. */
export async function accessCases(world: World) {
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

  /** Sets up a case. The result includes the resource's hub, if the case asks for it. */
  async function furnish(kind: Kind, one: Case) {
    const person = personOf(one);
    const data = { companyLevel: one.companyLevel, spaceLevel: one.spaceLevel };
    const role = one.role && { [`${one.role}Id`]: person.id };
    const { id } =
      kind === 'space'
        ? await world.space(company, members, data)
        : await world[kind](space, {
            ...data,
            ...role,
            ...(kind === 'goal' && { closedAt: new Date(), success: true }),
          });
    const on = { goal: { goalId: id }, project: { projectId: id }, space: { spaceId: id } }[kind];
    if (one.grant !== null) await world.grant(company, person, one.grant, on);
    return { person, id, hub: await world.hub(company, on) };
  }
  return { team, space, author, personOf, furnish };
}
