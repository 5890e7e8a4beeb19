import { Prisma } from '../generated/client/client.js';
import { rawSql as raw, sql } from '../platform/postgres/index.js';
import type { UnknownChange } from './report.js';
import { differ, isThere, most, staged, type Update } from './staging.js';

/** The records that operations change: the column of an activity that names one, and the columns that say its outcome. */
const operated = [
  { table: 'goals', kind: 'goal', subject: 'goal_id', outcome: ['closed_at', 'closed_by_id', 'success'] },
  { table: 'resource_hub_files', kind: 'file', subject: 'file_id', outcome: ['deleted_at', 'deleted_by_id'] },
  { table: 'resource_hub_documents', kind: 'document', subject: 'document_id', outcome: ['name', 'content'] },
] as const;

/**
 * The records of the file, removed ones included, that an operation has changed by an event which the writer of the file
 * had not taken in, each with its last one. After the rows are locked, only those that are: others may go on changing.
 */
export async function unknownChanges(update: Update, { onlyLocked = false } = {}): Promise<UnknownChange[]> {
  const { tx, staging, companyId, asOf, overwrite } = update;
  const found: UnknownChange[] = [];
  for (const { table, kind, subject, outcome } of operated) {
    const isUndone = isThere(update, table, sql`t.id = s.id AND ${differ(outcome, 's', 't')}`);
    const isRelevant = onlyLocked ? sql`s.differs` : overwrite ? isUndone : sql`TRUE`;
    const named = [sql`SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = ${table}`];
    if (staging.tables.has(table))
      named.push(sql`SELECT s.id, s.path, s.n FROM ${staged(table)} s WHERE ${isRelevant}`);
    const event = sql`a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at`;
    const rows = await tx.$queryRaw<(UnknownChange & { sequence: bigint | null })[]>(sql`
      WITH named AS MATERIALIZED (${Prisma.join(named, ' UNION ALL ')}), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT ${event} FROM activities a
          WHERE a.company_id = ${companyId} AND a.origin = 'api' AND a.sequence > ${asOf}::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = ${kind}::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, ${event} FROM named JOIN (
          SELECT * FROM activities WHERE company_id = ${companyId} AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.${raw(subject)} = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) ${table} AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT ${most}::integer`);
    for (const { table: of, id, path, sequence, action, personId, at } of rows)
      found.push({ table: of, id, path, event: sequence === null ? null : String(sequence), action, personId, at });
  }
  return found;
}
