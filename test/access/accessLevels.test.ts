import { expect, test } from 'vitest';
import { accessCases, type Case } from '../support/accessCases.js';
import { perform } from '../support/surfaces.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { permissionsIn } = await accessCases(world);

const nobody: Case = {
  ...{ grant: null, role: null, isMember: false, spaceLevel: 0 },
  ...{ isGuest: false, companyLevel: 0, isOwner: false },
};

/** Each step of the ladder alone, with whatever must not raise it. All of them together: accessCombinations. */
const single: Partial<Case>[] = [
  ...[0, 10, 40, 70, 100].map((grant) => ({ grant })),
  ...[40, 70].flatMap((level) => [
    { isGuest: true, companyLevel: 100, grant: level },
    { isMember: true, spaceLevel: level },
    { isGuest: true, companyLevel: 100, isMember: true, spaceLevel: level },
    { companyLevel: level, spaceLevel: 100 },
  ]),
  { isGuest: true, companyLevel: 100, spaceLevel: 100 },
  { isOwner: true },
  { role: 'champion', grant: 10 },
  { role: 'reviewer', isGuest: true },
];

test.each(['goal', 'project', 'space'] as const)('each step of the ladder of a %s is what it gives', async (kind) => {
  const cases = single.filter(({ role }) => !(role && kind === 'space')).map((one) => ({ ...nobody, ...one }));
  const { found, expected } = await permissionsIn(kind, cases);
  expect(Object.keys(found)).toHaveLength(cases.length);
  expect(found).toEqual(expected);
  // What must not exist for who has no step is not merely nothing.
  expect(Object.values(found).filter((permissions) => permissions === null).length).toBeGreaterThan(1);
});

test('public access marks a resource and gives nobody access; below view it is 404, below edit 403', async () => {
  const { company, space } = await world.team();
  const stranger = await world.person(company);
  const goal = await world.closedGoal(space, { publicLevel: 100, companyLevel: 0, spaceLevel: 0 });
  const attempt = () => perform(world, 'REST', 'reopenGoal', stranger.token, { id: goal.id });
  expect(await attempt()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  for (const level of [10, 40]) {
    await world.db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: level } });
    const members = { required_access: 70, your_access: level };
    expect(await attempt()).toMatchObject({ status: 403, code: 'FORBIDDEN', members });
  }
  await world.db.goal.updateMany({ where: { id: goal.id }, data: { companyLevel: 70 } });
  expect(await attempt()).toMatchObject({ status: 200 });
});
