import { expect, test } from 'vitest';
import { openApi } from '../../src/commands/contract.js';
import { sdl } from '../../src/schema.js';
import { importDemo, recordedExamples } from '../../tools/schema/examples.js';
import { documentsWithTables } from '../../tools/schema/tables.js';
import { pathOf, textOf } from '../support/documents.js';
import { createWorld, World } from '../support/world.js';

const differs = 'what is committed (-) is not what the code makes (+); npm run schema writes it';

test('schema.graphql is what the code prints', () => {
  expect(sdl(), differs).toBe(textOf('schema.graphql'));
});

test('openapi.json is what the code projects', () => {
  expect(openApi(), differs).toBe(textOf('openapi.json'));
});

test.each(Object.entries(documentsWithTables()))('%s has the tables of the code', (file, text) => {
  expect(text, differs).toBe(textOf(file));
});

test('the examples of the OpenAPI document are what the demo workspace answers', async () => {
  const world = await createWorld({ isAlone: true });
  const token = await importDemo(world.db, pathOf('prisma/demo-workspace.json'));
  const gateway = new World(world.db, world.url);
  const recorded = await recordedExamples((path, body) => gateway.post(path, token, body));
  expect(recorded, differs).toBe(textOf('src/rest/openapi/recordedExamples.json'));
});
