import { Prisma } from '../generated/client/client.js';
import { rawSql as raw, sql } from '../platform/postgres/index.js';
import type { UnknownChange } from './report.js';
import { within } from './rows.js';
import { addedBy, type Checked, columns, most, staged, treeOf, trees } from './staging.js';
import { columnsOf, isAppended, isListed, lists, nested, type Parent, rowKeyOf, type Table, tables } from './tables.js';

/** What an update is told, besides what is staged. */
export interface Update extends Checked {
  /** The sequence up to which the writer of the file had taken in every event. */
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

/** The row `t` of the company, of a table, that a condition on it finds: looked up for each row before it. */
const lookUp = (table: Table, companyId: string, condition: Prisma.Sql) => sql`CROSS JOIN LATERAL (
  SELECT * FROM ${raw(table)} t WHERE ${ofCompany(table, companyId)} AND ${condition} OFFSET 0
) t`;

/** Gives rows without an id in the file that of the row that they stand for, parents before their children. */
export async function matchRows(update: Update): Promise<void> {
  const { tx, staging } = update;
  await matchBlobs(update);
  for (const table of tables.filter((each) => nested[each] && staging.tables.has(each))) {
    const { parents, natural } = nested[table] as NonNullable<(typeof nested)[Table]>;
    for (const { table: of, column } of parents.filter((each) => staging.tables.has(each.table)))
      await tx.$executeRaw(sql`
        UPDATE ${staged(table)} s SET ${columns([column])} = p.id FROM ${staged(of)} p
        WHERE s.${columns([column])} = p.made AND p.id <> p.made`);
    if (table === 'space_members') continue;
    for (const parent of parents.filter((each) => staging.tables.has(each.table))) {
      if (!timed.includes(table)) await match(update, table, { parent, natural, condition: 'TRUE' });
      else {
        await match(update, table, {
          parent,
          natural: [...natural, 'inserted_at'],
          condition: 'm.inserted_at IS NOT NULL',
        });
        await match(update, table, { parent, natural, condition: 'm.inserted_at IS NULL' });
      }
    }
  }
  await nameVersions(update);
}

/** Each new version has an activity: the one that the file has of its number, or of its editor and time, or one that is made. */
export async function recordVersions(update: Update): Promise<void> {
  const { tx, staging, companyId, isNew } = update;
  if (!staging.tables.has('document_versions')) return;
  await staging.create('activities');
  await tx.$executeRaw(sql`
    UPDATE staged_activities a SET version_number = v.version_number FROM staged_document_versions v
    WHERE v.document_id = a.document_id AND a.version_number IS NULL AND ${addedBy('v')} = a.action::text
      AND v.editor_id = a.author_id AND v.inserted_at IS NOT DISTINCT FROM a.inserted_at`);
  const isThere = isNew
    ? sql`FALSE`
    : sql`EXISTS (SELECT FROM document_versions o
        WHERE o.company_id = ${companyId} AND o.document_id = v.document_id AND o.version_number = v.version_number OFFSET 0)`;
  const made = await tx.$executeRaw(sql`
    INSERT INTO staged_activities
      (id, action, author_id, document_id, name, inserted_at, origin, version_number, n, path, frozen)
    SELECT new_id(), ${addedBy('v')}::activity_action, v.editor_id, v.document_id, v.title, v.inserted_at, 'import',
      v.version_number, v.n, v.path, TRUE
    FROM staged_document_versions v WHERE NOT ${isThere} AND NOT EXISTS (
      SELECT FROM staged_activities a WHERE a.document_id = v.document_id AND a.version_number = v.version_number)`);
  staging.counts.set('activities', (staging.counts.get('activities') ?? 0) + made);
  await tx.$executeRaw`ANALYZE staged_activities`;
  await nameVersions(update);
}

/** Gives activities the id of the version of their number. */
async function nameVersions({ tx, staging, companyId, isNew }: Update): Promise<void> {
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
async function matchBlobs({ tx, staging, companyId }: Update): Promise<void> {
  if (!staging.tables.has('blobs')) return;
  await tx.$executeRaw(sql`
    UPDATE staged_blobs b SET id = f.blob_id
    FROM (SELECT s.blob_id AS made, t.blob_id FROM staged_resource_hub_files s
      ${lookUp('resource_hub_files', companyId, sql`t.id = s.id`)}) f
    WHERE b.generated AND b.made = f.made`);
  await tx.$executeRaw(sql`
    UPDATE staged_resource_hub_files s SET blob_id = b.id FROM staged_blobs b WHERE s.blob_id = b.made AND b.id <> b.made`);
}

interface Matching {
  parent: Parent;
  natural: readonly string[];
  /** Which staged rows `m` it is for. */
  condition: string;
}

async function match({ tx, companyId }: Update, table: Table, { parent, natural, condition }: Matching): Promise<void> {
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
      ${lookUp(table, companyId, sql`t.${inParent} = p.id`)}
      WHERE NOT EXISTS (SELECT FROM ${staged(table)} o WHERE o.id = t.id)
    )
    UPDATE ${staged(table)} s SET id = theirs.id FROM mine JOIN theirs ON ${isSame} AND mine.place = theirs.place
    WHERE s.made = mine.made`);
}

/** The records that operations change: the column of an activity that names one, and the columns that say its outcome. */
const operated = [
  { table: 'goals', kind: 'goal', subject: 'goal_id', outcome: ['closed_at', 'closed_by_id', 'success'] },
  { table: 'resource_hub_files', kind: 'file', subject: 'file_id', outcome: ['deleted_at', 'deleted_by_id'] },
  { table: 'resource_hub_documents', kind: 'document', subject: 'document_id', outcome: ['name', 'content'] },
] as const;

/** Whether two rows differ in these columns. */
const differ = (names: readonly string[], one: string, other: string) =>
  sql`(${columns(names, one)}) IS DISTINCT FROM (${columns(names, other)})`;

/**
 * The records of the file, removed ones included, that an operation has changed by an event which the writer of the file
 * had not taken in, each with its last one. After the rows are locked, only those that are: others may go on changing.
 */
export async function unknownChanges(update: Update, { onlyLocked = false } = {}): Promise<UnknownChange[]> {
  const { tx, staging, companyId, asOf, overwrite } = update;
  const found: UnknownChange[] = [];
  for (const { table, kind, subject, outcome } of operated) {
    const isRelevant = onlyLocked
      ? sql`EXISTS (SELECT FROM import_changed c WHERE c.tbl = ${table} AND c.id = s.id)`
      : overwrite
        ? sql`EXISTS (SELECT FROM ${raw(table)} t
            WHERE t.company_id = ${companyId} AND t.id = s.id AND ${differ(outcome, 's', 't')} OFFSET 0)`
        : sql`TRUE`;
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

/** Whether a version of the file, `v`, contradicts the one that is there, `o`. */
const mismatch = sql`((v.title, v.content, v.editor_id, v.origin, v.restored_from_version_number)
  IS DISTINCT FROM (o.title, o.content, o.editor_id, o.origin, o.restored_from_version_number)
  OR v.id <> o.id OR v.inserted_at <> o.inserted_at)`;

/**
 * Compares the history of each document with the one that is there, which it must go on. With `overwrite`, the last version
 * of one that does not becomes the next version here. Returns problems.
 */
export async function compareHistories(update: Update): Promise<string[]> {
  const { tx, staging, companyId, overwrite } = update;
  if (!staging.tables.has('resource_hub_documents')) return [];
  await staging.create('document_versions');
  await tx.$executeRaw(sql`
    CREATE TEMP TABLE import_histories ON COMMIT DROP AS
    SELECT h.*, CASE WHEN last = 0 AND here > 0 OR is_behind AND NOT is_edited THEN 'stays'
      WHEN is_behind THEN 'appended' ELSE 'goes on' END AS verdict
    FROM (
      SELECT s.id, s.path, s.n, s.state, coalesce(d.current_version, 0) AS here, coalesce(v.first, 0) AS first,
        coalesce(v.last, 0) AS last, v.differs_at, s.name <> d.name OR s.content <> d.content AS is_edited,
        v.differs_at IS NOT NULL OR v.last < d.current_version AS is_behind, d.state AS state_here
      FROM staged_resource_hub_documents s
      CROSS JOIN LATERAL (
        SELECT * FROM resource_hub_documents WHERE company_id = ${companyId} AND id = s.id OFFSET 0
      ) d
      LEFT JOIN (
        SELECT v.document_id, min(v.version_number) AS first, max(v.version_number) AS last,
          min(v.version_number) FILTER (WHERE o.id IS NOT NULL AND ${mismatch}) AS differs_at
        FROM staged_document_versions v
        LEFT JOIN LATERAL (
          SELECT * FROM document_versions
          WHERE company_id = ${companyId} AND document_id = v.document_id AND version_number = v.version_number OFFSET 0
        ) o ON TRUE
        GROUP BY v.document_id
      ) v ON v.document_id = s.id
    ) h`);
  await tx.$executeRaw`ANALYZE import_histories`;
  const side = (row: string) =>
    raw(`format('%s by %s at %s', to_json(left(${row}.title, 80)), to_json(${row}.editor_id),
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
  await tx.$executeRaw`
    UPDATE staged_resource_hub_documents s SET public_token = d.public_token
    FROM import_histories h CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_documents WHERE company_id = ${companyId} AND id = h.id OFFSET 0
    ) d
    WHERE h.id = s.id AND 'public_token' <> ALL (s.given) AND s.state = 'published'`;
  // What the file says of a history that stays is what is there.
  await tx.$executeRaw`
    UPDATE staged_resource_hub_documents s SET name = d.name, content = d.content, current_version = d.current_version,
      state = d.state, published_at = d.published_at
    FROM import_histories h CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_documents WHERE company_id = ${companyId} AND id = h.id OFFSET 0
    ) d
    WHERE h.id = s.id AND h.verdict = 'stays'`;
  await tx.$executeRaw`
    DELETE FROM staged_document_versions s USING import_histories h WHERE h.id = s.document_id AND h.verdict = 'stays'`;
  if (overwrite) await dropRestores(update);
  return [];
}

/** The file's last version becomes the next one here, because history is append-only. */
async function appendOverwritten({ tx }: Update): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM staged_document_versions s USING import_histories h
    WHERE h.id = s.document_id AND h.verdict = 'appended' AND s.version_number < h.last`;
  await tx.$executeRaw`
    UPDATE staged_document_versions s SET id = new_id(), version_number = h.here + 1, previous_version_number = h.here,
      origin = 'edited', restored_from_version_number = NULL, inserted_at = NULL
    FROM import_histories h WHERE h.id = s.document_id AND h.verdict = 'appended'`;
  await tx.$executeRaw`
    UPDATE staged_resource_hub_documents s SET current_version = h.here + 1
    FROM import_histories h WHERE h.id = s.id AND h.verdict = 'appended'`;
}

/** Documents, which are locked now, that have got another version since they were compared. */
export async function overtakenDocuments({ tx, staging, companyId }: Update): Promise<string[]> {
  if (!staging.tables.has('resource_hub_documents')) return [];
  const rows = await tx.$queryRaw<{ path: string }[]>`
    SELECT h.path FROM import_histories h
    JOIN import_changed c ON c.tbl = 'resource_hub_documents' AND c.id = h.id
    CROSS JOIN LATERAL (
      SELECT current_version FROM resource_hub_documents WHERE company_id = ${companyId} AND id = h.id OFFSET 0
    ) d
    WHERE coalesce(d.current_version, 0) <> h.here ORDER BY h.n LIMIT ${most}::integer`;
  return rows.map(({ path }) => `${path}: got another version while the file was compared: send it again`);
}

/** Activities of versions that are not taken go with them, and with what hangs on them. */
async function dropRestores({ tx, staging, companyId }: Update): Promise<void> {
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
const notWritten = ['sequence', 'recorded_at', 'origin', 'last_sequence', 'removed_at'];

const valuesOf = (table: Table) =>
  columnsOf(table).filter((name) => !rowKeyOf(table).includes(name) && ![...filledIn, ...notWritten].includes(name));

const ofCompany = (table: Table, companyId: string) =>
  table === 'companies' ? sql`t.id = ${companyId}` : sql`t.company_id = ${companyId}`;

/** Whether a staged row differs from the one that is there: what the file omits and was filled in does not count. */
function isChanged(table: Table): Prisma.Sql {
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
export async function compareRows({ tx, staging, companyId }: Update): Promise<void> {
  for (const table of tables.filter((each) => staging.tables.has(each) && !isAppended(each) && each !== 'public_links'))
    await tx.$executeRaw(sql`
      INSERT INTO import_changed SELECT ${table}, ${keyText(table)}
      FROM ${staged(table)} s ${lookUp(table, companyId, sql`${sameRow(table, 's', 't')}`)}
      WHERE NOT s.frozen AND ${isChanged(table)}`);
}

/** Notes what is no longer in a list that the file has, with all that hangs on it, and what is removed as a whole. */
export async function findDoomed({ tx, staging, companyId }: Update): Promise<void> {
  const holds = new Set<Table>();
  const note = async (table: Table, rows: Prisma.Sql) => {
    if ((await tx.$executeRaw(sql`INSERT INTO import_doomed ${rows}`)) > 0) holds.add(table);
  };
  for (const { table, gone } of staging.hasRemoved ? Object.values(lists) : [])
    if (!gone)
      await note(
        table,
        sql`SELECT ${table}, t.id FROM import_removed r ${lookUp(table, companyId, sql`t.id = r.id`)} WHERE r.tbl = ${table}`,
      );
  for (const table of tables.filter((each) => nested[each] && isListed(each) && each !== 'space_members')) {
    for (const { table: of, column, field } of nested[table]?.parents ?? []) {
      if (holds.has(of))
        await note(
          table,
          sql`SELECT ${table}, t.id FROM import_doomed d ${lookUp(table, companyId, sql`t.${columns([column])} = d.id`)}
            WHERE d.tbl = ${of}`,
        );
      if (!staging.tables.has(of)) continue;
      const still = staging.tables.has(table)
        ? sql`AND NOT EXISTS (SELECT FROM ${staged(table)} s WHERE s.id = t.id)`
        : Prisma.empty;
      await note(
        table,
        sql`SELECT ${table}, t.id FROM ${staged(of)} p ${lookUp(table, companyId, sql`t.${columns([column])} = p.id`)}
          WHERE ${field} = ANY (p.given) AND NOT p.frozen ${still}`,
      );
    }
  }
  if (staging.tables.has('resource_hub_files'))
    await note(
      'blobs',
      sql`SELECT 'blobs', t.blob_id FROM staged_resource_hub_files s
        ${lookUp('resource_hub_files', companyId, sql`t.id = s.id`)} WHERE t.blob_id <> s.blob_id`,
    );
  const link = (from: Prisma.Sql) => sql`SELECT 'public_links', t.public_token
    FROM ${from} ${lookUp('resource_hub_documents', companyId, sql`t.id = s.id`)} WHERE t.public_token IS NOT NULL`;
  if (staging.tables.has('resource_hub_documents'))
    await note(
      'public_links',
      sql`${link(sql`staged_resource_hub_documents s`)} AND t.public_token IS DISTINCT FROM s.public_token`,
    );
  if (staging.hasRemoved)
    await note('public_links', sql`${link(sql`import_removed s`)} AND s.tbl = 'resource_hub_documents'`);
  await tx.$executeRaw`ANALYZE import_doomed, import_changed`;
}

/** In the order in which operations lock them, so that nobody waits in a circle. */
const lockOrder: Table[] = ['resource_hub_documents', 'resource_hub_files', 'goals'];

/** Locks the rows that change, of those that operations change too. */
export async function lockRows({ tx, staging, companyId }: Update): Promise<void> {
  for (const table of lockOrder.filter((each) => staging.hasRemoved || staging.tables.has(each)))
    await tx.$executeRaw(sql`
      SELECT t.id FROM ${raw(table)} t WHERE t.company_id = ${companyId} AND t.id = ANY (ARRAY(
        SELECT c.id FROM import_changed c WHERE c.tbl = ${table}
        UNION SELECT r.id FROM import_removed r WHERE r.tbl = ${table}))
      ORDER BY t.id FOR NO KEY UPDATE`);
}

/** Writes what differs, in the order of the tables, and removes what is gone, in the opposite order. */
export async function applyRows(update: Update): Promise<void> {
  const { staging } = update;
  for (const table of tables.filter((each) => staging.tables.has(each))) {
    await insertRows(update, table);
    if (!isAppended(table) && table !== 'public_links') await updateRows(update, table);
  }
  await removeRows(update);
}

/** From how many levels on a tree is inserted level by level. */
const deep = 100;

/** Inserts the staged rows that are not there. */
export async function insertRows(update: Update, table: Table): Promise<number> {
  const { tx, staging, isNew } = update;
  if (!staging.tables.has(table) || (table === 'companies' && !isNew)) return 0;
  if (!trees.some(([each]) => each === table)) return insertThose(update, table, sql`TRUE`);
  const tree = treeOf(table);
  const [deepest] = await tx.$queryRaw<{ depth: number | null }[]>(sql`SELECT max(depth) AS depth FROM ${tree}`);
  if ((deepest?.depth ?? 0) <= deep) return insertThose(update, table, sql`TRUE`);
  // Each level after the one above it: so the database, which asks what is in a new row, finds nothing there yet. Told at the
  // end, it would walk up from each row, which takes a minute for a few thousand in each other.
  const ownCheck = raw(`${table}_no_cycle`);
  await tx.$executeRaw`SET CONSTRAINTS ${ownCheck} IMMEDIATE`;
  let inserted = await insertThose(update, table, sql`NOT EXISTS (SELECT FROM ${tree} o WHERE o.id = s.id)`);
  for (let depth = 1; depth <= (deepest?.depth ?? 0); depth += 1)
    inserted += await insertThose(
      update,
      table,
      sql`s.id = ANY (ARRAY(SELECT o.id FROM ${tree} o WHERE o.depth = ${depth}::integer))`,
    );
  await tx.$executeRaw`SET CONSTRAINTS ${ownCheck} DEFERRED`;
  return inserted;
}

/** The events of a new company are its first, by time and id, as in a copy of it. */
async function insertThose({ tx, companyId, isNew }: Update, table: Table, condition: Prisma.Sql): Promise<number> {
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
    : sql`EXISTS (SELECT FROM ${raw(table)} t WHERE ${ofCompany(table, companyId)} AND ${sameRow(table, 's', 't')} OFFSET 0)`;
  const company = table === 'companies' ? [raw(''), raw('')] : [raw('company_id, '), sql`${companyId}, `];
  return tx.$executeRaw(sql`
    INSERT INTO ${raw(table)} (${company[0]}${columns(names)})
    SELECT ${company[1]}${values} FROM ${staged(table)} s WHERE NOT ${isThere} AND ${condition}
    ORDER BY ${raw(table === 'activities' ? 's.inserted_at, s.id' : 's.n')}`);
}

/** Only rows that were compared and locked: what an operation changes now is not in the way of the file. */
async function updateRows({ tx, companyId }: Update, table: Table): Promise<void> {
  const names = valuesOf(table);
  const sets = [
    ...names.map((name) => `"${name}" = s."${name}"`),
    ...(hasColumn(table, 'inserted_at') ? ['inserted_at = coalesce(s.inserted_at, t.inserted_at)'] : []),
    ...(hasColumn(table, 'updated_at') ? ['updated_at = coalesce(s.updated_at, now())'] : []),
  ];
  if (sets.length === 0) return;
  const key = columns([rowKeyOf(table)[0] ?? 'id']);
  await tx.$executeRaw(sql`
    UPDATE ${raw(table)} t SET ${raw(sets.join(', '))} FROM ${staged(table)} s
    JOIN import_changed c ON c.tbl = ${table} AND c.id = ${keyText(table)}
    WHERE ${ofCompany(table, companyId)} AND ${sameRow(table, 's', 't')} AND NOT s.frozen AND ${isChanged(table)}
      AND t.${key} = ANY (ARRAY(
        SELECT s.${key} FROM ${staged(table)} s JOIN import_changed c ON c.tbl = ${table} AND c.id = ${keyText(table)}))`);
}

async function removeRows(update: Update): Promise<void> {
  const { tx, staging, companyId } = update;
  if (staging.tables.has('spaces')) {
    const still = staging.tables.has('space_members')
      ? sql`AND NOT EXISTS (SELECT FROM staged_space_members m WHERE m.space_id = t.space_id AND m.person_id = t.person_id)`
      : Prisma.empty;
    await tx.$executeRaw(sql`
      DELETE FROM space_members t
      WHERE t.company_id = ${companyId} ${still}
        AND t.space_id = ANY (ARRAY(SELECT s.id FROM staged_spaces s WHERE 'members' = ANY (s.given)))`);
  }
  if (staging.hasRemoved) await removeRecords(update);
  await deleteDoomed(update);
}

/** Hides and suspends what is removed as a whole, and remembers the ids of what leaves no row. */
async function removeRecords({ tx, companyId }: Update): Promise<void> {
  const isRemoved = (table: Table) => sql`
    t.company_id = ${companyId} AND t.id = ANY (ARRAY(SELECT r.id FROM import_removed r WHERE r.tbl = ${table}))`;
  const more: Partial<Record<Table, string>> = {
    resource_hub_files: ', deleted_at = coalesce(t.deleted_at, now()), parent_folder_id = NULL',
    resource_hub_documents:
      ', deleted_at = coalesce(t.deleted_at, now()), parent_folder_id = NULL, public_token = NULL',
  };
  for (const { table, gone } of Object.values(lists))
    if (gone === 'removed_at')
      await tx.$executeRaw(
        sql`UPDATE ${raw(table)} t SET removed_at = now() ${raw(more[table] ?? '')} WHERE ${isRemoved(table)}`,
      );
  await tx.$executeRaw(sql`
    UPDATE people t SET suspended_at = now() WHERE ${isRemoved('people')} AND t.suspended_at IS NULL`);
  await tx.$executeRaw(sql`
    UPDATE api_tokens t SET revoked_at = now()
    WHERE t.company_id = ${companyId} AND t.revoked_at IS NULL
      AND t.person_id = ANY (ARRAY(SELECT r.id FROM import_removed r WHERE r.tbl = 'people'))`);
  await tx.$executeRaw(sql`
    INSERT INTO removed_folders (company_id, id)
    SELECT ${companyId}, r.id FROM import_removed r WHERE r.tbl = 'resource_hub_folders'`);
}

/** Deletes what hangs on nothing any more. */
async function deleteDoomed({ tx, companyId }: Update): Promise<void> {
  const [any] = await tx.$queryRaw<unknown[]>`SELECT 1 AS one FROM import_doomed LIMIT 1`;
  if (!any) return;
  for (const table of tables
    .toReversed()
    .filter((each) => (nested[each] && isListed(each)) || each === 'resource_hub_folders'))
    if (table !== 'space_members')
      await tx.$executeRaw(sql`
        DELETE FROM ${raw(table)} t WHERE t.company_id = ${companyId}
          AND t.id = ANY (ARRAY(SELECT d.id FROM import_doomed d WHERE d.tbl = ${table}))`);
  for (const table of removedLast)
    await tx.$executeRaw(sql`
      DELETE FROM ${raw(table)} t WHERE t.company_id = ${companyId}
        AND t.${columns(rowKeyOf(table))} = ANY (ARRAY(SELECT d.id FROM import_doomed d WHERE d.tbl = ${table}))`);
}

/** What other rows refer to, so that it goes after them. */
const removedLast: Table[] = ['blobs', 'public_links'];
