import { expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { demoPeople, fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { pathOf } from '../support/documents.js';
import { createWorld, type Json, World } from '../support/world.js';

const world = await createWorld();
const workspace = pathOf('prisma/demo-workspace.json');

/** Makes an answer the same in every run: replaces new ids and current times, and cuts lists to two items. */
function steady(value: unknown): unknown {
  const ids: string[] = [];
  return JSON.parse(JSON.stringify(value), (_key, entry) => {
    if (Array.isArray(entry)) return entry.slice(0, 2);
    if (typeof entry !== 'string') return entry;
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(entry)) {
      if (!ids.includes(entry)) ids.push(entry);
      return `019ecb3a-66c0-7000-8000-${String(ids.indexOf(entry) + 1).padStart(12, '0')}`;
    }
    const isNow = /^\d{4}-\d\d-\d\dT.*Z$/.test(entry) && Math.abs(Date.now() - Date.parse(entry)) < 3_600_000;
    return isNow ? world.now.toISOString() : entry;
  });
}

/** `/documents/restore_document_version` -> `restoreDocumentVersion`. */
const nameOf = (path: string) => (path.split('/').at(-1) ?? '').replace(/_(.)/g, (_, letter) => letter.toUpperCase());

test('the examples of the OpenAPI document are what the demo workspace answers; npm run schema updates them', async () => {
  await importFrom(world.db, fileSource(workspace));
  const { token } = await createToken(world.db, {
    companyId: demoPeople.companyId,
    personId: demoPeople.writerId,
    name: 'write',
    canWrite: true,
  });
  const gateway = new World(world.db, world.url, { demo: { token } });
  const { requests } = await gateway.app.workedExamples();
  const examples: Json = {};
  for (const { path, body: request } of requests) {
    const { status, body } = await world.post(path, token, request);
    expect(status).toBe(200);
    examples[nameOf(path)] = { request, response: steady(body) };
  }
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
    '../../src/rest/openapi/recordedExamples.json',
  );
});
