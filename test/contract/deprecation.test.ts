import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/rest/openapi/openApiDocument.js';
import { prepare, type StoredMutation, storedMutations } from '../../src/rest/routes.js';
import { sdl } from '../../src/schema/index.js';
import { breakingChanges, type ComparedDocument } from '../../tools/release/breakingChanges.js';
import { breakingGraphqlChanges } from '../support/graphqlChanges.js';
import { openApi } from '../support/openapiValidator.js';

const [reopenGoal] = storedMutations as [StoredMutation];

test('a mutation that is deprecated is so in REST, which breaks no client', () => {
  const [before, after] = ['): ReopenGoalPayload!\n', '): ReopenGoalPayload! @deprecated(reason: "Use another.")\n'];
  const now = buildSchema(sdl().replace(before, after));
  const { post } = openApiDocument(now, [prepare(now, reopenGoal)]).paths['/reopen_goal'] ?? {};
  expect(post).toMatchObject({ deprecated: true });
  const paths = { ...openApi.paths, '/reopen_goal': { ...openApi.paths['/reopen_goal'], deprecated: true } };
  expect(breakingChanges(openApi, { ...openApi, paths } as unknown as ComparedDocument)).toEqual([]);
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
