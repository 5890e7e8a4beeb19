import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/rest/openapi/openApiDocument.js';
import { preparedMutations } from '../../src/rest/routes.js';
import { sdl } from '../../src/schema.js';
import { breakingGraphqlChanges } from '../support/graphqlChanges.js';

test('a field that is deprecated in GraphQL is so in REST, with what to use instead, and breaks no client', async () => {
  const old = buildSchema(sdl());
  const [before, after] = ['  isClosed: Boolean!', '  isClosed: Boolean! @deprecated(reason: "Use `status` instead.")'];
  const now = buildSchema(sdl().replace(before, after));
  expect(await breakingGraphqlChanges(old, now)).toEqual([]);
  const { components } = openApiDocument(now, preparedMutations(now));
  const schemas: Record<string, object> = components.schemas;
  const { properties } = schemas.Goal as { properties: Record<string, object> };
  expect(properties.is_closed).toMatchObject({
    deprecated: true,
    description: expect.stringMatching(/ Deprecated: Use `status` instead\.$/),
  });
  expect(properties.status).not.toHaveProperty('deprecated');
});
