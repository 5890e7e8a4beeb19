import { rawSql, sql } from '../platform/postgres/index.js';
import { within } from './rows.js';
import { columns, differ, lookUp, most, staged, type Update } from './staging.js';
import { nested, tables } from './tables.js';

/** What two versions of a number must have in common. */
const contents = ['title', 'content', 'editor_id', 'origin', 'restored_from_version_number'];

/**
 * Compares the history of each document with the one that is there, which it must go on. With `overwrite`, the last version
 * of one that does not becomes the next version here. Returns problems.
 */
export async function compareHistories(update: Update): Promise<string[]> {
  const { tx, staging, companyId, overwrite } = update;
  if (!staging.tables.has('resource_hub_documents')) return [];
  await staging.create('document_versions');
  const isSame = sql`t.document_id = v.document_id AND t.version_number = v.version_number`;
  await tx.$executeRaw(sql`
    CREATE TEMP TABLE import_histories ON COMMIT DROP AS
    SELECT h.*, last = 0 AND here > 0 OR is_behind AND NOT is_edited AS stays, is_behind AND is_edited AS is_appended
    FROM (
      SELECT s.id, s.path, s.n, s.state, t.state AS state_here, coalesce(t.current_version, 0) AS here,
        coalesce(v.first, 0) AS first, coalesce(v.last, 0) AS last, o.differs_at,
        o.differs_at IS NOT NULL OR coalesce(v.last < t.current_version, FALSE) AS is_behind,
        ${differ(['name', 'content'], 's', 't')} AS is_edited
      FROM staged_resource_hub_documents s ${lookUp('resource_hub_documents', companyId, sql`t.id = s.id`)}
      LEFT JOIN (
        SELECT document_id, min(version_number) AS first, max(version_number) AS last
        FROM staged_document_versions GROUP BY document_id
      ) v ON v.document_id = s.id
      LEFT JOIN (
        SELECT v.document_id, min(v.version_number) AS differs_at
        FROM staged_document_versions v ${lookUp('document_versions', companyId, isSame)}
        WHERE ${differ(contents, 'v', 't')} OR v.id <> t.id OR v.inserted_at <> t.inserted_at
        GROUP BY v.document_id
      ) o ON o.document_id = s.id
    ) h`);
  await tx.$executeRaw`ANALYZE import_histories`;
  const side = (row: string) =>
    rawSql(`format('%s by %s at %s', to_json(left(${row}.title, 80)), to_json(${row}.editor_id),
    to_char(coalesce(${row}.inserted_at, now()) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`);
  const problems = await tx.$queryRaw<{ path: string; field: string; problem: string }[]>(sql`
    SELECT path, field, problem FROM (
      SELECT n, path, 'state' AS field, 'is published here, and history is not taken back' AS problem
      FROM import_histories WHERE state = 'draft' AND state_here = 'published'
      UNION ALL
      SELECT n, path, 'versions[0].version_number', format('must be at most %s, the gateway has %s versions', here + 1, here)
      FROM import_histories WHERE first > here + 1
      UNION ALL
      SELECT n, path, 'versions', 'must have a new version for a new name or content'
      FROM import_histories WHERE last = 0 AND state = 'published' AND is_edited
      UNION ALL
      SELECT h.n, h.path, format('versions[%s]', h.differs_at - h.first),
        format('version %s is another here: %s; the file has %s. History is only added to: number yours from %s on',
          h.differs_at, ${side('o')}, ${side('v')}, here + 1)
      FROM import_histories h
      JOIN staged_document_versions v ON v.document_id = h.id AND v.version_number = h.differs_at
      JOIN document_versions o ON o.company_id = ${companyId} AND o.document_id = h.id AND o.version_number = h.differs_at
      WHERE NOT ${overwrite}::boolean
      UNION ALL
      SELECT n, path, 'versions', format('must go on to version %s, the current one here, at least', here)
      FROM import_histories WHERE last BETWEEN 1 AND here - 1 AND differs_at IS NULL AND NOT ${overwrite}::boolean
    ) p ORDER BY n LIMIT ${most}::integer`);
  if (problems.length > 0) return problems.map(({ path, field, problem }) => `${within(path, field)}: ${problem}`);
  if (overwrite) await appendOverwritten(update);
  const here = (names: string) => sql`(
    SELECT ${rawSql(names)} FROM resource_hub_documents t WHERE t.company_id = ${companyId} AND t.id = s.id)`;
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_documents s SET public_token = ${here('public_token')}
    FROM import_histories h WHERE h.id = s.id AND 'public_token' <> ALL (s.given) AND s.state = 'published'`);
  const told = 'name, content, current_version, state, published_at';
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_documents s SET (${rawSql(told)}) = ${here(told)}
    FROM import_histories h WHERE h.id = s.id AND h.stays`);
  await tx.$executeRaw`
    DELETE FROM staged_document_versions s USING import_histories h WHERE h.id = s.document_id AND h.stays`;
  if (overwrite) await dropRestores(update);
  return [];
}

/** The file's last version becomes the next one here, because history is append-only. */
async function appendOverwritten({ tx }: Update): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM staged_document_versions s USING import_histories h
    WHERE h.id = s.document_id AND h.is_appended AND s.version_number < h.last`;
  await tx.$executeRaw`
    UPDATE staged_document_versions s SET id = new_id(), version_number = h.here + 1, previous_version_number = h.here,
      origin = 'edited', restored_from_version_number = NULL, inserted_at = NULL
    FROM import_histories h WHERE h.id = s.document_id AND h.is_appended`;
  await tx.$executeRaw`
    UPDATE staged_resource_hub_documents s SET current_version = h.here + 1
    FROM import_histories h WHERE h.id = s.id AND h.is_appended`;
}

/** Documents, which are locked now, that have got another version since they were compared. */
export async function overtakenDocuments({ tx, staging, companyId }: Update): Promise<string[]> {
  if (!staging.tables.has('resource_hub_documents')) return [];
  const rows = await tx.$queryRaw<{ path: string }[]>(sql`
    SELECT h.path FROM import_histories h
    JOIN staged_resource_hub_documents s ON s.id = h.id AND s.differs
    ${lookUp('resource_hub_documents', companyId, sql`t.id = h.id`)}
    WHERE coalesce(t.current_version, 0) <> h.here ORDER BY h.n LIMIT ${most}::integer`);
  return rows.map(({ path }) => `${path}: got another version while the file was compared: send it again`);
}

/** Activities of versions that are not taken go with them, and with what hangs on them. */
async function dropRestores({ tx, staging, companyId }: Update): Promise<void> {
  if (!staging.tables.has('activities')) return;
  await tx.$executeRaw`
    DELETE FROM staged_activities a WHERE a.version_number IS NOT NULL
      AND NOT EXISTS (SELECT FROM staged_document_versions v WHERE v.id = a.document_version_id)
      AND NOT EXISTS (SELECT FROM document_versions v WHERE v.company_id = ${companyId} AND v.id = a.document_version_id)`;
  for (const table of tables.filter((each) => staging.tables.has(each)))
    for (const { table: of, column } of (nested[table]?.parents ?? []).filter((each) => staging.tables.has(each.table)))
      await tx.$executeRaw(sql`
        DELETE FROM ${staged(table)} s WHERE s.frozen AND s.${columns([column])} IS NOT NULL
          AND NOT EXISTS (SELECT FROM ${staged(of)} p WHERE p.id = s.${columns([column])})`);
}
