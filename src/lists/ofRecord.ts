import { emptySql, joinSql, sql } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import { type CursorKind, everywhere, type List, patternsOf, rowsOfRecord } from './engine.js';

type Subject = 'goal' | 'file' | 'document';

export const activityCursor = (subject: Subject): CursorKind => ({ name: `${subject}.activities`, key: 'timestamptz' });

/** The activities of each goal, file or document in the scopes, newest first: all, or those since then. */
export const activityList = (actor: Actor, subject: Subject, since: Date | null | undefined): List =>
  rowsOfRecord(actor, {
    ...activityCursor(subject),
    table: 'activities',
    of: `${subject}_id`,
    by: 'inserted_at',
    ...(since && { where: sql`r.inserted_at >= ${since}` }),
  });

export const deletedFileCursor: CursorKind = { name: 'resourceHub.deletedFiles', key: 'timestamptz' };

/** The deleted files of each hub in the scopes, latest deletion first. */
export const deletedFileList = (actor: Actor): List =>
  rowsOfRecord(actor, {
    ...deletedFileCursor,
    table: 'resource_hub_files',
    of: 'resource_hub_id',
    by: 'deleted_at',
    where: sql`r.removed_at IS NULL`,
  });

export const deletedAnywhereCursor: CursorKind = { name: 'deletedFiles', key: 'timestamptz' };

/** The deleted files of all hubs in which the caller may recover them, latest deletion first: all, or those with the text. */
export const filesDeletedAnywhere = ({ companyId, personId }: Actor, text: string | null | undefined): List => ({
  ...deletedAnywhereCursor,
  descending: true,
  steps: () => {
    const words = (text == null ? [] : patternsOf(text)).map(
      (pattern) => sql`AND (f.search_key LIKE ${pattern} OR f.resource_hub_id IN (
        SELECT h.id FROM resource_hubs h WHERE h.company_id = ${companyId} AND h.removed_at IS NULL AND h.search_key LIKE ${pattern}))`,
    );
    return sql`found AS MATERIALIZED (
      SELECT f.id, f.deleted_at AS key, f.resource_hub_id AS hub FROM resource_hub_files f
      WHERE f.company_id = ${companyId} AND f.deleted_at IS NOT NULL AND f.removed_at IS NULL
        ${words.length > 0 ? joinSql(words, ' ') : emptySql}
    ), editable AS MATERIALIZED (
      SELECT f.hub FROM (SELECT DISTINCT hub FROM found) f
      WHERE (SELECT a.level FROM resource_hub_access a
        WHERE a.company_id = ${companyId} AND a.resource_hub_id = f.hub AND a.person_id = ${personId}) >= ${level.edit})`;
  },
  branches: (_scopes, walk) => [
    sql`SELECT ${everywhere} AS scope, 0 AS rank, f.key, f.id FROM found f
      WHERE f.hub IN (SELECT e.hub FROM editable e) ${walk({ key: sql`f.key`, id: sql`f.id` })}`,
  ],
});

export const versionCursor: CursorKind = { name: 'resourceHubDocument.versions', key: 'integer' };

/** The versions of each document in the scopes, newest first. */
export const versionList = (actor: Actor): List =>
  rowsOfRecord(actor, { ...versionCursor, table: 'document_versions', of: 'document_id', by: 'version_number' });
