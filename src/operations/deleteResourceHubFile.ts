import type { Context } from '../context.js';
import { Prisma } from '../generated/client/client.js';
import { newId } from '../platform/postgres/index.js';
import { callersAccess, level } from '../policies/access.js';
import { company, notify, permitEdit, retry, validToken } from './operation.js';

export interface DeleteResourceHubFileInput {
  fileId?: string | null | undefined;
}

export interface DeletedFile {
  /** Null when the input names no file. */
  fileId: string | null;
  activityId: string | null;
}

/** Marks a file as deleted and notifies its subscribers. Throws 404 or 403. Decisions: "Delete". */
export async function deleteResourceHubFile(context: Context, input: DeleteResourceHubFileInput): Promise<DeletedFile> {
  const { fileId } = input;
  return fileId == null ? { fileId: null, activityId: null } : retry(context, () => attempt(context, fileId));
}

async function attempt({ db, actor, surface }: Context, fileId: string): Promise<DeletedFile | undefined> {
  const { companyId, personId } = actor;
  const file = await db.resourceHubFile.findFirst({
    where: { id: fileId, companyId, deletedAt: null },
    select: { resourceHub: { select: callersAccess(actor) } },
  });
  permitEdit('file', fileId, file?.resourceHub);

  const [activity] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH ${company(actor)}, ${validToken(actor)}, file AS (
      UPDATE resource_hub_files f SET deleted_at = now(), deleted_by_id = ${personId}
      WHERE f.company_id = ${companyId} AND f.id = ${fileId} AND f.deleted_at IS NULL
        AND EXISTS (SELECT FROM token)
        AND EXISTS (SELECT FROM resource_hub_access a
          WHERE a.company_id = ${companyId} AND a.resource_hub_id = f.resource_hub_id
            AND a.person_id = ${personId} AND a.level >= ${level.edit})
      RETURNING id, name, resource_hub_id
    ), activity AS (
      INSERT INTO activities AS a (company_id, id, action, author_id, token_id, surface, file_id, name, origin)
      SELECT company.id, ${newId()}, 'resource_hub_file_deleted', ${personId}, token.id, ${surface}, file.id,
        file.name, 'api'
      FROM company, token, file RETURNING a.id
    ), list AS (
      SELECT l.id, l.send_to_everyone
      FROM file JOIN subscription_lists l ON l.company_id = ${companyId} AND l.file_id = file.id
    ), followers AS (
      SELECT s.person_id, s.canceled
      FROM list JOIN subscriptions s ON s.company_id = ${companyId} AND s.subscription_list_id = list.id
    ), space AS (
      SELECT coalesce(h.space_id, g.space_id, p.space_id) AS id
      FROM file JOIN resource_hubs h ON h.company_id = ${companyId} AND h.id = file.resource_hub_id
      LEFT JOIN goals g ON g.company_id = ${companyId} AND g.id = h.goal_id
      LEFT JOIN projects p ON p.company_id = ${companyId} AND p.id = h.project_id
    ), notified AS (${notify(
      actor,
      Prisma.sql`SELECT person_id FROM followers WHERE NOT canceled UNION
        SELECT m.person_id FROM list, space JOIN space_members m ON m.company_id = ${companyId} AND m.space_id = space.id
        WHERE list.send_to_everyone AND m.person_id NOT IN (SELECT person_id FROM followers WHERE canceled)`,
      Prisma.sql`SELECT a.person_id, a.level, a.is_suspended
        FROM file JOIN resource_hub_access a ON a.company_id = ${companyId} AND a.resource_hub_id = file.resource_hub_id`,
    )})
    SELECT id FROM activity`);
  return activity && { fileId, activityId: activity.id };
}
