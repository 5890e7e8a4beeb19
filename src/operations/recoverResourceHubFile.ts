import type { Context } from '../context.js';
import { newId, sql } from '../platform/postgres/index.js';
import { hubAccess, keyOf } from '../policies/access.js';
import { declare } from './declaration.js';
import {
  loadState,
  lockedRecord,
  type NamedFile,
  nothingNamed,
  nothingPreviewed,
  type Outcome,
  type Preview,
  permitEdit,
  type ReadRecord,
  recorded,
  requireState,
  retry,
  unchanged,
  write,
} from './operation.js';

/** Recovers a deleted file. Leaves a file that is not deleted unchanged. Throws 404, 403 or 409. */
export async function recoverResourceHubFile<File>(
  context: Context,
  { fileId }: NamedFile,
  expectedState: string | null | undefined,
  read: ReadRecord<File>,
): Promise<Outcome<File>> {
  if (fileId == null) return nothingNamed;
  const { db, actor } = context;
  const { companyId } = actor;
  const record = { kind: 'file', id: fileId } as const;
  const condition = sql`r.deleted_at IS NOT NULL AND r.removed_at IS NULL`;
  return retry(context, async () => {
    const { isDeleted, folderId } = await loadDeleted(context, fileId);
    await requireState(context, record, expectedState);
    if (!isDeleted) return unchanged(await read(db, fileId));

    const activityId = newId();
    const statement = sql`
    WITH ${lockedRecord(actor, record, expectedState, { condition })}, file AS (
      UPDATE resource_hub_files f SET deleted_at = NULL, deleted_by_id = NULL, outcome_activity_id = ${activityId}
      FROM before WHERE f.company_id = ${companyId} AND f.id = ${fileId} RETURNING f.id, f.name
    ), ${recorded(context, { id: activityId, action: 'resource_hub_file_recovered', record: 'file' })}
    SELECT id FROM activity`;
    return write(context, statement, (tx) => read(tx, fileId, folderId));
  });
}

/** Whether it is deleted, and in which folder. Throws 404 or 403. */
async function loadDeleted(
  { db, actor }: Context,
  fileId: string,
): Promise<{ isDeleted: boolean; folderId: string | null }> {
  const file = await db.resourceHubFile.findFirst({
    where: { ...keyOf(actor, fileId).companyId_id, removedAt: null },
    select: { deletedAt: true, parentFolderId: true, resourceHub: { select: hubAccess(actor) } },
  });
  permitEdit('file', fileId, file?.resourceHub);
  return { isDeleted: file?.deletedAt != null, folderId: file?.parentFolderId ?? null };
}

/** What recoverResourceHubFile would do now. Makes the same checks and writes nothing. Throws 404 or 403. */
export async function previewRecoverResourceHubFile(context: Context, { fileId }: NamedFile): Promise<Preview> {
  if (fileId == null) return nothingPreviewed;
  const record = { kind: 'file', id: fileId } as const;
  const state = await loadState(context, record);
  const { isDeleted } = await loadDeleted(context, fileId);
  return { record, wouldChange: isDeleted, state, changes: { deletedAt: null, deletedById: null } };
}

export const fileRecovery = declare({
  field: 'recoverResourceHubFile',
  title: 'Recover a deleted file',
  isAddition: true,
  action: 'resource_hub_file_recovered',
  actions: { resource_hub_file_recovered: { description: 'A deleted file of a hub was recovered.' } },
  undo: {
    action: 'resource_hub_file_deleted',
    steps: ({ authorId, change }) => change(sql`deleted_at = before.at, deleted_by_id = ${authorId}`),
    changes: async ({ actor, now }) => ({ deletedAt: now, deletedById: actor.personId }),
  },
  reverses: ['resource_hub_file_deleted'],
  rest: {
    path: '/recover_resource_hub_file',
    selection: 'file { ...FileFields }',
    example: { file_id: 'file-home-screen' },
  },
  tool: { isDestructive: false, selection: 'file { ...FileFields }' },
  preview: {
    unchanged: 'The file is not deleted.',
    sentence: 'Recover the file {file.name} in {file.resource_hub.name}',
    selection: 'wouldChange state file { ...FileFields } after { ...ChangedFile }',
  },
});
