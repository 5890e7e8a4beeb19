import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createToken } from '../src/database/tokens.js';
import { demo } from '../src/workspace/demo.js';
import { readDocument } from '../src/workspace/file.js';
import { importWorkspace } from '../src/workspace/import.js';
import { createWorld, type Json, restPaths } from './support/world.js';

const requests = {
  reopenGoal: {
    id: demo.closedGoalId,
    message: 'The tablet layout was left out: we are not done yet.',
    send_notifications_to_everyone: true,
    subscriber_ids: [demo.readerId],
  },
  deleteResourceHubFile: { file_id: demo.fileId },
  restoreDocumentVersion: {
    document_id: demo.documentId,
    version_number: demo.versionToRestore,
    expected_current_version: demo.currentVersion,
  },
};

const header = `// What the demo workspace answers, for the OpenAPI document: npm run schema writes it, test/examples.test.ts compares.
export const examples: Record<string, { request: unknown; response: unknown }> = `;

const world = await createWorld();
const workspace = fileURLToPath(new URL('../prisma/demo-workspace.json', import.meta.url));

/** The same in every run: new ids and times of now replaced, and no more than two of a list. */
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

test('the examples of the OpenAPI document are what the demo workspace answers; npm run schema updates them', async () => {
  await importWorkspace(world.db, await readDocument(workspace));
  const { token } = await createToken(world.db, { personId: demo.writerId, name: 'write', canWrite: true });
  const examples: Json = {};
  for (const [name, request] of Object.entries(requests)) {
    const { status, body } = await world.post(restPaths[name as keyof typeof restPaths], token, request);
    expect(status).toBe(200);
    examples[name] = { request, response: steady(body) };
  }
  await expect(`${header}${JSON.stringify(examples, null, 2)};\n`).toMatchFileSnapshot(
    '../src/rest/openapi/recordedExamples.ts',
  );
});
