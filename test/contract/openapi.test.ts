import { describe, expect, test } from 'vitest';
import { catalogue, errorCodes } from '../../src/errors/catalogue.js';
import type { ErrorCode } from '../../src/platform/failures/index.js';
import { storedMutations } from '../../src/rest/routes.js';
import { textOf } from '../support/documents.js';
import { errorsOf, openApi, requireDescribed, resolve } from '../support/openapiValidator.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const url = '/api/external/v1/openapi.json';
const world = await createWorld();
const operations: [string, Json][] = Object.entries<Json>(openApi.paths).map(([path, { post }]) => [path, post]);
const operation = (path: string): Json => openApi.paths[path].post;
const requestSchema = (path: string) => resolve(operation(path).requestBody.content['application/json'].schema);
const responseSchema = (path: string) => resolve(operation(path).responses['200'].content['application/json'].schema);

describe('the OpenAPI document', () => {
  test('is served without a token, as JSON', async () => {
    const { status, headers, body } = await world.fetch(url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual(openApi);
  });

  test('costs nothing to ask for again: its ETag answers 304', async () => {
    const etag = (await world.fetch(url)).headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    expect((await world.fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await world.fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('names the public address of the server when it is configured', async () => {
    const known = await createWorld({ publicUrl: 'https://api.example.com' });
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

test('an enum of a response is open, since clients are promised new values', () => {
  const closed: string[] = [];
  const walk = (part: Json, at: string, isOpen = false): void => {
    if (typeof part !== 'object' || part === null) return;
    if (part.enum && !isOpen) closed.push(at);
    for (const [key, value] of Object.entries<Json>(part)) {
      if (key !== 'anyOf') walk(value, `${at}.${key}`);
      else for (const each of value) walk(each, at, JSON.stringify(value.at(-1)) === '{"type":"string"}');
    }
  };
  for (const [name, schema] of Object.entries<Json>(openApi.components.schemas)) {
    if (!name.endsWith('Input')) walk(schema, name);
  }
  expect(closed).toEqual([]);
});

test('the operations that Goalpost adds are marked, in the text of both contracts too', () => {
  const marked = operations.filter(([, operation]) => operation['x-addition']).map(([path]) => path);
  const added = storedMutations.filter(({ isAddition }) => isAddition);
  expect(marked).toEqual(added.map(({ path }) => path.slice('/api/external/v1'.length)));
  expect(marked).toContain('/recover_resource_hub_file');
  const described = operations.filter(([, { description }]) =>
    description.includes('Other servers of this API do not have it'),
  );
  expect(described.map(([path]) => path)).toEqual(marked);
  expect(openApi.info.description).toContain('recover a deleted file (other servers of this API do not have it)');
  expect(textOf('schema.graphql')).toMatch(
    /Other servers of this API do not have it[^"]*"""\n {2}recoverResourceHubFile\(/,
  );
});

describe('request bodies', () => {
  const optional = (schema: Json) => ({ ...schema, description: expect.any(String) });

  test('reopen_goal: every field may be left out or be null', () => {
    const { properties, required, additionalProperties } = requestSchema('/reopen_goal');
    expect({ properties, required, additionalProperties }).toEqual({
      properties: {
        id: optional({ type: ['string', 'null'] }),
        message: optional({ type: ['string', 'null'], maxLength: 100_000 }),
        send_notifications_to_everyone: optional({ type: ['boolean', 'null'] }),
        subscriber_ids: optional({ type: ['array', 'null'], items: { type: 'string' }, maxItems: 10_000 }),
      },
      required: undefined,
      additionalProperties: false,
    });
  });

  test('delete_resource_hub_file: the id may be left out or be null', () => {
    const { properties, required, additionalProperties } = requestSchema('/delete_resource_hub_file');
    expect({ properties, required, additionalProperties }).toEqual({
      properties: { file_id: optional({ type: ['string', 'null'] }) },
      required: undefined,
      additionalProperties: false,
    });
  });

  test('restore_document_version: every field is required and none may be null', () => {
    const { properties, required, additionalProperties } = requestSchema('/documents/restore_document_version');
    const number = optional({ type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 });
    expect({ properties, required, additionalProperties }).toEqual({
      properties: {
        document_id: optional({ type: 'string' }),
        version_number: number,
        expected_current_version: number,
      },
      required: ['document_id', 'expected_current_version', 'version_number'],
      additionalProperties: false,
    });
  });
});

describe('response bodies', () => {
  const nullOr = (name: string) => ({
    oneOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
    description: expect.any(String),
  });

  test.each([
    ['/reopen_goal', { goal: nullOr('Goal') }, undefined],
    ['/delete_resource_hub_file', { file: nullOr('ResourceHubFile') }, undefined],
    [
      '/documents/restore_document_version',
      {
        document: { $ref: '#/components/schemas/ResourceHubDocument', description: expect.any(String) },
        restored_version: nullOr('DocumentVersion'),
      },
      ['document'],
    ],
  ])('%s is required and nullable as specified', (path, properties, required) => {
    expect(responseSchema(path).properties).toEqual(properties);
    expect(responseSchema(path).required).toEqual(required);
  });

  test('below the top every field is always there', () => {
    for (const name of ['Goal', 'NestedGoal', 'ResourceHubFile', 'ResourceHubDocument', 'DocumentVersion', 'Person']) {
      const { properties, required } = openApi.components.schemas[name];
      expect(required).toEqual(Object.keys(properties));
    }
  });

  test('enum values are in lower case, as REST spells them', () => {
    const { anyOf } = openApi.components.schemas.GoalStatus;
    const [{ enum: values }, open] = anyOf;
    expect(open).toEqual({ type: 'string' });
    expect(values).toEqual(['achieved', 'caution', 'missed', 'off_track', 'on_track', 'outdated', 'paused', 'pending']);
    expect(JSON.stringify(openApi.components.schemas.Goal)).not.toMatch(/ACHIEVED/);
  });
});

describe('examples', () => {
  test.each(operations)('%s: the request and the answer fit their schemas', (_path, { requestBody, responses }) => {
    for (const { schema, example } of [
      requestBody.content['application/json'],
      responses['200'].content['application/json'],
    ]) {
      expect(example).toBeTypeOf('object');
      expect(errorsOf(schema, example)).toEqual([]);
    }
  });

  test.each(operations)('%s: every failure has one for each code, and it fits', (_path, { responses }) => {
    for (const [status, response] of Object.entries<Json>(responses)) {
      if (status === '200') continue;
      const { schema, examples } = resolve(response).content['application/problem+json'];
      expect(Object.keys(examples).length).toBeGreaterThan(0);
      for (const [code, example] of Object.entries<Json>(examples)) {
        const { value } = resolve(example);
        expect(value).toMatchObject({ code, status: Number(status), type: `/errors/${code}` });
        expect(errorsOf(schema, value)).toEqual([]);
      }
    }
  });
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
  };

  test.each(operations)('%s documents every code of the catalogue that it can answer with', (path, { responses }) => {
    expect(documented(responses).sort()).toEqual([...everywhere, ...(own[path] ?? ['STATE_CHANGED'])].sort());
  });
});

describe('an answer that the document does not describe fails its test', () => {
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': '1' });
  const given = { method: 'POST', path: restPaths.reopenGoal, status: 200, headers, body: { goal: null } as Json };
  const problem = new Headers({ ...Object.fromEntries(headers), 'content-type': 'application/problem+json' });

  test('but one that it describes does not', () => {
    expect(() => requireDescribed(given)).not.toThrow();
  });

  test.each([
    ['another status', { status: 201 }, 'no status 201'],
    ['another type', { headers: new Headers({ 'content-type': 'text/html' }) }, 'no type text/html'],
    ['a missing header', { headers: new Headers({ 'content-type': 'application/json' }) }, 'X-Request-Id is missing'],
    ['a missing field', { body: { goal: { id: '1' } } }, "required property 'name'"],
    ['an unknown field', { body: { goal: null, gaol: null } }, 'must NOT have additional properties'],
    [
      'an unknown code',
      { status: 409, headers: problem, body: { code: 'VERSION_CONFLICT' } },
      'must be equal to constant',
    ],
    ['an unknown path', { path: '/x', status: 404, headers, body: {} }, 'no problem, but application/json'],
  ])('%s', (_what, change, why) => {
    expect(() => requireDescribed({ ...given, ...change })).toThrow(why);
  });
});
