import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readPersistedDocuments } from '../../src/platform/graphql/parsing.js';
import { ConfigError } from '../../src/platform/settings/configError.js';
import { schema } from '../../src/schema/index.js';
import { readConfig } from '../../src/settings.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const directory = await mkdtemp(join(tmpdir(), 'goalpost-documents-'));
afterAll(() => rm(directory, { recursive: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const viewer = 'query Viewer { viewer { person { id } } }';
const reopen =
  'mutation Reopen($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id isClosed } } }\nquery Goals { goals { nodes { id } } }\n';

await writeFile(join(directory, 'viewer.graphql'), viewer);
await writeFile(join(directory, 'reopen.graphql'), reopen);
await writeFile(join(directory, 'notes.txt'), 'not a document');

const documents = readPersistedDocuments(directory, schema);
const world = await createWorld({ persisted: { documents, only: false } });
const only = new World(world.db, world.url, { persisted: { documents, only: true } });
const without = new World(world.db, world.url);
const company = await world.company();
const caller = await world.person(company);
const space = await world.space(company, [caller]);

const accept = { accept: 'application/graphql-response+json' };
const post = (at: World, body: Json, token = caller.token) => at.post('/graphql', token, body, accept);
const get = (at: World, query: Record<string, string>) =>
  at.fetch(`/graphql?${new URLSearchParams(query)}`, {
    headers: { ...accept, authorization: `Bearer ${caller.token}`, 'apollo-require-preflight': '1' },
  });

const me = { viewer: { person: { id: caller.id } } };

describe('a persisted document runs', () => {
  test.each([
    ['by the hash of its text', { documentId: `sha256:${sha256(viewer)}` }],
    ['by the name of its file', { documentId: 'viewer' }],
    [
      'by the hash that clients for automatic persisted queries send',
      { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(viewer) } } },
    ],
  ])('%s, by POST and by GET', async (_how, params: Json) => {
    for (const at of [world, only]) {
      expect((await post(at, params)).body.data).toEqual(me);
      const { extensions, ...rest } = params;
      const search = { ...rest, ...(extensions && { extensions: JSON.stringify(extensions) }) };
      expect((await get(at, search)).body.data).toEqual(me);
    }
  });

  test('with variables and the operation that is asked for', async () => {
    const goal = await world.closedGoal(space);
    const body = { documentId: 'reopen', operationName: 'Reopen', variables: { input: { id: goal.id } } };
    const { body: answer } = await post(only, body);
    expect(answer.data).toEqual({ reopenGoal: { goal: { id: goal.id, isClosed: false } } });
    expect((await post(only, body, caller.readOnlyToken)).body.errors[0].extensions.code).toBe('READ_ONLY_TOKEN');
    expect((await get(only, { documentId: 'reopen', operationName: 'Reopen' })).status).toBe(405);
  });
});

describe('a document that was not given', () => {
  test('runs as a query, unless only persisted ones do', async () => {
    const query = '{ viewer { person { id } } }';
    expect((await post(world, { query })).body.data).toEqual(me);
    for (const answer of [await post(only, { query }), await get(only, { query })]) {
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([403, 'PERSISTED_DOCUMENT_REQUIRED']);
    }
  });

  test('is sent by clients for automatic persisted queries, which know our answer to its hash, everywhere', async () => {
    const query = '{ viewer { person { id } } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
    for (const at of [world, without]) {
      const inUrl = { operationName: 'V', extensions: JSON.stringify(extensions) };
      for (const answer of [await post(at, { extensions }), await get(at, inUrl)]) {
        const [error] = answer.body.errors;
        expect([answer.status, error.extensions.code, error.message]).toEqual([
          404,
          'PERSISTED_QUERY_NOT_FOUND',
          // Apollo's link reads the code; urql and the mobile clients read the message.
          'PersistedQueryNotFound',
        ]);
      }
      expect((await post(at, { query, extensions })).body.data).toEqual(me);
    }
    expect((await post(without, { extensions }, '')).status).toBe(401);
  });

  test('is BAD_REQUEST where no documents are configured', async () => {
    const { status, body } = await post(without, { documentId: 'viewer' });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

test('where only persisted documents run, REST works, GraphiQL is off, and a token is needed as ever', async () => {
  const goal = await world.closedGoal(space);
  const { status, body } = await only.post(restPaths.reopenGoal, caller.token, { id: goal.id });
  expect([status, body.goal.is_closed]).toEqual([200, false]);
  const opened = await only.fetch('/graphql', { headers: { accept: 'text/html' }, redirect: 'manual' });
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
  const anonymous = await only.post('/graphql', null, { documentId: 'viewer' }, accept);
  expect(anonymous.status).toBe(401);
});

describe('PERSISTED_DOCUMENTS', () => {
  async function manifest(content: unknown): Promise<string> {
    const path = join(directory, 'manifest.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  test('may be a JSON file of documents by identifier', async () => {
    const found = readPersistedDocuments(
      await manifest({ 'my-viewer': viewer, [`sha256:${sha256(reopen)}`]: reopen }),
      schema,
    );
    expect([...found.keys()].sort()).toEqual(
      ['my-viewer', ...[viewer, reopen].flatMap((text) => [sha256(text), `sha256:${sha256(text)}`])].sort(),
    );
  });

  test.each([
    ['{', /JSON/],
    [{ a: '{ nothing }' }, /a: Cannot query field "nothing"/],
    [{ 'sha256:0': viewer }, /sha256:0 does not match/],
    [{ [sha256(reopen)]: viewer, reopen }, /[0-9a-f]{64} identifies two documents/],
    ['"{ viewer { person { id } } }"', /must be an object/],
  ])('of %j is refused at the start', async (content, message) => {
    const path = await manifest(content);
    expect(() => readPersistedDocuments(path, schema)).toThrow(message);
  });

  test('whose bytes are not UTF-8 is refused at the start', async () => {
    const folder = await mkdtemp(join(directory, 'latin1-'));
    await writeFile(join(folder, 'a.graphql'), Buffer.from('# caf\u00e9\n{ viewer { person { id } } }', 'latin1'));
    expect(() => readPersistedDocuments(folder, schema)).toThrow(/a\.graphql is not UTF-8/);
  });

  test('that does not exist is refused at the start', () => {
    expect(() => readPersistedDocuments(join(directory, 'nowhere'), schema)).toThrow(/does not exist/);
  });

  test('is needed for PERSISTED_ONLY', () => {
    expect(() => readConfig({ PERSISTED_ONLY: 'on' })).toThrow(ConfigError);
    const { persistedDocuments: persisted } = readConfig({ PERSISTED_ONLY: 'on', PERSISTED_DOCUMENTS: directory });
    expect(persisted).toEqual({ path: directory, only: true });
    expect(readConfig({}).persistedDocuments.path).toBeUndefined();
  });
});
