import { Prisma } from '../generated/client/client.js';
import { rawSql as raw, sql } from '../platform/postgres/index.js';
import { type Checked, columns, staged } from './staging.js';
import { columnsOf, isAppended, isListed, lists, nested, type Parent, rowKeyOf, type Table, tables } from './tables.js';

/** What a merge is told, besides what is staged. */
export interface Merge extends Checked {
  /** The sequence up to which the writer of the file knew every event. */
  asOf: number;
  /** Whether the file's word counts against what operations have changed since. */
  overwrite: boolean;
}

const hasColumn = (table: Table, column: string) => columnsOf(table).includes(column);

/** Tables whose rows without an id are told apart by their time if the file has it, and by their position. */
const timed: Table[] = ['goal_progress_updates', 'goal_retrospectives', 'activities', 'comments'];

export const sameRow = (table: Table, one: string, other: string) =>
  raw(
    rowKeyOf(table)
      .map((key) => `${one}."${key}" = ${other}."${key}"`)
      .join(' AND '),
  );

/** Gives rows without an id in the file that of the row that they stand for, parents before their children. */
export async function matchRows(merge: Merge): Promise<void> {
  const { tx, staging } = merge;
  await matchBlobs(merge);
  for (const table of tables.filter((each) => nested[each] && staging.tables.has(each))) {
    const { parents, natural } = nested[table] as NonNullable<(typeof nested)[Table]>;
    for (const { table: of, column } of parents.filter((each) => staging.tables.has(each.table)))
      await tx.$executeRaw(sql`
        UPDATE ${staged(table)} s SET ${columns([column])} = p.id FROM ${staged(of)} p
        WHERE s.${columns([column])} = p.made AND p.id <> p.made`);
    if (table === 'space_members') continue;
    for (const parent of parents.filter((each) => staging.tables.has(each.table))) {
      if (!timed.includes(table)) await match(merge, table, { parent, natural, condition: 'TRUE' });
      else {
        await match(merge, table, {
          parent,
          natural: [...natural, 'inserted_at'],
          condition: 'm.inserted_at IS NOT NULL',
        });
        await match(merge, table, { parent, natural, condition: 'm.inserted_at IS NULL' });
      }
    }
  }
  await nameRestored(merge);
}

/** Gives the activities of restores the id of the version of their number. */
export async function nameRestored({ tx, staging, companyId, isNew }: Merge): Promise<void> {
  const here = isNew
    ? sql`NULL`
    : sql`(SELECT v.id FROM document_versions v WHERE v.company_id = ${companyId}
        AND v.document_id = a.document_id AND v.version_number = a.version_number)`;
  if (staging.tables.has('activities'))
    await tx.$executeRaw(sql`
      UPDATE staged_activities a SET document_version_id = coalesce(${here},
        ${staging.tables.has('document_versions') ? raw('(SELECT v.id FROM staged_document_versions v WHERE v.document_id = a.document_id AND v.version_number = a.version_number LIMIT 1)') : sql`NULL`})
      WHERE a.version_number IS NOT NULL`);
}

/** The bytes of a file are those that it has, unless the file gives another id. */
async function matchBlobs({ tx, staging, companyId }: Merge): Promise<void> {
  if (!staging.tables.has('blobs')) return;
  await tx.$executeRaw(sql`
    UPDATE staged_blobs b SET id = f.blob_id
    FROM staged_resource_hub_files s, resource_hub_files f
    WHERE b.generated AND s.blob_id = b.made AND f.company_id = ${companyId} AND f.id = s.id`);
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_files s SET blob_id = b.id FROM staged_blobs b WHERE s.blob_id = b.made AND b.id <> b.made`);
}

interface Matching {
  parent: Parent;
  natural: readonly string[];
  /** Which staged rows `m` it is for. */
  condition: string;
}

async function match({ tx, companyId }: Merge, table: Table, { parent, natural, condition }: Matching): Promise<void> {
  const inParent = columns([parent.column]);
  const key = [parent.column, ...natural];
  const order = ['index', 'inserted_at'].filter((column) => hasColumn(table, column));
  const by = (row: string) =>
    raw(
      `(PARTITION BY ${key.map((name) => `${row}."${name}"`)} ORDER BY ${order.map((name) => `${row}."${name}", `).join('')}`,
    );
  const isSame = raw(key.map((name) => `mine."${name}" = theirs."${name}"`).join(' AND '));
  await tx.$executeRaw(sql`
    WITH mine AS MATERIALIZED (
      SELECT m.made, ${columns(key, 'm')}, row_number() OVER ${by('m')} m.n) AS place
      FROM ${staged(table)} m WHERE m.generated AND m.id = m.made AND m.${inParent} IS NOT NULL AND ${raw(condition)}
    ), theirs AS MATERIALIZED (
      SELECT t.id, ${columns(key, 't')}, row_number() OVER ${by('t')} t.id) AS place
      FROM (SELECT DISTINCT ${columns([parent.column], 'mine')} AS id FROM mine) p
      JOIN ${raw(table)} t ON t.company_id = ${companyId} AND t.${inParent} = p.id
      WHERE NOT EXISTS (SELECT FROM ${staged(table)} o WHERE o.id = t.id)
    )
    UPDATE ${staged(table)} s SET id = theirs.id FROM mine JOIN theirs ON ${isSame} AND mine.place = theirs.place
    WHERE s.made = mine.made`);
}

/** Events of operations that the writer of the file had not taken in. */
const later = ({ companyId, asOf }: Merge, column: string, id: Prisma.Sql) => sql`
  FROM activities a WHERE a.company_id = ${companyId} AND a.${columns([column])} = ${id} AND a.origin = 'api'
    AND (a.sequence IS NULL OR a.sequence > ${asOf}::bigint)`;

/** The outcome of a record that operations change: the columns that say it. */
const outcomes: { table: Table; subject: string; outcome: string[] }[] = [
  { table: 'goals', subject: 'goal_id', outcome: ['closed_at', 'closed_by_id', 'success'] },
  { table: 'resource_hub_files', subject: 'file_id', outcome: ['deleted_at', 'deleted_by_id'] },
];

/** Whether two rows differ in these columns. */
const differ = (names: readonly string[], one: string, other: string) =>
  sql`(${columns(names, one)}) IS DISTINCT FROM (${columns(names, other)})`;

/** Keeps the outcome of what operations have changed since, and says so. Returns the number of these records. */
export async function keepOutcomes(merge: Merge): Promise<number> {
  const { tx, staging, companyId, overwrite } = merge;
  if (overwrite) return 0;
  let kept = 0;
  for (const { table, subject, outcome } of outcomes.filter((each) => staging.tables.has(each.table))) {
    const [first = ''] = outcome;
    kept += await tx.$executeRaw(sql`
      WITH kept AS (
        SELECT s.id, s.path, s.n, s.${columns([first])} AS theirs, t.${columns([first])} AS own,
          (SELECT jsonb_build_object('event', coalesce(a.sequence::text, 'not numbered yet'), 'action', a.action, 'by', a.author_id)
            ${later(merge, subject, sql`s.id`)} ORDER BY a.sequence DESC NULLS FIRST LIMIT 1) AS event
        FROM ${staged(table)} s JOIN ${raw(table)} t ON t.company_id = ${companyId} AND t.id = s.id
        WHERE ${differ(outcome, 's', 't')} AND EXISTS (SELECT ${later(merge, subject, sql`s.id`)})
      ), noted AS (
        INSERT INTO import_findings
        SELECT 'kept', ${table}, id, path, event || jsonb_build_object('field', ${first}::text, 'here', own, 'file', theirs), n FROM kept
      )
      UPDATE ${staged(table)} s SET ${raw(outcome.map((name) => `"${name}" = t."${name}"`).join(', '))}
      FROM ${raw(table)} t, kept WHERE t.company_id = ${companyId} AND t.id = s.id AND kept.id = s.id`);
  }
  return kept;
}

/**
 * Compares the history of each document with the one that is there. One that only goes on is appended; one that is
 * shorter changes nothing; and if both sides have added to it, the document stays as it is, which is a conflict.
 * Returns problems: what is no history at all.
 */
export async function mergeHistories(merge: Merge): Promise<string[]> {
  const { tx, staging, companyId, overwrite } = merge;
  if (!staging.tables.has('resource_hub_documents')) return [];
  await staging.create('document_versions');
  await tx.$executeRaw(sql`
    CREATE TEMP TABLE import_histories ON COMMIT DROP AS
    SELECT s.id, s.path, s.n, s.state, coalesce(d.current_version, 0) AS here, coalesce(v.first, 0) AS first,
      coalesce(v.last, 0) AS last, coalesce(v.differs, false) AS differs, s.name <> d.name OR s.content <> d.content AS is_edited,
      e.first AS unseen, e.sequence AS event, d.state AS state_here, v.differs_at
    FROM staged_resource_hub_documents s
    JOIN resource_hub_documents d ON d.company_id = ${companyId} AND d.id = s.id
    LEFT JOIN (
      SELECT v.document_id, min(v.version_number) AS first, max(v.version_number) AS last,
        bool_or(o.id IS NOT NULL AND ${mismatch}) AS differs,
        min(v.version_number) FILTER (WHERE o.id IS NOT NULL AND ${mismatch}) AS differs_at
      FROM staged_document_versions v
      LEFT JOIN document_versions o
        ON o.company_id = ${companyId} AND o.document_id = v.document_id AND o.version_number = v.version_number
      GROUP BY v.document_id
    ) v ON v.document_id = s.id
    LEFT JOIN LATERAL (
      SELECT min(n.version_number) AS first, coalesce(max(a.sequence) FILTER (WHERE a.sequence IS NOT NULL), 0) AS sequence
      FROM activities a JOIN document_versions n ON n.company_id = ${companyId} AND n.id = a.document_version_id
      WHERE a.company_id = ${companyId} AND a.document_id = s.id AND a.origin = 'api'
        AND (a.sequence IS NULL OR a.sequence > ${merge.asOf}::bigint)
      HAVING count(*) > 0
    ) e ON TRUE`);
  const problems = await tx.$queryRaw<{ path: string; problem: string }[]>`
    SELECT path, problem FROM (
      SELECT n, path || '.state' AS path, 'is published here, and history is not taken back' AS problem
      FROM import_histories WHERE state = 'draft' AND state_here = 'published'
      UNION ALL
      SELECT n, path || '.versions[0].version_number', format('must be at most %s, the gateway has %s versions', here + 1, here)
      FROM import_histories WHERE first > here + 1
      UNION ALL
      SELECT n, path || '.versions', 'must have a new version for a new name or content'
      FROM import_histories WHERE last = 0 AND state = 'published' AND is_edited AND unseen IS NULL
    ) p ORDER BY n LIMIT 10000`;
  if (problems.length > 0) return problems.map(({ path, problem }) => `${path}: ${problem}`);
  await tx.$executeRaw`
    CREATE TEMP TABLE import_verdicts ON COMMIT DROP AS
    SELECT h.*, CASE
      WHEN differs OR (last > here AND unseen < first) THEN 'conflict'
      WHEN last < here AND last > 0 OR (last = 0 AND is_edited AND unseen IS NOT NULL) THEN 'shorter'
      WHEN last > here THEN 'longer' ELSE 'equal' END AS verdict
    FROM import_histories h`;
  if (overwrite) await appendOverwritten(merge);
  else
    await tx.$executeRaw`
      INSERT INTO import_findings
      SELECT CASE verdict WHEN 'conflict' THEN 'conflict' ELSE 'kept' END, 'resource_hub_documents', v.id, v.path,
        jsonb_build_object('event', nullif(v.event, 0), 'here', jsonb_build_object('version', v.here, 'title', o.title,
            'editor', o.editor_id, 'at', o.inserted_at),
          'file', jsonb_build_object('version', v.last, 'differs_at', v.differs_at, 'title', f.title, 'editor', f.editor_id,
            'at', f.inserted_at)), v.n
      FROM import_verdicts v
      LEFT JOIN document_versions o ON o.company_id = ${companyId} AND o.document_id = v.id AND o.version_number = v.here
      LEFT JOIN staged_document_versions f ON f.document_id = v.id AND f.version_number = v.last
      WHERE verdict = 'conflict' OR (verdict = 'shorter' AND unseen IS NOT NULL)`;
  await leaveDocuments(merge, sql`v.verdict IN ('conflict', 'shorter')`);
  return [];
}

/** Takes from the file what it says of the histories of documents that stay as they are. */
async function leaveDocuments(merge: Merge, condition: Prisma.Sql): Promise<void> {
  const { tx, companyId } = merge;
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_documents s SET name = d.name, content = d.content, current_version = d.current_version,
      state = d.state, published_at = d.published_at
    FROM import_verdicts v, resource_hub_documents d
    WHERE v.id = s.id AND d.company_id = ${companyId} AND d.id = s.id AND (${condition} OR (v.last = 0 AND v.here > 0))`);
  await tx.$executeRaw(sql`
    DELETE FROM staged_document_versions s USING import_verdicts v WHERE v.id = s.document_id AND ${condition}`);
  await dropRestores(merge);
}

/**
 * Documents, which are locked now, may have got another version since they were compared. They stay as they are: a
 * conflict if the file has new versions, too.
 */
export async function leaveOvertaken(merge: Merge): Promise<void> {
  const { tx, staging, companyId } = merge;
  if (!staging.tables.has('resource_hub_documents')) return;
  await tx.$executeRaw`
    UPDATE import_verdicts v SET verdict = CASE verdict WHEN 'longer' THEN 'overtaken' ELSE 'outdated' END
    FROM resource_hub_documents d
    WHERE d.company_id = ${companyId} AND d.id = v.id AND coalesce(d.current_version, 0) <> v.here
      AND v.verdict IN ('longer', 'equal')
      AND EXISTS (SELECT FROM import_changed c WHERE c.tbl = 'resource_hub_documents' AND c.id = v.id)`;
  await tx.$executeRaw`
    INSERT INTO import_findings
    SELECT CASE verdict WHEN 'overtaken' THEN 'conflict' ELSE 'kept' END, 'resource_hub_documents', v.id, v.path,
      jsonb_build_object('here', jsonb_build_object('version', o.version_number, 'title', o.title, 'editor', o.editor_id,
        'at', o.inserted_at), 'file', jsonb_build_object('version', v.last)), v.n
    FROM import_verdicts v
    JOIN resource_hub_documents d ON d.company_id = ${companyId} AND d.id = v.id
    JOIN document_versions o
      ON o.company_id = ${companyId} AND o.document_id = v.id AND o.version_number = d.current_version
    WHERE v.verdict IN ('overtaken', 'outdated')`;
  await leaveDocuments(merge, sql`v.verdict NOT IN ('longer', 'equal')`);
}

/** Whether a version of the file, `v`, contradicts the one that is there, `o`. */
const mismatch = sql`((v.title, v.content, v.editor_id, v.origin, v.restored_from_version_number)
  IS DISTINCT FROM (o.title, o.content, o.editor_id, o.origin, o.restored_from_version_number)
  OR v.id <> o.id OR v.inserted_at <> o.inserted_at)`;

/** The file's last version becomes the next one here, because history is append-only. */
async function appendOverwritten({ tx, companyId }: Merge): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM staged_document_versions s USING import_verdicts v
    WHERE v.id = s.document_id AND v.verdict IN ('conflict', 'shorter') AND s.version_number < v.last`;
  await tx.$executeRaw`
    UPDATE staged_document_versions s SET id = new_id(), version_number = v.here + 1, previous_version_number = v.here,
      origin = 'edited', restored_from_version_number = NULL
    FROM import_verdicts v WHERE v.id = s.document_id AND v.verdict IN ('conflict', 'shorter') AND v.is_edited`;
  await tx.$executeRaw`
    UPDATE staged_resource_hub_documents s SET current_version = v.here + 1
    FROM import_verdicts v WHERE v.id = s.id AND v.verdict IN ('conflict', 'shorter') AND v.is_edited AND v.last > 0`;
  await tx.$executeRaw`
    UPDATE import_verdicts SET verdict = 'longer' WHERE verdict IN ('conflict', 'shorter') AND is_edited AND last > 0`;
  await tx.$executeRaw`
    UPDATE staged_document_versions s SET id = o.id FROM document_versions o
    WHERE o.company_id = ${companyId} AND o.document_id = s.document_id AND o.version_number = s.version_number`;
}

/** Activities of versions that are not taken go with them, and with what hangs on them. */
async function dropRestores({ tx, staging, companyId }: Merge): Promise<void> {
  if (!staging.tables.has('activities')) return;
  await tx.$executeRaw`
    DELETE FROM staged_activities a WHERE a.version_number IS NOT NULL
      AND NOT EXISTS (SELECT FROM staged_document_versions v WHERE v.id = a.document_version_id)
      AND NOT EXISTS (SELECT FROM document_versions v WHERE v.company_id = ${companyId} AND v.id = a.document_version_id)`;
  const hanging: [Table, string, Table][] = [
    ['comment_threads', 'activity_id', 'activities'],
    ['notifications', 'activity_id', 'activities'],
    ['comments', 'thread_id', 'comment_threads'],
    ['subscription_lists', 'thread_id', 'comment_threads'],
    ['reactions', 'comment_id', 'comments'],
    ['subscriptions', 'subscription_list_id', 'subscription_lists'],
  ];
  for (const [table, column, on] of hanging.filter(
    ([each, , of]) => staging.tables.has(each) && staging.tables.has(of),
  ))
    await tx.$executeRaw(sql`
      DELETE FROM ${staged(table)} s WHERE s.frozen AND s.${columns([column])} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${staged(on)} p WHERE p.id = s.${columns([column])})`);
}

const filledIn = ['inserted_at', 'updated_at'];
/** What an import never writes to a row that is there. */
const notWritten = ['sequence', 'recorded_at', 'origin', 'last_sequence'];

const valuesOf = (table: Table) =>
  columnsOf(table).filter((name) => !rowKeyOf(table).includes(name) && ![...filledIn, ...notWritten].includes(name));

const ofCompany = (table: Table, companyId: string) =>
  table === 'companies' ? sql`t.id = ${companyId}` : sql`t.company_id = ${companyId}`;

/** Whether a staged row differs from the one that is there: what the file omits and was filled in does not count. */
export function isChanged(table: Table): Prisma.Sql {
  const names = valuesOf(table);
  const times = filledIn.filter((name) => hasColumn(table, name));
  const given = times.map(
    (name) => sql`(s.${columns([name])} IS NOT NULL AND s.${columns([name])} <> t.${columns([name])})`,
  );
  const parts = [...(names.length > 0 ? [differ(names, 's', 't')] : []), ...given];
  return parts.length === 0 ? sql`FALSE` : sql`(${Prisma.join(parts, ' OR ')})`;
}

/** What says in `import_changed` which row it is. */
const keyText = (table: Table) =>
  raw(
    rowKeyOf(table)
      .map((key) => `s."${key}"`)
      .join(" || ' ' || "),
  );

/** Notes which rows an update would change. Locks none. */
export async function compareRows({ tx, staging, companyId }: Merge): Promise<void> {
  for (const table of tables.filter((each) => staging.tables.has(each) && !isAppended(each) && each !== 'public_links'))
    await tx.$executeRaw(sql`
      INSERT INTO import_changed SELECT ${table}, ${keyText(table)}
      FROM ${staged(table)} s JOIN ${raw(table)} t ON ${ofCompany(table, companyId)} AND ${sameRow(table, 's', 't')}
      WHERE NOT s.frozen AND ${isChanged(table)}`);
}

/** Notes what is no longer in a list that the file has, with all that hangs on it, and what is removed as a whole. */
export async function findDoomed({ tx, staging, companyId }: Merge): Promise<void> {
  const holds = new Set<Table>();
  const note = async (table: Table, rows: Prisma.Sql) => {
    if ((await tx.$executeRaw(sql`INSERT INTO import_doomed ${rows}`)) > 0) holds.add(table);
  };
  for (const { table, gone } of staging.hasRemoved ? Object.values(lists) : [])
    if (!gone)
      await note(
        table,
        sql`SELECT ${table}, t.id FROM ${raw(table)} t JOIN import_removed r ON r.tbl = ${table} AND r.id = t.id
          WHERE t.company_id = ${companyId}`,
      );
  for (const table of tables.filter((each) => nested[each] && each !== 'space_members')) {
    for (const { table: of, column, field } of nested[table]?.parents ?? []) {
      if (holds.has(of))
        await note(
          table,
          sql`SELECT ${table}, t.id FROM import_doomed d JOIN ${raw(table)} t
            ON t.company_id = ${companyId} AND t.${columns([column])} = d.id WHERE d.tbl = ${of}`,
        );
      if (!isListed(table) || !staging.tables.has(of)) continue;
      const still = staging.tables.has(table)
        ? sql`AND NOT EXISTS (SELECT FROM ${staged(table)} s WHERE s.id = t.id)`
        : Prisma.empty;
      await note(
        table,
        sql`SELECT ${table}, t.id FROM ${staged(of)} p JOIN ${raw(table)} t
          ON t.company_id = ${companyId} AND t.${columns([column])} = p.id
          WHERE ${field} = ANY (p.given) AND NOT p.frozen ${still}`,
      );
    }
  }
  if (staging.tables.has('resource_hub_files'))
    await note(
      'blobs',
      sql`SELECT 'blobs', f.blob_id FROM staged_resource_hub_files s JOIN resource_hub_files f
        ON f.company_id = ${companyId} AND f.id = s.id WHERE f.blob_id <> s.blob_id`,
    );
  if (holds.has('resource_hub_files'))
    await note(
      'blobs',
      sql`SELECT 'blobs', f.blob_id FROM import_doomed d JOIN resource_hub_files f
        ON f.company_id = ${companyId} AND f.id = d.id WHERE d.tbl = 'resource_hub_files'`,
    );
  const links = sql`SELECT 'public_links', d.public_token FROM resource_hub_documents d`;
  if (staging.tables.has('resource_hub_documents'))
    await note(
      'public_links',
      sql`${links} JOIN staged_resource_hub_documents s ON s.id = d.id
        WHERE d.company_id = ${companyId} AND d.public_token IS NOT NULL AND d.public_token IS DISTINCT FROM s.public_token`,
    );
  if (staging.hasRemoved)
    await note(
      'public_links',
      sql`${links} JOIN import_removed r ON r.tbl = 'resource_hub_documents' AND r.id = d.id
      WHERE d.company_id = ${companyId} AND d.public_token IS NOT NULL`,
    );
}

/** In the order in which operations lock them, so that nobody waits in a circle. */
const lockOrder: Table[] = ['resource_hub_documents', 'resource_hub_files', 'goals'];

/** Locks the rows that change, of those that operations change too. */
export async function lockRows({ tx, staging, companyId }: Merge): Promise<void> {
  for (const table of lockOrder.filter((each) => staging.hasRemoved || staging.tables.has(each)))
    await tx.$executeRaw(sql`
      SELECT t.id FROM ${raw(table)} t WHERE t.company_id = ${companyId} AND t.id IN (
        SELECT c.id FROM import_changed c WHERE c.tbl = ${table}
        UNION SELECT r.id FROM import_removed r WHERE r.tbl = ${table})
      ORDER BY t.id FOR NO KEY UPDATE`);
}

/** Writes what differs, in the order of the tables, and removes what is gone, in the opposite order. */
export async function applyRows(merge: Merge): Promise<void> {
  const { staging } = merge;
  for (const table of tables.filter((each) => staging.tables.has(each))) {
    await insertRows(merge, table);
    if (!isAppended(table) && table !== 'public_links') await updateRows(merge, table);
  }
  await removeRows(merge);
}

/** Inserts the staged rows that are not there. The events of a new company are its first, by time and id, as in a copy of it. */
export async function insertRows({ tx, staging, companyId, isNew }: Merge, table: Table): Promise<number> {
  if (!staging.tables.has(table) || (table === 'companies' && !isNew)) return 0;
  const names = columnsOf(table).filter((name) => name !== 'recorded_at');
  const value = (name: string): Prisma.Sql => {
    const own = sql`s.${columns([name])}`;
    if (name === 'inserted_at') return sql`coalesce(s.inserted_at, now())`;
    if (name === 'updated_at') return sql`coalesce(s.updated_at, s.inserted_at, now())`;
    if (name === 'sequence' && isNew) return sql`row_number() OVER (ORDER BY coalesce(s.inserted_at, now()), s.id)`;
    return own;
  };
  const values = Prisma.join(names.map(value));
  const isThere = isNew
    ? sql`FALSE`
    : sql`EXISTS (SELECT FROM ${raw(table)} t WHERE ${ofCompany(table, companyId)} AND ${sameRow(table, 's', 't')})`;
  const company = table === 'companies' ? [raw(''), raw('')] : [raw('company_id, '), sql`${companyId}, `];
  return tx.$executeRaw(sql`
    INSERT INTO ${raw(table)} (${company[0]}${columns(names)})
    SELECT ${company[1]}${values} FROM ${staged(table)} s WHERE NOT ${isThere}
    ORDER BY ${raw(table === 'activities' ? 's.inserted_at, s.id' : 's.n')}`);
}

/** Only rows that were compared and locked: what an operation changes now is not in the way of the file. */
async function updateRows({ tx, companyId }: Merge, table: Table): Promise<void> {
  const names = valuesOf(table);
  const sets = [
    ...names.map((name) => `"${name}" = s."${name}"`),
    ...(hasColumn(table, 'inserted_at') ? ['inserted_at = coalesce(s.inserted_at, t.inserted_at)'] : []),
    ...(hasColumn(table, 'updated_at') ? ['updated_at = coalesce(s.updated_at, now())'] : []),
  ];
  if (sets.length === 0) return;
  await tx.$executeRaw(sql`
    UPDATE ${raw(table)} t SET ${raw(sets.join(', '))} FROM ${staged(table)} s
    JOIN import_changed c ON c.tbl = ${table} AND c.id = ${keyText(table)}
    WHERE ${ofCompany(table, companyId)} AND ${sameRow(table, 's', 't')} AND NOT s.frozen AND ${isChanged(table)}`);
}

async function removeRows(merge: Merge): Promise<void> {
  const { tx, staging, companyId } = merge;
  if (staging.tables.has('spaces')) {
    const still = staging.tables.has('space_members')
      ? sql`AND NOT EXISTS (SELECT FROM staged_space_members m WHERE m.space_id = t.space_id AND m.person_id = t.person_id)`
      : Prisma.empty;
    await tx.$executeRaw(sql`
      DELETE FROM space_members t USING staged_spaces s
      WHERE t.company_id = ${companyId} AND t.space_id = s.id AND 'members' = ANY (s.given) ${still}`);
  }
  if (staging.hasRemoved) await removeRecords(merge);
  await deleteDoomed(merge);
}

/** Hides and suspends what is removed as a whole. */
async function removeRecords({ tx, companyId }: Merge): Promise<void> {
  const isRemoved = (table: Table) => sql`
    t.company_id = ${companyId} AND t.id IN (SELECT r.id FROM import_removed r WHERE r.tbl = ${table})`;
  for (const table of tables.filter((each) => ['spaces', 'goals', 'projects', 'resource_hubs'].includes(each)))
    await tx.$executeRaw(sql`
      UPDATE ${raw(table)} t SET removed_at = now() WHERE ${isRemoved(table)} AND t.removed_at IS NULL`);
  await tx.$executeRaw(sql`
    UPDATE resource_hub_documents t SET deleted_at = coalesce(t.deleted_at, now()), parent_folder_id = NULL, public_token = NULL
    WHERE ${isRemoved('resource_hub_documents')}`);
  await tx.$executeRaw(sql`
    UPDATE people t SET suspended_at = now() WHERE ${isRemoved('people')} AND t.suspended_at IS NULL`);
  await tx.$executeRaw(sql`
    UPDATE api_tokens t SET revoked_at = now()
    WHERE t.company_id = ${companyId} AND t.person_id IN (SELECT r.id FROM import_removed r WHERE r.tbl = 'people') AND t.revoked_at IS NULL`);
}

/** Deletes what hangs on nothing any more. */
async function deleteDoomed({ tx, companyId }: Merge): Promise<void> {
  const [any] = await tx.$queryRaw<unknown[]>`SELECT 1 AS one FROM import_doomed LIMIT 1`;
  if (!any) return;
  for (const table of tables
    .toReversed()
    .filter((each) => nested[each] || each.startsWith('resource_hub_fo') || each === 'resource_hub_files'))
    if (table !== 'space_members' && table !== 'document_versions')
      await tx.$executeRaw(sql`
        DELETE FROM ${raw(table)} t USING import_doomed d WHERE d.tbl = ${table} AND t.company_id = ${companyId} AND t.id = d.id`);
  for (const table of removedLast)
    await tx.$executeRaw(sql`
      DELETE FROM ${raw(table)} t USING import_doomed d
      WHERE d.tbl = ${table} AND t.company_id = ${companyId} AND t.${columns(rowKeyOf(table))} = d.id`);
}

/** What other rows refer to, so that it goes after them. */
const removedLast: Table[] = ['blobs', 'public_links'];
