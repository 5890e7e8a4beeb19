import type { Context } from '../context.js';
import { newId, sql } from '../platform/postgres/index.js';
import { hubAccess } from '../policies/access.js';
import { fileAccess, fileAudience, fileFollowers } from '../policies/recipients.js';
import { declare } from './declaration.js';
import {
  loadState,
  lockedRecord,
  type NamedFile,
  nothingNamed,
  nothingPreviewed,
  notify,
  type Outcome,
  type Preview,
  permitEdit,
  type ReadRecord,
  recorded,
  requireState,
  retry,
  write,
} from './operation.js';

/** Marks a file as deleted and notifies its subscribers. Throws 404, 403 or 409. */
export async function deleteResourceHubFile<File>(
  context: Context,
  { fileId }: NamedFile,
  expectedState: string | null | undefined,
  read: ReadRecord<File>,
): Promise<Outcome<File>> {
  if (fileId == null) return nothingNamed;
  const { actor } = context;
  const { companyId, personId } = actor;
  const record = { kind: 'file', id: fileId } as const;
  return retry(context, async () => {
    const folderId = await permit(context, fileId);
    await requireState(context, record, expectedState);

    const activityId = newId();
    const statement = sql`
    WITH ${lockedRecord(actor, record, expectedState, { condition: sql`r.deleted_at IS NULL` })}, file AS (
      UPDATE resource_hub_files f
      SET deleted_at = before.at, deleted_by_id = ${personId}, outcome_activity_id = ${activityId}
      FROM before WHERE f.company_id = ${companyId} AND f.id = ${fileId} RETURNING f.id, f.name, f.resource_hub_id
    ), ${recorded(context, { id: activityId, action: 'resource_hub_file_deleted', record: 'file' })}, ${fileFollowers(actor)}, notified AS (${notify(actor, fileAudience(actor), fileAccess(actor))})
    SELECT id FROM activity`;
    return write(context, statement, (tx) => read(tx, fileId, folderId));
  });
}

/** Returns the folder that it is in. */
async function permit({ db, actor }: Context, fileId: string): Promise<string | null> {
  const { companyId } = actor;
  const file = await db.resourceHubFile.findFirst({
    where: { id: fileId, companyId, deletedAt: null },
    select: { parentFolderId: true, resourceHub: { select: hubAccess(actor) } },
  });
  permitEdit('file', fileId, file?.resourceHub);
  return file?.parentFolderId ?? null;
}

/** What deleteResourceHubFile would do now. Makes the same checks and writes nothing. Throws 404 or 403. */
export async function previewDeleteResourceHubFile(context: Context, { fileId }: NamedFile): Promise<Preview> {
  if (fileId == null) return nothingPreviewed;
  const record = { kind: 'file', id: fileId } as const;
  const state = await loadState(context, record);
  await permit(context, fileId);
  const changes = { deletedAt: context.now, deletedById: context.actor.personId };
  return { record, wouldChange: true, state, changes };
}

export const fileDeletion = declare({
  field: 'deleteResourceHubFile',
  title: 'Delete a file',
  action: 'resource_hub_file_deleted',
  actions: { resource_hub_file_deleted: { description: 'A file of a hub was deleted.' } },
  undo: {
    action: 'resource_hub_file_recovered',
    steps: ({ change }) => change(sql`deleted_at = NULL, deleted_by_id = NULL`),
    changes: async () => ({ deletedAt: null, deletedById: null }),
  },
  reverses: ['resource_hub_file_recovered'],
  rest: {
    path: '/delete_resource_hub_file',
    selection: 'file { ...FileFields }',
    example: { file_id: 'file-home-screen' },
  },
  tool: { isDestructive: true, selection: 'file { ...FileFields }' },
  preview: {
    sentence: 'Delete the file {file.name} in {file.resource_hub.name}; notifies {notified.total_count} people',
    selection:
      'wouldChange state file { ...FileFields } after { ...ChangedFile } notified(first: 20) { ...PeopleFields }',
  },
});
