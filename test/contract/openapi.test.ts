import { describe, expect, test } from 'vitest';
import { catalogue, errorCodes } from '../../src/errors/catalogue.js';
import type { ErrorCode } from '../../src/platform/failures/index.js';
import { preparedMutations } from '../../src/rest/routes.js';
import { schema } from '../../src/schema.js';
import { errorsOf, openApi, resolve } from '../support/openapiValidator.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const url = '/api/external/v1/openapi.json';
const world = await createWorld();
const operations: [string, Json][] = Object.entries<Json>(openApi.paths).map(([path, { post }]) => [path, post]);

describe('the OpenAPI document', () => {
  test('is served without a token, as JSON', async () => {
    const { status, headers, body } = await world.fetch(url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual(openApi);
  });

  test('names the public address of the server when it is configured', async () => {
    const known = new World(world.db, world.url, { publicUrl: 'https://api.example.com' });
    const { body } = await known.fetch(url);
    expect(body.servers[0].url).toBe('https://api.example.com/api/external/v1');
    expect(body.externalDocs.url).toBe('https://api.example.com/docs');
    expect(body.components.examples.NOT_FOUND.value.type).toBe('https://api.example.com/errors/NOT_FOUND');
  });

  test('has exactly the paths of the facade, each with an operation named as its mutation', () => {
    expect(operations.map(([path, { operationId }]) => [operationId, `/api/external/v1${path}`])).toEqual(
      Object.entries(restPaths),
    );
  });
});

test('headers that a caller may leave out have no value that a tool would send by itself', () => {
  const optional = Object.values<Json>(openApi.components.parameters).filter(({ required }) => !required);
  expect(optional.map(({ name }) => name)).toEqual(['Idempotency-Key', 'If-Match', 'X-Request-Id']);
  for (const { example, examples, schema } of optional)
    expect([example, examples, schema.example, schema.default]).toEqual(Array(4).fill(undefined));
});

test('the operations that Goalpost adds are marked', () => {
  const marked = operations.filter(([, operation]) => operation['x-addition']).map(([path]) => path);
  const added = preparedMutations(schema).filter(({ isAddition }) => isAddition);
  expect(marked).toEqual(added.map(({ path }) => path.slice('/api/external/v1'.length)));
  expect(marked).toContain('/recover_resource_hub_file');
});

describe('examples', () => {
  test.each(operations)('%s: the request and the answer fit their schemas', (path, { requestBody, responses }) => {
    for (const { schema, example } of [
      requestBody.content['application/json'],
      responses['200'].content['application/json'],
    ]) {
      // What an operation has made is in no demo.
      if (path === '/undo_change') continue;
      expect(example).toBeTypeOf('object');
      expect(errorsOf(schema, example)).toEqual([]);
    }
  });
});

/** Each example in a part of the document, with the schema that it is of. */
function examplesIn(part: Json, path: string): { path: string; schema: Json; value: Json }[] {
  if (part === null || typeof part !== 'object') return [];
  const { schema = part, example, examples } = part;
  const all = Array.isArray(examples)
    ? examples
    : Object.values<Json>(examples ?? {}).map((each) => resolve(each).value);
  const own = [...(example === undefined ? [] : [example]), ...all].filter((value) => value !== undefined);
  const inside = Object.entries(part).filter(([name]) => !['example', 'examples', 'properties'].includes(name));
  const properties = Object.entries(part.properties ?? {});
  return [
    ...(part.schema || part.type ? own.map((value) => ({ path, schema, value })) : []),
    ...[...inside, ...properties].flatMap(([name, each]) => examplesIn(each, `${path}/${name}`)),
  ];
}

test('every example anywhere fits its schema, which says more than its type', () => {
  const found = examplesIn(openApi, '');
  expect(found.length).toBeGreaterThan(40);
  const wrong = found.flatMap(({ path, schema, value }) => errorsOf(schema, value).map((error) => `${path}: ${error}`));
  expect(wrong).toEqual([]);
  expect(openApi.info.license.identifier).toBe('LicenseRef-Proprietary');
});

describe('statuses', () => {
  const documented = (responses: Json) =>
    Object.values<Json>(responses).flatMap((response) =>
      Object.keys(resolve(response).content['application/problem+json']?.examples ?? {}),
    );
  const everywhere = errorCodes.filter((code) => catalogue[code].occurs === undefined);
  const own: Record<string, ErrorCode[]> = {
    '/reopen_goal': ['GOAL_ARCHIVED', 'STATE_CHANGED'],
    '/documents/restore_document_version': ['VERSION_CONFLICT', 'STATE_CHANGED'],
    '/undo_change': ['CANNOT_BE_UNDONE', 'STATE_CHANGED'],
  };

  test.each(operations)('%s documents every code of the catalogue that it can answer with', (path, { responses }) => {
    expect(documented(responses).sort()).toEqual([...everywhere, ...(own[path] ?? ['STATE_CHANGED'])].sort());
  });
});
