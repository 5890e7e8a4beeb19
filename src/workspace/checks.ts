import { emptySql, joinSql, rawSql, type Sql, sql } from '../platform/postgres/index.js';
import { quote } from './report.js';
import { within } from './rows.js';
import { type Checked, columns, isStaged, isThere, lookUp, most, staged } from './staging.js';
import { fieldOf, lists, nested, type Reference, references, rowKeyOf, type Table, tables } from './tables.js';

const isHidden = (table: Table) =>
  Object.values(lists).some((list) => list.table === table && list.gone === 'removed_at');

/** Whether the company has a row of this id that no file has removed. People stay where they were. */
const exists = (checked: Checked, table: Table, id: Sql) =>
  isThere(
    checked,
    table,
    sql`t.id = ${id} ${rawSql(isHidden(table) ? 'AND t.removed_at IS NULL' : '')} ${
      table === 'people'
        ? emptySql
        : sql`AND NOT EXISTS (SELECT FROM import_removed r WHERE r.tbl = ${table} AND r.id = t.id)`
    }`,
  );

interface Found {
  path: string;
  value: string;
  other: string;
}

/** Problems with ids that are there twice. */
async function duplicates({ tx, staging }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const table of [...staging.tables].filter((each) => each !== 'space_members')) {
    const key = columns(rowKeyOf(table), 's');
    const found = await tx.$queryRaw<Found[]>(sql`
      SELECT s.path, ${key} AS value, o.path AS other FROM ${staged(table)} s
      JOIN (SELECT ${key} AS value, min(n) AS n FROM ${staged(table)} s GROUP BY 1 HAVING count(*) > 1) first
        ON first.value = ${key} AND first.n < s.n
      JOIN ${staged(table)} o ON o.n = first.n
      ORDER BY s.n LIMIT ${most}::integer`);
    const field = table === 'public_links' ? 'public_token' : 'id';
    for (const { path, value, other } of found)
      problems.push(`${within(path, field)}: ${quote(value)} is the same as ${within(other, field)}`);
  }
  return problems;
}

/** Problems with rows of an update that nothing but their id tells from others of their list. */
export async function unidentified({ tx, staging }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const table of tables.filter((each) => staging.tables.has(each) && nested[each] && !nested[each].natural)) {
    const found = await tx.$queryRaw<{ path: string }[]>(
      sql`SELECT path FROM ${staged(table)} WHERE generated ORDER BY n LIMIT ${most}::integer`,
    );
    for (const { path } of found)
      problems.push(`${within(path, 'id')}: is required in an update; an export shows the id that it has here`);
  }
  return problems;
}

/** Problems with ids of nothing. */
export async function danglingReferences(checked: Checked): Promise<string[]> {
  const { tx, staging } = checked;
  const ofTable = ({ table, column, to }: Reference) => {
    const value = sql`d.${columns([column])}`;
    return sql`
      SELECT d.n, d.path, ${fieldOf(column)} AS field, ${value} AS value, ${to} AS tbl FROM ${staged(table)} d
      WHERE ${value} IS NOT NULL AND NOT ${isStaged(checked, to, sql`s.id = ${value}`)} AND NOT ${exists(checked, to, value)}`;
  };
  const parts = references.filter(({ table }) => staging.tables.has(table)).map(ofTable);
  if (parts.length === 0) return [];
  const found = await tx.$queryRaw<{ path: string; field: string; value: string; tbl: Table }[]>(
    sql`SELECT * FROM (${joinSql(parts, ' UNION ALL ')}) d ORDER BY n, field LIMIT ${most}::integer`,
  );
  return found.map(
    ({ path, field, value, tbl }) =>
      `${within(path, field)}: nothing in ${tbl.replace('resource_hub_', '')} has the id ${quote(value)}`,
  );
}

/** What is in others of its kind, by the column that says in which. */
export const trees: [Table, string][] = [
  ['goals', 'parent_goal_id'],
  ['resource_hub_folders', 'parent_folder_id'],
];

/** The temporary table with the depth of each staged row that is in another: null in a circle, and below one. */
export const treeOf = (table: Table) => rawSql(`import_tree_${table}`);

/** Problems with goals and folders that contain themselves: one for each circle. */
async function circles(checked: Checked): Promise<string[]> {
  const { tx, staging, companyId, isNew } = checked;
  const problems: string[] = [];
  for (const [table, column] of trees.filter(([each]) => staging.tables.has(each))) {
    const parent = columns([column]);
    const tree = treeOf(table);
    const above = sql`UNION
      SELECT t.id, t.${parent} FROM up ${lookUp(table, companyId, sql`t.id = up.parent`)}
      WHERE t.${parent} IS NOT NULL AND NOT ${isStaged(checked, table, sql`s.id = up.parent`)}`;
    await tx.$executeRaw(sql`
      CREATE TEMP TABLE ${tree} ON COMMIT DROP AS WITH RECURSIVE up (id, parent) AS (
        SELECT id, ${parent} FROM ${staged(table)} WHERE ${parent} IS NOT NULL ${isNew ? emptySql : above}
      ) SELECT id, parent, NULL::integer AS depth FROM up`);
    await tx.$executeRaw(sql`CREATE INDEX ON ${tree} (id)`);
    await tx.$executeRaw(sql`CREATE INDEX ON ${tree} (parent)`);
    await tx.$executeRaw(sql`ANALYZE ${tree}`);
    await tx.$executeRaw(sql`
      WITH RECURSIVE down (id, depth) AS (
        SELECT id, 1 FROM ${tree} t WHERE NOT EXISTS (SELECT FROM ${tree} p WHERE p.id = t.parent)
        UNION ALL SELECT t.id, down.depth + 1 FROM down JOIN ${tree} t ON t.parent = down.id
      ) UPDATE ${tree} t SET depth = down.depth FROM down WHERE down.id = t.id`);
    const round = await tx.$queryRaw<TreeRow[]>(sql`
      SELECT t.id, t.parent, coalesce(s.path, '') AS path FROM ${tree} t LEFT JOIN ${staged(table)} s ON s.id = t.id
      WHERE t.depth IS NULL ORDER BY s.n NULLS LAST LIMIT ${most}::integer`);
    problems.push(...circlesIn(round, column));
  }
  return problems;
}

interface TreeRow {
  id: string;
  parent: string;
  path: string;
}

function circlesIn(rows: TreeRow[], column: string): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const visitedFrom = new Map<string, string>();
  return rows.flatMap((start) => {
    const path: string[] = [];
    let next: TreeRow | undefined = start;
    while (next && !visitedFrom.has(next.id)) {
      visitedFrom.set(next.id, start.id);
      path.push(next.id);
      next = byId.get(next.parent);
    }
    if (!next || visitedFrom.get(next.id) !== start.id) return [];
    const circle = [...path.slice(path.indexOf(next.id)), next.id].map(quote);
    return `${within(start.path, column)}: leads back to itself: ${circle.join(' → ')}`;
  });
}

/** Problems with records whose folder belongs to another hub than they do. */
async function misplaced({ tx, staging, companyId, isNew }: Checked): Promise<string[]> {
  const problems: string[] = [];
  const placed: Table[] = ['resource_hub_folders', 'resource_hub_files', 'resource_hub_documents'];
  const inFile = staging.tables.has('resource_hub_folders');
  for (const table of placed.filter((each) => staging.tables.has(each))) {
    const hub = sql`coalesce(
      ${inFile ? sql`(SELECT f.resource_hub_id FROM staged_resource_hub_folders f WHERE f.id = s.parent_folder_id LIMIT 1)` : sql`NULL`},
      ${isNew ? sql`NULL` : sql`(SELECT f.resource_hub_id FROM resource_hub_folders f WHERE f.company_id = ${companyId} AND f.id = s.parent_folder_id)`})`;
    const found = await tx.$queryRaw<(Found & { own: string })[]>(sql`
      SELECT * FROM (
        SELECT s.n, s.path, s.parent_folder_id AS value, s.resource_hub_id AS own, ${hub} AS other
        FROM ${staged(table)} s WHERE s.parent_folder_id IS NOT NULL
      ) m WHERE own <> other ORDER BY n LIMIT ${most}::integer`);
    for (const { path, value, own, other } of found)
      problems.push(`${path}.parent_folder_id: ${quote(value)} is a folder of ${quote(other)}, not of ${quote(own)}`);
  }
  return problems;
}

const originsByAction: Record<string, string> = {
  resource_hub_document_created: 'published',
  resource_hub_document_edited: 'edited',
  document_version_restored: 'restored',
};

/** The action of the activity that is about a version, by its origin. */
export const addedBy = (version: string) =>
  rawSql(
    `CASE ${version}.origin ${Object.entries(originsByAction)
      .map(([action, origin]) => `WHEN '${origin}' THEN '${action}'`)
      .join(' ')} END`,
  );

/** Problems with new documents whose first version is missing. Others may omit versions that are there. */
async function firstVersions(checked: Checked): Promise<string[]> {
  const { tx, staging } = checked;
  if (!staging.tables.has('resource_hub_documents')) return [];
  const versions = staging.tables.has('document_versions')
    ? sql`SELECT document_id, min(version_number) AS first FROM staged_document_versions GROUP BY document_id`
    : sql`SELECT NULL AS document_id, NULL::integer AS first`;
  const found = await tx.$queryRaw<{ path: string; first: number | null }[]>(sql`
    SELECT d.path, v.first FROM staged_resource_hub_documents d LEFT JOIN (${versions}) v ON v.document_id = d.id
    WHERE d.state = 'published' AND v.first IS DISTINCT FROM 1
      AND NOT ${isThere(checked, 'resource_hub_documents', sql`t.id = d.id`)}
    ORDER BY d.n LIMIT ${most}::integer`);
  return found.map(({ path, first }) =>
    first === null
      ? `${within(path, 'versions')}: a published document has at least one`
      : `${within(path, 'versions[0].version_number')}: must be 1, versions are listed from 1 on`,
  );
}

/** Problems with activities of versions that nobody lists. */
async function unlistedVersions(checked: Checked): Promise<string[]> {
  const { tx, staging } = checked;
  if (!staging.tables.has('activities')) return [];
  const isVersion = (row: string) => sql`${rawSql(row)}.document_id = a.document_id
    AND ${rawSql(row)}.version_number = a.version_number AND ${addedBy(row)} = a.action::text`;
  const found = await tx.$queryRaw<{ path: string; number: number; action: string }[]>(sql`
    SELECT a.path, a.version_number AS number, a.action::text AS action FROM staged_activities a
    WHERE a.version_number IS NOT NULL AND NOT ${isStaged(checked, 'document_versions', isVersion('s'))}
      AND NOT ${isThere(checked, 'document_versions', isVersion('t'))}
    ORDER BY a.n LIMIT ${most}::integer`);
  return found.map(
    ({ path, number, action }) =>
      `${path}.version_number: no version ${number} with the origin ${originsByAction[action]} is listed`,
  );
}

/** Problems with what the file says is gone: it is in the file too, or something of it would stay. */
export async function problemsOfRemovals(checked: Checked): Promise<string[]> {
  const { tx, staging, companyId } = checked;
  const problems: string[] = [];
  for (const [list, { table }] of Object.entries(lists)) {
    if (staging.tables.has(table)) {
      const both = await tx.$queryRaw<Found[]>(sql`
        SELECT s.n, s.path, s.id AS value FROM ${staged(table)} s JOIN import_removed r ON r.tbl = ${table} AND r.id = s.id
        ORDER BY s.n LIMIT ${most}::integer`);
      for (const { path, value } of both) problems.push(`${path}.id: ${quote(value)} is in removed.${list}, too`);
    }
  }
  for (const [list, { table }] of Object.entries(lists)) {
    for (const { column, to } of references.filter((each) => each.table === table)) {
      const name = Object.entries(lists).find(([, other]) => other.table === to)?.[0];
      if (name === undefined || to === 'people') continue;
      const isDeletable = ['resource_hub_documents', 'resource_hub_files'].includes(table);
      const alive = rawSql(
        isDeletable ? 'AND t.deleted_at IS NULL' : isHidden(table) ? 'AND t.removed_at IS NULL' : '',
      );
      const left = await tx.$queryRaw<{ id: string; of: string }[]>(sql`
        SELECT t.id, r.id AS of FROM import_removed r ${lookUp(table, companyId, sql`t.${columns([column])} = r.id`)}
        WHERE r.tbl = ${to} ${alive} AND NOT ${isStaged(checked, table, sql`s.id = t.id`)}
          AND NOT EXISTS (SELECT FROM import_removed o WHERE o.tbl = ${table} AND o.id = t.id)
        ORDER BY t.id LIMIT ${most}::integer`);
      for (const { id, of } of left)
        problems.push(`removed.${name}: ${quote(of)} still has ${quote(id)} in ${list}; name that too`);
    }
  }
  return problems;
}

/** Problems with ids of what a file before has removed: only people come back. */
async function problemsOfReturns({ tx, staging, companyId, isNew }: Checked): Promise<string[]> {
  if (isNew) return [];
  const problems: string[] = [];
  for (const { table, gone } of Object.values(lists)) {
    if (gone === 'suspended_at' || !staging.tables.has(table)) continue;
    const removed = gone ? sql`${rawSql(table)} t WHERE t.removed_at IS NOT NULL AND` : sql`removed_folders t WHERE`;
    const found = await tx.$queryRaw<{ path: string; id: string }[]>(sql`
      SELECT s.path, s.id FROM ${staged(table)} s
      WHERE EXISTS (SELECT FROM ${removed} t.company_id = ${companyId} AND t.id = s.id OFFSET 0) ORDER BY s.n LIMIT ${most}::integer`);
    for (const { path, id } of found)
      problems.push(
        `${within(path, 'id')}: ${quote(id)} was removed, and its id does not come back: a new record needs a new one`,
      );
  }
  return problems;
}

/** Every problem of the staged rows with each other, and with what the company has. */
export async function problemsOfRows(checked: Checked): Promise<string[]> {
  const problems: string[] = [];
  const checks = [
    firstVersions,
    unlistedVersions,
    duplicates,
    danglingReferences,
    circles,
    misplaced,
    problemsOfReturns,
  ];
  for (const check of checks) problems.push(...(await check(checked)));
  return problems;
}
