import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { failure } from '../../src/platform/failures/index.js';
import { masking } from '../../src/platform/http/response.js';
import { router } from '../../src/platform/http/router.js';
import { openApiDocument } from '../../src/rest/openapi/openApiDocument.js';
import { leastNotice, prepare, restRoutes, type StoredMutation, storedMutations } from '../../src/rest/routes.js';
import { schema, sdl } from '../../src/schema/index.js';
import { breakingChanges, type ComparedDocument } from '../../tools/release/breakingChanges.js';
import { sectionOf, textOf } from '../support/documents.js';
import { breakingGraphqlChanges } from '../support/graphqlChanges.js';
import { openApi } from '../support/openapiValidator.js';

const [reopenGoal] = storedMutations as [StoredMutation];
const deprecated = { since: '2027-01-31', sunset: '2027-09-01' };
const announced = prepare(schema, { ...reopenGoal, deprecated });

const routesOf = (mutation: typeof announced) =>
  restRoutes([mutation], {
    schema,
    bodyLimit: 1000,
    execute: () => Promise.reject(new Error('not called')),
  });

describe('a path that is deprecated', () => {
  test('says so in every response, with the day on which it may be gone', async () => {
    const { handle } = router({
      routes: routesOf(announced),
      checks: [() => Promise.reject(failure('UNAUTHENTICATED'))],
      checksOnceCounted: [],
      mask: masking({ error: () => {} } as never),
      noPage: () => ({ status: 404, headers: {} }),
      guide: '/docs',
    });
    const context = { requestId: 'r', responseHeaders: {} };
    const { status } = await handle(new Request(`http://127.0.0.1${reopenGoal.path}`, { method: 'POST' }), context);
    expect(status).toBe(401);
    expect(context.responseHeaders).toMatchObject({
      Deprecation: `@${Date.UTC(2027, 0, 31) / 1000}`,
      Sunset: 'Wed, 01 Sep 2027 00:00:00 GMT',
    });
  });

  test('is deprecated in the OpenAPI document, which breaks no client', () => {
    const { post } = openApiDocument(schema, [announced]).paths['/reopen_goal'] ?? {};
    expect(post).toMatchObject({ deprecated: true });
    expect(post?.responses['200'].headers).toHaveProperty('Sunset');
    const now = { ...openApi, paths: { ...openApi.paths, '/reopen_goal': { post } } };
    expect(breakingChanges(openApi, now as unknown as ComparedDocument)).toEqual([]);
  });

  test('gives the notice that docs/clients.md promises, or the gateway does not start', () => {
    expect(sectionOf(textOf('docs/clients.md'), 'Deprecation')).toContain(`${leastNotice} days`);
    const early = { since: '2027-01-31', sunset: '2027-07-29' };
    expect(() => routesOf(prepare(schema, { ...reopenGoal, deprecated: early }))).toThrow('at least 180 days');
    const never = { since: '2027-01-31', sunset: 'soon' };
    expect(() => routesOf(prepare(schema, { ...reopenGoal, deprecated: never }))).toThrow('at least 180 days');
  });
});

test('a field that is deprecated in GraphQL is so in REST, with what to use instead, and breaks no client', async () => {
  const old = buildSchema(sdl());
  const [before, after] = ['  isClosed: Boolean!', '  isClosed: Boolean! @deprecated(reason: "Use `status` instead.")'];
  const now = buildSchema(sdl().replace(before, after));
  expect(await breakingGraphqlChanges(old, now)).toEqual([]);
  const { components } = openApiDocument(now, [prepare(now, reopenGoal)]);
  const schemas: Record<string, object> = components.schemas;
  const { properties } = schemas.Goal as { properties: Record<string, object> };
  expect(properties.is_closed).toMatchObject({
    deprecated: true,
    description: expect.stringMatching(/ Deprecated: Use `status` instead\.$/),
  });
  expect(properties.status).not.toHaveProperty('deprecated');
});
