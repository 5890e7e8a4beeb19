import type { Context } from '../context.js';
import { Prisma } from '../database/generated/client/client.js';
import { textList } from '../database/query/textList.js';
import { level } from '../policies/access.js';

/** A record that a mutation changes, by the id in its input. */
export interface ChangedRecord {
  kind: 'document' | 'file' | 'goal';
  id: string;
}

/**
 * Locks the records that several mutations of one request will change, until its transaction ends: by kind, then by id,
 * so that requests which name them in opposite orders wait for each other instead of deadlocking. Passes over those that
 * the caller may not edit: they wait for no one who holds these, and nobody waits for them.
 * Decisions: "Several changes at once".
 */
export async function lockChanges(
  { db, actor: { companyId, personId } }: Pick<Context, 'db' | 'actor'>,
  changes: readonly ChangedRecord[],
): Promise<void> {
  const named = (kind: ChangedRecord['kind']) => {
    const ids = changes.flatMap((change) => (change.kind === kind ? [change.id] : []));
    return Prisma.sql`r.company_id = ${companyId} AND r.id = ANY(${textList(ids)})`;
  };
  const byCaller = Prisma.sql`a.company_id = ${companyId} AND a.person_id = ${personId} AND a.level >= ${level.edit}`;
  const hub = Prisma.sql`EXISTS (SELECT FROM resource_hub_access a WHERE a.resource_hub_id = r.resource_hub_id AND ${byCaller})`;
  await db.$queryRaw(Prisma.sql`
    SELECT id FROM (
      SELECT r.id FROM resource_hub_documents r
      WHERE ${named('document')} AND r.deleted_at IS NULL AND (r.state = 'published' OR r.author_id = ${personId}) AND ${hub}
      ORDER BY r.id FOR NO KEY UPDATE OF r
    ) documents
    UNION ALL SELECT id FROM (
      SELECT r.id FROM resource_hub_files r WHERE ${named('file')} AND ${hub} ORDER BY r.id FOR NO KEY UPDATE OF r
    ) files
    UNION ALL SELECT id FROM (
      SELECT r.id FROM goals r
      WHERE ${named('goal')} AND EXISTS (SELECT FROM goal_access a WHERE a.goal_id = r.id AND ${byCaller})
      ORDER BY r.id FOR NO KEY UPDATE OF r
    ) goals`);
}
