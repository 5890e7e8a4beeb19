import { readFile } from 'node:fs/promises';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { sdl } from '../../src/schema.js';
import { breakingChanges } from '../../tools/release/breakingChanges.js';
import { breakingGraphqlChanges } from '../support/graphqlChanges.js';
import { openApi } from '../support/openapiValidator.js';
import type { Json } from '../support/world.js';

const released = (file: string) => readFile(new URL(`released/${file}`, import.meta.url), 'utf8');
const accept = 'If that is meant, npm run release-contract accepts it.';

describe('what was released still works', () => {
  test('with the GraphQL schema', async () => {
    const old = buildSchema(await released('schema.graphql'));
    expect(await breakingGraphqlChanges(old, buildSchema(sdl())), accept).toEqual([]);
  });

  test('with the OpenAPI document', async () => {
    expect(breakingChanges(JSON.parse(await released('openapi.json')), openApi), accept).toEqual([]);
  });
});

/** A copy of the document with one change. */
function changed(change: (document: Json) => void): Json {
  const document = structuredClone(openApi);
  change(document);
  return document;
}

const schemas = (document: Json): Json => document.components.schemas;
const reopen = (document: Json): Json => document.paths['/reopen_goal'].post;

describe('a breaking change of the OpenAPI document is named', () => {
  test.each<[string, (document: Json) => void]>([
    ['POST /reopen_goal: was removed', (now) => delete now.paths['/reopen_goal']],
    ['POST /reopen_goal: the operationId reopenGoal became open', (now) => (reopen(now).operationId = 'open')],
    ['request message: was removed', (now) => delete schemas(now).ReopenGoalInput.properties.message],
    ['request message: became required', (now) => (schemas(now).ReopenGoalInput.required = ['message'])],
    [
      'request message: can no longer be null',
      (now) => (schemas(now).ReopenGoalInput.properties.message.type = 'string'),
    ],
    [
      'request message: maxLength was lowered',
      (now) => (schemas(now).ReopenGoalInput.properties.message.maxLength = 9),
    ],
    ['200 goal name: was removed', (now) => delete schemas(now).Goal.properties.name],
    ['200 goal name: became nullable', (now) => (schemas(now).Goal.properties.name.type = ['string', 'null'])],
    ['200 goal name: can no longer be string', (now) => (schemas(now).Goal.properties.name.type = 'integer')],
    ['200 goal name: is no longer always there', (now) => schemas(now).Goal.required.splice(0)],
    [
      '400: can no longer be MALFORMED_JSON',
      (now) => now.components.responses.BadRequest.content['application/problem+json'].schema.oneOf.shift(),
    ],
    [
      '409 current_version: was removed',
      (now) => delete schemas(now).VersionConflictProblem.properties.current_version,
    ],
    [
      'the parameter Idempotency-Key became required',
      (now) => (now.components.parameters['Idempotency-Key'].required = true),
    ],
    ['servers: /api/external/v1 became /api/external/v2', (now) => (now.servers[0].url = '/api/external/v2')],
  ])('%s', (line, change) => {
    expect(breakingChanges(openApi, changed(change)).join('\n')).toContain(line);
  });

  test.each<[string, (document: Json) => void]>([
    ['a path', (now) => (now.paths['/close_goal'] = now.paths['/reopen_goal'])],
    ['a status', (now) => (reopen(now).responses['418'] = reopen(now).responses['404'])],
    [
      'an optional request field',
      (now) => (schemas(now).ReopenGoalInput.properties.reason = { type: ['string', 'null'] }),
    ],
    ['a response field', (now) => (schemas(now).Goal.properties.color = { type: 'string' })],
    ['a value of a response enum', (now) => schemas(now).GoalStatus.anyOf[0].enum.push('dropped')],
    ['a wider bound', (now) => (schemas(now).ReopenGoalInput.properties.message.maxLength = 200_000)],
  ])('but %s may be added', (_what, change) => {
    expect(breakingChanges(openApi, changed(change))).toEqual([]);
  });
});
