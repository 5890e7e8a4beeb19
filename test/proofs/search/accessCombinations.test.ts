import { describe, expect, test } from 'vitest';
import { accessCases, type Case, levelOf } from '../../support/accessCases.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const { team, author, furnish } = await accessCases(world);

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
const hubPermissions = Object.keys(hubPermissionsAt(0)).join(' ');

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
