import type { Database } from '../database/client.js';
import { type ExampleIds, placeholders } from '../http/examples.js';
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
      take: 2,
      select: { id: true },
    }),
    db.resourceHubDocument.findUnique({
      where: { id: demo.documentId },
      select: { currentVersion: true, name: true, content: true },
    }),
  ]);
  const version = document && (await firstThatDiffers(db, document));
  return {
    goalId: goal?.id ?? demo.closedGoalId,
    fileToDeleteId: files[0]?.id ?? null,
    // Another one, so that deleting does not spoil the example that reads.
    fileId: (files[1] ?? files[0])?.id ?? demo.fileId,
    documentId: demo.documentId,
    currentVersion: document?.currentVersion ?? placeholders.currentVersion,
    versionToRestore: version?.versionNumber ?? placeholders.versionToRestore,
  };
}

const firstThatDiffers = (db: Database, { name, content }: { name: string; content: string }) =>
  db.documentVersion.findFirst({
    where: { documentId: demo.documentId, OR: [{ title: { not: name } }, { content: { not: content } }] },
    orderBy: { versionNumber: 'asc' },
    select: { versionNumber: true },
  });
