import { describe, expect, test } from 'vitest';
import { Agent } from '../../support/agent.js';
import { perform, type Surface } from '../../support/surfaces.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();

const most = 4_000_000;

/** Characters of which a content has as many as it may: of four bytes, and of six bytes of JSON. */
const characters: [string, string][] = [
  ['of four bytes', '😀'],
  ['that JSON escapes', '\u0001'],
];

/** A document whose second version has a long content, and whose third one is short. PostgreSQL makes it. */
async function documentWith(character: string, times: number) {
  const { caller, hub } = await world.teamWithHub('space');
  const { id } = await world.document(hub, caller, ['first']);
  await world.sql(
    `WITH document AS (
       UPDATE resource_hub_documents SET name = 'Title 3', content = 'short', current_version = 3 WHERE id = $1
       RETURNING company_id, id
     )
     INSERT INTO document_versions (company_id, document_id, version_number, title, content, editor_id, origin)
     SELECT company_id, id, number, 'Title ' || number, content, $4, 'edited'
     FROM document, (VALUES (2, repeat($2, $3::integer)), (3, 'short')) AS version(number, content)`,
    [id, character, times, caller.id],
  );
  return { token: caller.token, id };
}

async function isRestored(id: string) {
  const [row] = await world.sql(
    `SELECT d.content = v.content AND d.current_version = 4 AS is_restored FROM resource_hub_documents d
     JOIN document_versions v ON v.company_id = d.company_id AND v.document_id = d.id AND v.version_number = 2 WHERE d.id = $1`,
    [id],
  );
  return row.is_restored;
}

const restore = (surface: Surface, token: string, documentId: string, selection?: string) =>
  perform(
    world,
    surface,
    'restoreDocumentVersion',
    token,
    { documentId, versionNumber: 2, expectedCurrentVersion: 3 },
    selection,
  );

const look = `query ($id: ID!) {
  previewRestoreDocumentVersion(input: { documentId: $id, versionNumber: 2 }) {
    wouldChange difference { content { granularity excerpt(size: 100) { omitted } } } version { readableText(page: 2) { number } }
  }
}`;
const compare = `query ($id: ID!) {
  resourceHubDocument(id: $id) {
    versions { nodes { contentChanged diffToPrevious { content { excerpt(size: 100) { omitted } } } } }
  }
}`;

describe.each(characters)('the longest content, %s,', (_, character) => {
  test('has no character more, and is restored by REST', async () => {
    await expect(documentWith(character, most + 1)).rejects.toThrow('document_versions_content');
    const { token, id } = await documentWith(character, most);
    const { status, data } = await restore('REST', token, id);
    expect(status).toBe(200);
    expect(data.document.content === character.repeat(most)).toBe(true);
    expect(data.restored_version.content_changed).toBe(true);
    expect(await isRestored(id)).toBe(true);
  });

  test('is previewed, read, compared and restored by GraphQL', async () => {
    const { token, id } = await documentWith(character, most);
    const read = async (query: string): Promise<Json> => {
      const { body } = await world.graphql(token, query, { id });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    expect(await read(look)).toMatchObject({
      previewRestoreDocumentVersion: { wouldChange: true, version: { readableText: { number: 2 } } },
    });
    const { resourceHubDocument } = await read(compare);
    expect(resourceHubDocument.versions.nodes.map((node: Json) => node.contentChanged)).toEqual([true, true, false]);
    const selection = 'document { content } restoredVersion { contentChanged }';
    const { status, data } = await restore('GraphQL', token, id, selection);
    expect(status).toBe(200);
    expect(data.document.content === character.repeat(most)).toBe(true);
    expect(await isRestored(id)).toBe(true);
  });

  test('is read, previewed and restored by an agent', async () => {
    const { token, id } = await documentWith(character, most);
    const agent = new Agent(world, token);
    const read = await agent.data('read_document', { id, version_number: 2, page: 2 });
    expect(read.version.readable_text.number).toBe(2);
    const input = { document_id: id, version_number: 2 };
    const restored = await agent.data(
      'restore_document_version',
      await agent.confirmed('restore_document_version', input),
    );
    expect(restored.restored_version.version_number).toBe(4);
    expect(await isRestored(id)).toBe(true);
  });
});
