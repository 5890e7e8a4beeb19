import { describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { TextWorker } from '../../src/platform/texts/index.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, mentioning, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { db } = world;

async function documentWith(contentOf: (mention: string) => string) {
  const { company, caller, hub } = await world.teamWithHub('space');
  const person = await world.person(company);
  const mention = JSON.stringify({ type: 'mention', attrs: { id: person.id } });
  const document = await world.document(hub, caller, [contentOf(mention), 'two']);
  const subscribed = () => db.subscription.count({ where: { personId: person.id, type: 'mentioned' } });
  return { company, caller, hub, person, document, subscribed };
}

const input = (documentId: string, expectedCurrentVersion = 2) => ({
  documentId,
  versionNumber: 1,
  expectedCurrentVersion,
});
const body = (id: string) => ({ document_id: id, version_number: 1, expected_current_version: 2 });
const restoring = (name: string, id: string) =>
  `${name}: restoreDocumentVersion(input: { documentId: "${id}", versionNumber: 1, expectedCurrentVersion: 2 }) { document { id } }`;
const previewed = `query ($input: PreviewRestoreDocumentVersionInput!) {
  previewRestoreDocumentVersion(input: $input) { wouldChange subscribed { nodes { id } } } }`;

test('are found in a large text whose objects each have another key', async () => {
  const { caller, person, document, subscribed } = await documentWith((mention) => richText(mention, 100_000));
  const { documentId, versionNumber } = input(document.id);
  const preview = await world.graphql(caller.token, previewed, { input: { documentId, versionNumber } });
  expect(preview.body.data?.previewRestoreDocumentVersion).toEqual({
    wouldChange: true,
    subscribed: { nodes: [{ id: person.id }] },
  });
  const restored = await world.post(restPaths.restoreDocumentVersion, caller.token, body(document.id));
  expect([restored.status, await subscribed()]).toEqual([200, 1]);
});

/** A rich text with so many nodes before a mention. */
const richText = (mention: string, count: number) =>
  `{"type":"doc","content":[${Array.from({ length: count }, (_, n) => `{"a${n}":1},`).join('')}${mention}]}`;

test.each([
  [
    'has not the word',
    (mention: string) => `{"type":"doc","content":[${mention.replace('mention', '\\u006dention')}]}`,
  ],
  ['has more than 200,000 braces', (mention: string) => richText(mention, 200_000)],
  ['is no rich text', (mention: string) => `[${mention}]`],
])('a text that %s mentions nobody', async (_what, contentOf) => {
  const { caller, document, subscribed } = await documentWith(contentOf);
  const { status } = await world.post(restPaths.restoreDocumentVersion, caller.token, body(document.id));
  expect([status, await subscribed()]).toEqual([200, 0]);
});

describe('mentions are read before the transaction,', () => {
  const begins = (statements: { text: string }[]) =>
    statements.filter(({ text }) => /^(BEGIN|ROLLBACK|COMMIT)/.test(text));

  test('of a change with a key, which happens once', async () => {
    const { caller, document, subscribed } = await documentWith((mention) => `{"type":"doc","content":[${mention}]}`);
    const once = { 'idempotency-key': 'mentions' };
    const run = () => world.post(restPaths.restoreDocumentVersion, caller.token, body(document.id), once);
    const { result, statements } = await statementsOf(run);
    expect(begins(statements).map(({ text }) => text.split(' ')[0])).toEqual(['BEGIN', 'ROLLBACK', 'BEGIN', 'COMMIT']);
    expect([result.status, await subscribed()]).toEqual([200, 1]);
    expect(await run()).toEqual(expect.objectContaining({ status: 200, body: result.body }));
    expect(await db.documentVersion.count({ where: { documentId: document.id } })).toBe(3);
  });

  test('of several changes in one request', async () => {
    const { caller, hub, person, document, subscribed } = await documentWith(
      (mention) => `{"type":"doc","content":[${mention}]}`,
    );
    const other = await world.document(hub, caller, [mentioning('nobody', person.id), 'two']);
    const query = `mutation { ${restoring('a', document.id)} ${restoring('b', other.id)} }`;
    const { result, statements } = await statementsOf(() => world.graphql(caller.token, query));
    expect(result.body.data).toEqual({ a: { document: { id: document.id } }, b: { document: { id: other.id } } });
    expect([begins(statements).length, await subscribed()]).toEqual([6, 2]);
  });

  test('and a text without them costs no second one', async () => {
    const { caller, document } = await documentWith(() => 'plain');
    const once = { 'idempotency-key': 'no-mentions' };
    const { statements } = await statementsOf(() =>
      world.post(restPaths.restoreDocumentVersion, caller.token, body(document.id), once),
    );
    expect(begins(statements)).toHaveLength(2);
  });
});

test('are read although a request has no time left for texts', async () => {
  const texts = new TextWorker('text/thread', createLogger('warn'), { use: 0, wait: 20_000 });
  const hasty = new World(db, world.url, { texts });
  const { caller, document, person } = await documentWith((mention) => richText(mention, 10));
  const { documentId, versionNumber } = input(document.id);
  const preview = await hasty.graphql(caller.token, previewed, { input: { documentId, versionNumber } });
  expect(preview.body.data.previewRestoreDocumentVersion.subscribed.nodes).toEqual([{ id: person.id }]);
});
