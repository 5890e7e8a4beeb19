import { emptySql, joinSql, rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import { treeOf, trees } from './checks.js';
import { ImportError, type UnknownChange } from './report.js';
import { columns, differ, isStaged, isThere, lookUp, most, ofCompany, staged, type Update } from './staging.js';
import { columnsOf, isAppended, isListed, lists, nested, rowKeyOf, type Table, tables } from './tables.js';

const filledIn = ['inserted_at', 'updated_at'];
/** What an import never writes to a row that is there. */
const notWritten = ['sequence', 'recorded_at', 'origin', 'last_sequence', 'removed_at'];

const valuesOf = (table: Table) =>
  columnsOf(table).filter((name) => !rowKeyOf(table).includes(name) && ![...filledIn, ...notWritten].includes(name));

const hasColumn = (table: Table, column: string) => columnsOf(table).includes(column);

const isKey = (table: Table, one: string, other: string) =>
  joinSql(
    rowKeyOf(table).map((key) => rawSql(`${one}."${key}" = ${other}."${key}"`)),
    ' AND ',
  );

const isReplaced = (table: Table) => !isAppended(table) && table !== 'public_links';

/** Whether a staged row differs from the one that is there: what the file omits and was filled in does not count. */
function isChanged(table: Table): Sql {
  if (!isReplaced(table)) return sql`FALSE`;
  const names = valuesOf(table);
  const parts = filledIn
    .filter((name) => hasColumn(table, name))
    .map((name) => sql`s.${columns([name])} IS NOT NULL AND ${differ([name], 's', 't')}`);
  if (names.length > 0) parts.unshift(differ(names, 's', 't'));
  return sql`NOT s.frozen AND (${joinSql(parts, ' OR ')})`;
}

/** Notes which rows are there, and which of them an update would change. Locks none. */
export async function compareRows({ tx, staging, companyId }: Update): Promise<void> {
  for (const table of tables.filter((each) => staging.tables.has(each)))
    await tx.$executeRaw(sql`
      UPDATE ${staged(table)} s SET differs = (
        SELECT ${isChanged(table)} FROM ${rawSql(table)} t WHERE ${ofCompany(table, companyId)} AND ${isKey(table, 's', 't')})`);
}

/** Notes what is no longer in a list that the file has, with all that hangs on it, and what is removed as a whole. */
export async function findDoomed(update: Update): Promise<void> {
  const { tx, staging, companyId } = update;
  const note = (table: Table, rows: Sql) => tx.$executeRaw(sql`INSERT INTO import_doomed SELECT ${table}, ${rows}`);
  for (const { table, gone } of Object.values(lists))
    if (!gone)
      await note(
        table,
        sql`t.id FROM import_removed r ${lookUp(table, companyId, sql`t.id = r.id`)} WHERE r.tbl = ${table}`,
      );
  for (const table of tables.filter((each) => isListed(each) && each !== 'space_members'))
    for (const { table: of, column, field } of nested[table]?.parents ?? []) {
      const inside = (parent: string) => lookUp(table, companyId, sql`t.${columns([column])} = ${rawSql(parent)}.id`);
      await note(table, sql`t.id FROM import_doomed d ${inside('d')} WHERE d.tbl = ${of}`);
      if (staging.tables.has(of))
        await note(
          table,
          sql`t.id FROM ${staged(of)} p ${inside('p')}
            WHERE ${field} = ANY (p.given) AND NOT p.frozen AND NOT ${isStaged(update, table, sql`s.id = t.id`)}`,
        );
    }
  if (staging.tables.has('resource_hub_files'))
    await note(
      'blobs',
      sql`t.blob_id FROM staged_resource_hub_files s
        ${lookUp('resource_hub_files', companyId, sql`t.id = s.id`)} WHERE t.blob_id <> s.blob_id`,
    );
  const link = (from: Sql) => sql`t.public_token
    FROM ${from} ${lookUp('resource_hub_documents', companyId, sql`t.id = s.id`)} WHERE t.public_token IS NOT NULL`;
  if (staging.tables.has('resource_hub_documents'))
    await note(
      'public_links',
      sql`${link(sql`staged_resource_hub_documents s`)} AND t.public_token IS DISTINCT FROM s.public_token`,
    );
  await note('public_links', sql`${link(sql`import_removed s`)} AND s.tbl = 'resource_hub_documents'`);
  await tx.$executeRaw`ANALYZE import_doomed`;
}

/** In the order in which operations lock them, so that nobody waits in a circle. */
const lockOrder: Table[] = ['resource_hub_documents', 'resource_hub_files', 'goals'];

/** Locks the rows that change, of those that operations change too. */
export async function lockRows({ tx, staging, companyId }: Update): Promise<void> {
  for (const table of lockOrder.filter((each) => staging.hasRemoved || staging.tables.has(each)))
    await tx.$executeRaw(sql`
      SELECT t.id FROM ${rawSql(table)} t WHERE t.company_id = ${companyId} AND t.id = ANY (ARRAY(
        ${staging.tables.has(table) ? sql`SELECT s.id FROM ${staged(table)} s WHERE s.differs UNION` : emptySql}
        SELECT r.id FROM import_removed r WHERE r.tbl = ${table}))
      ORDER BY t.id FOR NO KEY UPDATE`);
}

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
      WITH named AS MATERIALIZED (${joinSql(named, ' UNION ALL ')}), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT ${event} FROM activities a
          WHERE a.company_id = ${companyId} AND a.origin = 'api' AND a.sequence > ${asOf}::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = ${kind}::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, ${event} FROM named JOIN (
          SELECT * FROM activities WHERE company_id = ${companyId} AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.${rawSql(subject)} = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) ${table} AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT ${most}::integer`);
    for (const { table: of, id, path, sequence, action, personId, at } of rows)
      found.push({ table: of, id, path, event: sequence === null ? null : String(sequence), action, personId, at });
  }
  return found;
}

/** Writes what differs, in the order of the tables, and removes what is gone, in the opposite order. */
export async function applyRows(update: Update): Promise<void> {
  const { staging } = update;
  for (const table of tables.filter((each) => staging.tables.has(each))) {
    await insertRows(update, table);
    if (isReplaced(table)) await updateRows(update, table);
  }
  await removeRows(update);
}

/** From how many levels on a tree is inserted level by level. */
const deep = 100;

export async function insertRows(update: Update, table: Table): Promise<number> {
  const { tx } = update;
  if (!trees.some(([each]) => each === table)) return insertThose(update, table, sql`TRUE`);
  const tree = treeOf(table);
  const [{ depth: deepest }] = await tx.$queryRaw<[{ depth: number }]>(
    sql`SELECT coalesce(max(depth), 0) AS depth FROM ${tree}`,
  );
  if (deepest <= deep) return insertThose(update, table, sql`TRUE`);
  // Each level after the one above it: so the database, which asks what is in a new row, finds nothing there yet. Told at the
  // end, it would walk up from each row, which takes a minute for a few thousand in each other.
  const ownCheck = rawSql(`${table}_no_cycle`);
  await tx.$executeRaw`SET CONSTRAINTS ${ownCheck} IMMEDIATE`;
  let inserted = await insertThose(update, table, sql`NOT EXISTS (SELECT FROM ${tree} o WHERE o.id = s.id)`);
  for (let depth = 1; depth <= deepest; depth += 1) {
    const level = sql`s.id = ANY (ARRAY(SELECT o.id FROM ${tree} o WHERE o.depth = ${depth}::integer))`;
    inserted += await insertThose(update, table, level);
  }
  await tx.$executeRaw`SET CONSTRAINTS ${ownCheck} DEFERRED`;
  return inserted;
}

/** The events of a new company are its first, by time and id, as in a copy of it. */
async function insertThose({ tx, companyId, isNew }: Update, table: Table, condition: Sql): Promise<number> {
  const names = columnsOf(table).filter((name) => name !== 'recorded_at');
  const value = (name: string): Sql => {
    if (name === 'inserted_at') return sql`coalesce(s.inserted_at, now())`;
    if (name === 'updated_at') return sql`coalesce(s.updated_at, s.inserted_at, now())`;
    if (name === 'sequence' && isNew) return sql`row_number() OVER (ORDER BY coalesce(s.inserted_at, now()), s.id)`;
    return sql`s.${columns([name])}`;
  };
  const company = table === 'companies' ? [rawSql(''), rawSql('')] : [rawSql('company_id, '), sql`${companyId}, `];
  const written = await tx.$executeRaw(sql`
    INSERT INTO ${rawSql(table)} (${company[0]}${columns(names)})
    SELECT ${company[1]}${joinSql(names.map(value))} FROM ${staged(table)} s WHERE s.differs IS NULL AND ${condition}
    ORDER BY ${rawSql(table === 'activities' ? 's.inserted_at, s.id' : 's.n')}`);
  const meant = await count(tx, sql`${staged(table)} s WHERE s.differs IS NULL AND ${condition}`);
  await requireWritten(tx, table, written, meant);
  return written;
}

async function count(tx: Transaction, rows: Sql): Promise<number> {
  const [{ counted }] = await tx.$queryRaw<[{ counted: number }]>(
    sql`SELECT count(*)::integer AS counted FROM ${rows}`,
  );
  return counted;
}

/** Requires that as many rows were written as were meant: a trigger that returns NULL leaves its row out. */
async function requireWritten(tx: Transaction, table: Table, written: number, meant: number): Promise<void> {
  if (written === meant) return;
  const found = await tx.$queryRaw<{ name: string }[]>(sql`
    SELECT tgname AS name FROM pg_trigger
    WHERE tgrelid = ${table}::regclass AND NOT tgisinternal AND tgtype & 3 = 3 AND tgenabled <> 'D' ORDER BY tgname`);
  const triggers = found.map(({ name }) => name).join(', ') || 'none';
  throw new ImportError([
    `${table}: the database has written ${written} of ${meant} rows. A trigger before each row that returns NULL leaves it out; there are: ${triggers}`,
  ]);
}

/** Only rows that were compared and locked: what an operation changes now is not in the way of the file. */
async function updateRows({ tx, companyId }: Update, table: Table): Promise<void> {
  const sets = valuesOf(table).map((name) => `"${name}" = s."${name}"`);
  if (hasColumn(table, 'inserted_at')) sets.push('inserted_at = coalesce(s.inserted_at, t.inserted_at)');
  if (hasColumn(table, 'updated_at')) sets.push('updated_at = coalesce(s.updated_at, now())');
  const written = await tx.$executeRaw(sql`
    UPDATE ${rawSql(table)} t SET ${rawSql(sets.join(', '))} FROM ${staged(table)} s
    WHERE s.differs AND ${ofCompany(table, companyId)} AND ${isKey(table, 's', 't')}`);
  await requireWritten(tx, table, written, await count(tx, sql`${staged(table)} s WHERE s.differs`));
}

async function removeRows(update: Update): Promise<void> {
  const { tx, staging, companyId } = update;
  if (staging.tables.has('spaces')) {
    const still = staging.tables.has('space_members')
      ? sql`AND NOT EXISTS (SELECT FROM staged_space_members m WHERE m.space_id = t.space_id AND m.person_id = t.person_id)`
      : emptySql;
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
    if (gone === 'removed_at') {
      const written = await tx.$executeRaw(
        sql`UPDATE ${rawSql(table)} t SET removed_at = now() ${rawSql(more[table] ?? '')} WHERE ${isRemoved(table)}`,
      );
      await requireWritten(tx, table, written, await count(tx, sql`${rawSql(table)} t WHERE ${isRemoved(table)}`));
    }
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
  const doomed = await tx.$queryRaw<{ tbl: Table }[]>`SELECT DISTINCT tbl FROM import_doomed`;
  for (const table of tables.toReversed().filter((each) => doomed.some(({ tbl }) => tbl === each))) {
    const rows = sql`${rawSql(table)} t WHERE t.company_id = ${companyId}
      AND t.${columns(rowKeyOf(table))} = ANY (ARRAY(SELECT d.id FROM import_doomed d WHERE d.tbl = ${table}))`;
    const meant = await count(tx, rows);
    await requireWritten(tx, table, await tx.$executeRaw(sql`DELETE FROM ${rows}`), meant);
  }
}
