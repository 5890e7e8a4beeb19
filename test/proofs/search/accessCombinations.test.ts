import { expect, test } from 'vitest';
import { accessCases, type Case } from '../../support/accessCases.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld();
const { team, permissionsIn } = await accessCases(world);

/** Combines a few steps of each ladder, so that each decides in some case. */
const combinations = (roles: Case['role'][]): Case[] =>
  [null, 40, 70].flatMap((grant) =>
    roles.flatMap((role) =>
      [0, 40, 70].flatMap((spaceLevel) =>
        [0, 40, 70].flatMap((companyLevel) =>
          team.map(({ isMember, isGuest, isOwner }) => ({
            ...{ grant, role, spaceLevel, companyLevel },
            ...{ isMember, isGuest, isOwner },
          })),
        ),
      ),
    ),
  );

test.each([
  ['a goal', 'goal', [null, 'champion' as const, 'reviewer' as const]],
  ['the hub of a project', 'project', [null, 'champion' as const, 'reviewer' as const]],
  ['the hub of a space', 'space', [null]],
] as const)('the ladder of %s, in every combination, is what the permissions say', async (_, kind, roles) => {
  const cases = combinations([...roles]);
  const { found, expected } = await permissionsIn(kind, cases);
  expect(Object.keys(found)).toHaveLength(cases.length);
  expect(found).toEqual(expected);
});
