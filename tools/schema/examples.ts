import type { OwnDatabase } from '../../src/database.js';
import { fileRecovery } from '../../src/operations/recoverResourceHubFile.js';
import { preparedMutations } from '../../src/rest/routes.js';
import { schema } from '../../src/schema.js';
import { createToken } from '../../src/tokens.js';
import { demoPeople, fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';

/** The clock of the gateway whose answers are recorded. */
export const recordedAt = new Date('2026-06-15T12:00:00Z');

/** Imports the demo workspace into an empty database; returns a token that may write. */
export async function importDemo(db: OwnDatabase, file: string): Promise<string> {
  await importFrom(db, fileSource(file));
  const { companyId, writerId: personId } = demoPeople;
  return (await createToken(db, { companyId, personId, name: 'write', canWrite: true })).token;
}

/** The examples of the operations, in their order, with the answers of a gateway on the demo workspace. */
export async function recordedExamples(
  post: (path: string, body: unknown) => Promise<{ status: number; body: unknown }>,
): Promise<string> {
  const examples: Record<string, unknown> = {};
  for (const { path, example } of preparedMutations(schema)) {
    const name = nameOf(path);
    // What is taken back is the change before it.
    const request = name === 'undoChange' ? { activity_id: await activityOfRecovery(post) } : example;
    if (!request) continue;
    const { status, body } = await post(path, request);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    examples[name] = steady({ request, response: body });
  }
  return `${JSON.stringify(examples, null, 2)}\n`;
}

/** Of the recovery of a file, which is the operation before. */
async function activityOfRecovery(post: Parameters<typeof recordedExamples>[0]): Promise<string | undefined> {
  const { body } = await post('/graphql', {
    query: `{ resourceHubFile(id: "${fileRecovery.rest.example?.file_id}") { activities { nodes { id action } } } }`,
  });
  const { nodes } = (body as Activities).data.resourceHubFile.activities;
  return nodes.find(({ action }) => action === 'RESOURCE_HUB_FILE_RECOVERED')?.id;
}

interface Activities {
  data: { resourceHubFile: { activities: { nodes: { id: string; action: string }[] } } };
}

/** `/documents/restore_document_version` -> `restoreDocumentVersion`. */
const nameOf = (path: string) => (path.split('/').at(-1) ?? '').replace(/_(.)/g, (_, letter) => letter.toUpperCase());

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
    return isNow ? recordedAt.toISOString() : entry;
  });
}
