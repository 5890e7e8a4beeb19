import { rawSql, sql } from '../platform/postgres/index.js';
import { addedBy } from './checks.js';
import { type Checked, columns, isThere, lookUp, staged } from './staging.js';
import { nested, type Table, tables } from './tables.js';

/** Gives rows without an id in the file that of the row that they stand for, parents before their children. */
export async function matchRows(checked: Checked): Promise<void> {
  const { tx, staging } = checked;
  await matchBlobs(checked);
  for (const table of tables.filter((each) => staging.tables.has(each) && each !== 'space_members')) {
    const { parents = [], natural } = nested[table] ?? {};
    for (const { table: of, column } of parents.filter((each) => staging.tables.has(each.table))) {
      await tx.$executeRaw(sql`
        UPDATE ${staged(table)} s SET ${columns([column])} = p.id FROM ${staged(of)} p
        WHERE s.${columns([column])} = p.made AND p.id <> p.made`);
      if (natural) await match(checked, table, column, [column, ...natural]);
    }
  }
  await nameVersions(checked);
}

/** Pairs a row of the file with the one that is there with the same key; a second one of that key stays a new row, which its unique index refuses. */
async function match({ tx, companyId }: Checked, table: Table, column: string, key: string[]): Promise<void> {
  const parent = columns([column]);
  await tx.$executeRaw(sql`
    WITH file AS MATERIALIZED (
      SELECT DISTINCT ON (${columns(key, 's')}) s.made, ${columns(key, 's')} FROM ${staged(table)} s
      WHERE s.generated AND s.id = s.made AND s.${parent} IS NOT NULL ORDER BY ${columns([...key, 'n'], 's')}
    ), here AS MATERIALIZED (
      SELECT t.id, ${columns(key, 't')}
      FROM (SELECT DISTINCT ${parent} AS id FROM file) p ${lookUp(table, companyId, sql`t.${parent} = p.id`)}
      WHERE NOT EXISTS (SELECT FROM ${staged(table)} s WHERE s.id = t.id)
    )
    UPDATE ${staged(table)} s SET id = here.id FROM file JOIN here USING (${columns(key)}) WHERE s.made = file.made`);
}

/** The bytes of a file are those that it has, unless the file gives another id. */
async function matchBlobs({ tx, staging, companyId }: Checked): Promise<void> {
  if (!staging.tables.has('blobs')) return;
  await tx.$executeRaw(sql`
    UPDATE staged_blobs b SET id = f.blob_id
    FROM (SELECT s.blob_id AS made, t.blob_id FROM staged_resource_hub_files s
      ${lookUp('resource_hub_files', companyId, sql`t.id = s.id`)}) f
    WHERE b.generated AND b.made = f.made`);
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_files s SET blob_id = b.id FROM staged_blobs b WHERE s.blob_id = b.made AND b.id <> b.made`);
}

/** Each new version has an activity: the one that the file has of its number, or of its editor and time, or one that is made. */
export async function recordVersions(checked: Checked): Promise<void> {
  const { tx, staging } = checked;
  if (!staging.tables.has('document_versions')) return;
  await staging.create('activities');
  await tx.$executeRaw(sql`
    UPDATE staged_activities a SET version_number = v.version_number FROM staged_document_versions v
    WHERE v.document_id = a.document_id AND a.version_number IS NULL AND ${addedBy('v')} = a.action::text
      AND v.editor_id = a.author_id AND v.inserted_at IS NOT DISTINCT FROM a.inserted_at`);
  const isKnown = isThere(
    checked,
    'document_versions',
    sql`t.document_id = v.document_id AND t.version_number = v.version_number`,
  );
  const made = await tx.$executeRaw(sql`
    INSERT INTO staged_activities
      (id, action, author_id, document_id, name, inserted_at, origin, version_number, n, path, frozen)
    SELECT new_id(), ${addedBy('v')}::activity_action, v.editor_id, v.document_id, v.title, v.inserted_at, 'import',
      v.version_number, v.n, v.path, TRUE
    FROM staged_document_versions v WHERE NOT ${isKnown} AND NOT EXISTS (
      SELECT FROM staged_activities a WHERE a.document_id = v.document_id AND a.version_number = v.version_number)`);
  staging.counts.set('activities', (staging.counts.get('activities') ?? 0) + made);
  await tx.$executeRaw`ANALYZE staged_activities`;
  await nameVersions(checked);
}

/** Gives activities the id of the version of their number. */
async function nameVersions({ tx, staging, companyId, isNew }: Checked): Promise<void> {
  if (!staging.tables.has('activities')) return;
  const isVersion = rawSql('v.document_id = a.document_id AND v.version_number = a.version_number');
  const here = isNew
    ? sql`NULL`
    : sql`(SELECT v.id FROM document_versions v WHERE v.company_id = ${companyId} AND ${isVersion})`;
  const inFile = staging.tables.has('document_versions')
    ? sql`(SELECT v.id FROM staged_document_versions v WHERE ${isVersion} LIMIT 1)`
    : sql`NULL`;
  await tx.$executeRaw(sql`
    UPDATE staged_activities a SET document_version_id = coalesce(${here}, ${inFile}) WHERE a.version_number IS NOT NULL`);
}
