import type { Database } from '../database/client.js';
import { demo } from '../workspace/demo.js';

/** Three commands that succeed as they are on what the demo workspace holds now, one for each operation. */
export async function curlCommands(db: Database, base: string, token: string): Promise<string[]> {
  const files = await db.resourceHubFile.findMany({
    where: { deletedAt: null, resourceHub: { access: { some: { personId: demo.writerId, level: { gte: 70 } } } } },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  const file = files.find(({ id }) => id === demo.fileId) ?? files[0];
  const document = await db.resourceHubDocument.findUnique({
    where: { id: demo.documentId },
    select: { currentVersion: true },
  });
  const command = (path: string, body: object) =>
    `curl -sS ${base}/api/external/v1/${path} -H 'Authorization: Bearer ${token}' ` +
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    command('reopen_goal', { id: demo.closedGoalId, message: 'We are not done yet' }),
    // An empty body is a valid call too: it deletes nothing.
    command('delete_resource_hub_file', file ? { file_id: file.id } : {}),
    command('documents/restore_document_version', {
      document_id: demo.documentId,
      version_number: 1,
      expected_current_version: document?.currentVersion ?? 1,
    }),
  ];
}
