import type { Database } from '../database/client.js';
import { type ExampleIds, placeholders } from '../pages/examples.js';
import { level } from '../policies/access.js';
import { demo } from '../workspace/demo.js';

/** What of the demo workspace the examples can be run on now: a goal that is closed, a file that is there. */
export async function liveIds(db: Database): Promise<ExampleIds> {
  const editable = { access: { some: { personId: demo.writerId, level: { gte: level.edit } } } };
  const [goal, files, document] = await Promise.all([
    db.goal.findFirst({
      where: { closedAt: { not: null }, archivedAt: null, ...editable },
      orderBy: [{ closedAt: 'desc' }, { id: 'asc' }],
      select: { id: true },
    }),
    db.resourceHubFile.findMany({
      where: { deletedAt: null, resourceHub: editable },
      orderBy: { id: 'asc' },
      select: { id: true },
    }),
    db.resourceHubDocument.findUnique({
      where: { id: demo.documentId },
      select: { currentVersion: true, name: true, content: true },
    }),
  ]);
  const toDelete = files.find(({ id }) => id === demo.fileId) ?? files[0];
  const version = document && (await toRestore(db, document));
  return {
    goalId: goal?.id ?? demo.closedGoalId,
    fileToDeleteId: toDelete?.id ?? null,
    // Another one, so that deleting does not spoil the example that reads.
    fileId: files.find((file) => file !== toDelete)?.id ?? demo.fileId,
    documentId: demo.documentId,
    currentVersion: document?.currentVersion ?? placeholders.currentVersion,
    versionToRestore: version?.versionNumber ?? placeholders.versionToRestore,
    spaceId: demo.spaceId,
    resourceHubId: demo.resourceHubId,
    folderId: demo.folderId,
  };
}

/** A version that differs from the document, so that restoring it does something. */
async function toRestore(db: Database, { name, content }: { name: string; content: string }) {
  const versions = await db.documentVersion.findMany({
    where: { documentId: demo.documentId, OR: [{ title: { not: name } }, { content: { not: content } }] },
    orderBy: { versionNumber: 'asc' },
    select: { versionNumber: true },
  });
  return versions.find(({ versionNumber }) => versionNumber === demo.versionToRestore) ?? versions[0];
}
