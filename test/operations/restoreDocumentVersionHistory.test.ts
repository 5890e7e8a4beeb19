import { describe, expect, test } from 'vitest';
import { changesOf, counts } from '../support/changes.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, mentioning } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const gateways = [world, world.twin(), world.twin()];

async function documentOf(texts?: string[]) {
  const team = await world.team();
  const hub = await world.hub(team.company, { spaceId: team.space.id });
  return { ...team, hub, document: await world.document(hub, team.caller, texts) };
}

const restore = (
  token: string,
  documentId: string,
  versionNumber: number,
  expectedCurrentVersion: number,
  at = world,
  surface = surfaces[0],
) =>
  perform(at, surface ?? 'REST', 'restoreDocumentVersion', token, {
    documentId,
    versionNumber,
    expectedCurrentVersion,
  });

const numbersOf = async (documentId: string) =>
  (await db.documentVersion.findMany({ where: { documentId }, orderBy: { versionNumber: 'asc' } })).map(
    (version) => version.versionNumber,
  );

/** What another program does: checks the version, then writes the document and its next version in one transaction. */
async function edit(documentId: string, editorId: string, expected: number, content: string): Promise<boolean> {
  const rows = await world.sql(
    `WITH document AS (
       UPDATE resource_hub_documents SET content = $4, current_version = current_version + 1, updated_at = now()
       WHERE id = $1 AND current_version = $3 RETURNING company_id, id, name, content, current_version
     )
     INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
     SELECT company_id, id, current_version, current_version - 1, name, content, $2, 'edited' FROM document RETURNING id`,
    [documentId, editorId, expected, content],
  );
  return rows.length === 1;
}

describe('people a restored version mentions', () => {
  test('are subscribed, once each, unless they are already or have canceled', async () => {
    const { company, caller, hub } = await documentOf();
    const [fresh, follower, canceled] = [
      await world.person(company),
      await world.person(company),
      await world.person(company),
    ];
    const stranger = (await world.team()).caller;
    const text = mentioning(fresh.id, follower.id, canceled.id, stranger.id, 'nobody', 'no\0body', fresh.id);
    const document = await world.document(hub, caller, [text, 'two']);
    await world.subscribe({ companyId: document.companyId, documentId: document.id }, [
      follower,
      { ...canceled, canceled: true },
    ]);
    const [changes] = await changesOf(world, () => restore(caller.token, document.id, 1, 2));
    expect(changes.added.subscriptions).toMatchObject([{ person_id: fresh.id, type: 'mentioned', canceled: false }]);
    expect(counts(changes.added)).toEqual({ activities: 1, document_versions: 1, subscriptions: 1 });
    expect(Object.keys(changes.changed)).toEqual(['resource_hub_documents']);
  });

  test('are subscribed to a new list where the document had none', async () => {
    const { company, caller, hub } = await documentOf();
    const fresh = await world.person(company);
    const document = await world.document(hub, caller, [mentioning(fresh.id), 'two']);
    const [changes] = await changesOf(world, () => restore(caller.token, document.id, 1, 2));
    expect(changes.added.subscription_lists).toMatchObject([{ document_id: document.id, send_to_everyone: false }]);
    expect(changes.added.subscriptions).toMatchObject([{ person_id: fresh.id, type: 'mentioned' }]);
  });

  test('when there are none, no list is made for them', async () => {
    const { caller, document } = await documentOf();
    const [changes] = await changesOf(world, () => restore(caller.token, document.id, 1, 3));
    expect(counts(changes.added)).toEqual({ activities: 1, document_versions: 1 });
  });
});

describe('many at once', () => {
  test('of twenty restores with the same expected version exactly one is 200, the others 409', async () => {
    const { caller, document } = await documentOf();
    const [changes, outcomes] = await changesOf(world, () =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          restore(caller.token, document.id, 1 + (n % 2), 3, gateways[n % 3], surfaces[n % 2]),
        ),
      ),
    );
    const [won, ...lost] = outcomes.sort((a, b) => a.status - b.status);
    expect(won).toMatchObject({
      status: 200,
      data: { document: { current_version: 4 }, restored_version: { version_number: 4 } },
    });
    expect(lost).toHaveLength(19);
    for (const outcome of lost) {
      expect(outcome).toMatchObject({
        status: 409,
        code: 'VERSION_CONFLICT',
        members: { expected_current_version: 3, current_version: 4 },
      });
    }
    expect(counts(changes.added)).toMatchObject({ activities: 1, document_versions: 1 });
    expect(await numbersOf(document.id)).toEqual([1, 2, 3, 4]);
  });

  test('of restores and edits with the same expected version exactly one wins', async () => {
    for (let round = 0; round < 2; round++) {
      const { caller, document } = await documentOf();
      const attempts = Array.from({ length: 12 }, async (_, n) => {
        if ((n + round) % 2) return (await edit(document.id, caller.id, 3, `edit ${n}`)) ? 'edit' : 'lost';
        const { status } = await restore(caller.token, document.id, 1, 3, gateways[n % 3]);
        return { 200: 'restore', 409: 'lost' }[status] ?? `status ${status}`;
      });
      const results = (await Promise.all(attempts)).filter((result) => result !== 'lost');
      expect(results).toHaveLength(1);
      expect(['edit', 'restore']).toContain(results[0]);
      expect(await numbersOf(document.id)).toEqual([1, 2, 3, 4]);
    }
  });
});

describe('history is append-only', () => {
  test.each([
    ['change', "UPDATE document_versions SET content = 'rewritten' WHERE document_id = $1"],
    ['remove', 'DELETE FROM document_versions WHERE document_id = $1 AND version_number = 3'],
    [
      'replace',
      "INSERT INTO document_versions SELECT v.* FROM document_versions v WHERE document_id = $1 ON CONFLICT (company_id, document_id, version_number) DO UPDATE SET title = 'rewritten'",
    ],
  ])('no writer may %s a version', async (_, sql) => {
    const { document } = await documentOf();
    await expect(world.sql(sql, [document.id])).rejects.toMatchObject({ constraint: 'document_versions_append_only' });
    expect(await numbersOf(document.id)).toEqual([1, 2, 3]);
  });
});
