import { describe, expect, test } from 'vitest';
import { changesOf, nothing } from '../support/changes.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** A hub with the access that its goal gives, and a document of the caller with three versions. */
async function documentOf(levels: Json = {}, texts?: Parameters<typeof world.document>[2], data: Json = {}) {
  const team = await world.team();
  const goal = await world.goal(team.space, levels);
  const hub = await world.hub(team.company, { goalId: goal.id });
  return { ...team, hub, document: await world.document(hub, team.caller, texts, data) };
}

const restore = (token: string, documentId: string, versionNumber: number, expectedCurrentVersion: number) =>
  perform(world, 'REST', 'restoreDocumentVersion', token, { documentId, versionNumber, expectedCurrentVersion });

const versionsOf = (documentId: string) =>
  db.documentVersion.findMany({ where: { documentId }, orderBy: { versionNumber: 'asc' } });

describe('restoring a version', () => {
  // Every caller on every record and surface is tried by test/access/isolationOfMutations.test.ts.
  const conflict = { expected_current_version: 2, current_version: 3 };
  const refused: [string, Json, Json][] = [
    [
      'a deleted document',
      { data: { deletedAt: new Date() } },
      { status: 404, code: 'NOT_FOUND', detail: /^No document "/ },
    ],
    [
      'a document to comment only, whatever else is wrong',
      { level: 40, versionNumber: 9, expectedCurrentVersion: 9 },
      { status: 403, code: 'FORBIDDEN', members: { required_access: 70, your_access: 40 } },
    ],
    [
      'an unknown version',
      { versionNumber: 4 },
      { status: 404, code: 'NOT_FOUND', detail: /^No version 4 of document "/ },
    ],
    [
      'another current version and an unknown version',
      { versionNumber: 9, expectedCurrentVersion: 2 },
      { status: 409, code: 'VERSION_CONFLICT', members: conflict },
    ],
    [
      'another current version and an equal version',
      { versionNumber: 3, expectedCurrentVersion: 4 },
      { status: 409, code: 'VERSION_CONFLICT' },
    ],
  ];
  test.each(refused)(
    '%s is refused and nothing changes',
    async (_, { level = 100, data, versionNumber = 1, expectedCurrentVersion = 3 }, { detail = /./, ...expected }) => {
      const { caller, document } = await documentOf({ companyLevel: 0, spaceLevel: level }, undefined, data);
      const [changes, outcome] = await changesOf(world, () =>
        restore(caller.token, document.id, versionNumber, expectedCurrentVersion),
      );
      expect(outcome).toMatchObject(expected);
      expect(outcome.detail).toMatch(detail);
      expect(changes).toEqual(nothing);
    },
  );

  test.each(surfaces)('a conflict says who made the current version and when, on %s', async (surface) => {
    const { caller, document } = await documentOf();
    const outcome = await perform(world, surface, 'restoreDocumentVersion', caller.token, {
      documentId: document.id,
      versionNumber: 1,
      expectedCurrentVersion: 1,
    });
    const current = (await versionsOf(document.id)).at(-1);
    expect(outcome.members).toEqual({
      expected_current_version: 1,
      current_version: 3,
      current_version_editor: { id: caller.id, full_name: caller.fullName },
      current_version_inserted_at: current?.insertedAt.toISOString(),
    });
  });

  test('a draft has no version for its author and does not exist for others', async () => {
    const { company, caller, hub } = await documentOf();
    const other = await world.person(company, { isOwner: true });
    const draft = await world.draft(hub, caller);
    const attempt = (token: string) => restore(token, draft.id, 1, 1);
    const [changes, outcomes] = await changesOf(world, async () => [
      await attempt(caller.token),
      await attempt(other.token),
    ]);
    expect(outcomes).toMatchObject([
      {
        status: 404,
        code: 'NOT_FOUND',
        detail: `No version 1 of document "${draft.id}" exists, or you cannot see it.`,
      },
      { status: 404, code: 'NOT_FOUND', detail: `No document "${draft.id}" exists, or you cannot see it.` },
    ]);
    expect(changes).toEqual(nothing);
  });
});

describe('restoring what is there already', () => {
  const same = { title: 'Plan', content: 'same' };
  const other = { title: 'Plan', content: 'other' };
  const titled = { title: 'Other plan', content: 'same' };
  test.each([
    ['the current version itself', [other, same], 2],
    ['an older version that is equal', [same, other, titled, same], 1],
  ])('changes nothing: %s', async (_, texts, versionNumber) => {
    const { caller, document } = await documentOf({}, texts);
    const [changes, outcome] = await changesOf(world, () =>
      restore(caller.token, document.id, versionNumber, texts.length),
    );
    expect(outcome).toMatchObject({ status: 200, data: { restored_version: null } });
    expect(outcome.data.document).toMatchObject({
      id: document.id,
      name: 'Plan',
      content: 'same',
      current_version: texts.length,
      versions_count: texts.length,
      updated_at: document.updatedAt.toISOString(),
    });
    expect(changes).toEqual(nothing);
  });

  test.each([
    ['the title', titled],
    ['the content', other],
  ])('is a change when only %s differs', async (_, first) => {
    const { caller, document } = await documentOf({}, [first, same]);
    const { data } = await restore(caller.token, document.id, 1, 2);
    expect(data.restored_version).toMatchObject({
      ...first,
      title_changed: first === titled,
      content_changed: first === other,
    });
  });
});

describe('what restoring writes', () => {
  test('is the document, one version and one activity, and no notification', async () => {
    const { company, caller, document } = await documentOf({}, ['one', 'two', 'three'], { publicToken: 'shared' });
    const editor = await world.person(company);
    await world.subscribe({ companyId: document.companyId, documentId: document.id }, [caller, editor], true);
    await world.comment(caller, { documentId: document.id });
    await world.reaction(caller, { documentId: document.id });
    const [changes, outcome] = await changesOf(world, () => restore(editor.token, document.id, 1, 3));
    const fresh = { company_id: document.companyId, id: expect.any(String), inserted_at: expect.any(String) };
    const version = changes.added.document_versions?.[0];
    expect(changes).toEqual({
      removed: {},
      changed: {
        resource_hub_documents: [
          {
            id: document.id,
            name: ['Title 3', 'Title 1'],
            content: ['three', 'one'],
            current_version: [3, 4],
            updated_at: [expect.any(String), expect.any(String)],
            outcome_activity_id: [null, changes.added.activities?.[0].id],
          },
        ],
      },
      added: {
        document_versions: [
          {
            ...fresh,
            document_id: document.id,
            version_number: 4,
            previous_version_number: 3,
            title: 'Title 1',
            content: 'one',
            editor_id: editor.id,
            origin: 'restored',
            restored_from_version_number: 1,
          },
        ],
        activities: [
          expect.objectContaining({
            ...fresh,
            action: 'document_version_restored',
            author_id: editor.id,
            document_id: document.id,
            document_version_id: version.id,
            origin: 'api',
            name: 'Title 1',
            surface: 'rest',
          }),
        ],
      },
    });
    expect(outcome.data).toMatchObject({
      document: {
        id: document.id,
        name: 'Title 1',
        content: 'one',
        current_version: 4,
        versions_count: 4,
        comments_count: 1,
      },
      restored_version: {
        id: version.id,
        version_number: 4,
        is_current: true,
        origin: 'restored',
        restored_from_version_number: 1,
      },
    });
    const updated = await db.resourceHubDocument.findFirstOrThrow({ where: { id: document.id } });
    expect(updated.updatedAt.getTime()).toBeGreaterThan(document.updatedAt.getTime());
  });
});
