import { Prisma } from '../generated/client/client.js';
import { rawSql as raw, sql, type Transaction } from '../platform/postgres/index.js';
import { quote } from './report.js';
import { type Emit, within } from './rows.js';
import {
  columnsOf,
  fieldOf,
  type ListName,
  lists,
  nested,
  type Reference,
  references,
  rowKeyOf,
  type Table,
} from './tables.js';

/** The temporary table that has what the file says of a table. */
export const staged = (table: Table) => raw(`staged_${table}`);

/** A list of columns, each of this row of a statement. */
export const columns = (names: readonly string[], row = '') =>
  raw(names.map((name) => `${row && `${row}.`}"${name}"`).join(', '));

/** What a staged row has besides its columns. */
const marks = ['n', 'path', 'made', 'given', 'frozen', 'generated'];

/** Characters of JSON that one statement brings to PostgreSQL. */
const charactersAtOnce = 256_000;

/** Brings rows to temporary tables of the transaction, some at a time. */
class Buffer {
  #rows: string[] = [];
  #characters = 0;

  constructor(readonly insert: (json: string) => Promise<unknown>) {}

  push(row: string): void {
    this.#rows.push(row);
    this.#characters += row.length;
  }

  get isFull(): boolean {
    return this.#characters > charactersAtOnce;
  }

  /** What was pushed, as JSON; it is empty afterwards. */
  take(): string | undefined {
    if (this.#rows.length === 0) return undefined;
    const json = `[${this.#rows.join()}]`;
    this.#rows = [];
    this.#characters = 0;
    return json;
  }
}

/** The rows of a file in temporary tables, which are gone when the transaction ends. */
export class Staging {
  /** The tables that the file has rows for. */
  readonly tables = new Set<Table>();
  readonly counts = new Map<Table, number>();
  /** Whether the file removes something, or a whole file does not name it. */
  hasRemoved = false;
  readonly #tx: Transaction;
  readonly #buffers = new Map<Table, Buffer>();
  #n = 0;
  /** The last insert, which may still run. */
  #inserted: Promise<unknown> = Promise.resolve();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async open(): Promise<void> {
    // Whatever the database prefers: rows are compared with what is committed at that moment.
    await this.#tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL READ COMMITTED`;
    await this.#tx.$executeRaw`SET LOCAL lock_timeout = '60s'`;
    await this.#tx.$executeRaw`DO $$ BEGIN
      CREATE TEMP TABLE import_removed (tbl text, id text) ON COMMIT DROP;
      CREATE TEMP TABLE import_changed (tbl text, id text) ON COMMIT DROP;
      CREATE TEMP TABLE import_doomed (tbl text, id text) ON COMMIT DROP;
    END $$`;
  }

  readonly emit: Emit = (table, row, { path, given, isFrozen, made }) => {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
    const generated = row.generated === true;
    const marked = { ...row, n: this.#next(), path, made, given, frozen: isFrozen, generated };
    this.#bufferOf(table).push(JSON.stringify(marked, allowed(table)));
  };

  /** Call it after each record, so that few wait in memory. PostgreSQL inserts while the next ones are read. */
  async flush({ onlyFull = true } = {}): Promise<void> {
    for (const [table, buffer] of this.#buffers) {
      if (onlyFull && !buffer.isFull) continue;
      await this.#inserted;
      const json = buffer.take();
      if (json === undefined) continue;
      this.#inserted = this.create(table).then(() => buffer.insert(json));
      // Whoever waits for it next gets the failure.
      this.#inserted.catch(() => {});
    }
    if (!onlyFull) await this.#inserted;
  }

  /** Makes the tables ready to be joined with others. */
  async close(): Promise<void> {
    await this.flush({ onlyFull: false });
    for (const table of this.tables) {
      const name = `staged_${table}`;
      const indexed = rowKeyOf(table)[0];
      await this.#tx.$executeRaw`CREATE INDEX ON ${raw(name)} (${columns([indexed ?? 'id'])})`;
      if (nested[table]) await this.#tx.$executeRaw`CREATE INDEX ON ${raw(name)} (made)`;
      await this.#tx.$executeRaw`ANALYZE ${raw(name)}`;
    }
  }

  /** Notes what the file says is gone. */
  async remove(removed: Record<ListName, string[]>): Promise<void> {
    for (const [list, { table }] of Object.entries(lists)) {
      const ids = removed[list as ListName];
      if (ids.length === 0) continue;
      this.hasRemoved = true;
      await this.#tx
        .$executeRaw`INSERT INTO import_removed SELECT DISTINCT ${table}, id FROM unnest(${ids}::text[]) id`;
    }
    await this.#tx.$executeRaw`ANALYZE import_removed`;
  }

  /**
   * Gives spaces without levels those of an open one, goals and projects those of their space. Returns the ids of these
   * spaces.
   */
  async setLevels(companyId: string, { isNew }: { isNew: boolean }): Promise<string[]> {
    const opened = this.tables.has('spaces')
      ? await this.#tx.$queryRaw<{ id: string }[]>`
          UPDATE staged_spaces SET company_level = 70, space_level = 100 WHERE company_level IS NULL RETURNING id`
      : [];
    const spaces = [
      ...(this.tables.has('spaces') ? [staged('spaces')] : []),
      // A Citus joins none of its distributed tables with a temporary one: the file of a new company has all its spaces.
      ...(isNew ? [] : [sql`(SELECT * FROM spaces WHERE company_id = ${companyId})`]),
    ];
    for (const table of (['goals', 'projects'] as const).filter((each) => this.tables.has(each)))
      for (const from of spaces)
        await this.#tx.$executeRaw(sql`
          UPDATE ${staged(table)} t SET company_level = s.company_level, space_level = s.space_level
          FROM ${from} s WHERE s.id = t.space_id AND t.company_level IS NULL`);
    return opened.map(({ id }) => id);
  }

  #next(): number {
    this.#n += 1;
    return this.#n;
  }

  /** Makes the temporary table of a table, unless it is there. */
  async create(table: Table): Promise<void> {
    if (this.tables.has(table)) return;
    this.tables.add(table);
    const more = table === 'activities' ? ', 0 AS version_number' : '';
    await this.#tx.$executeRaw`
      CREATE TEMP TABLE ${staged(table)} ON COMMIT DROP AS
      SELECT t.*, 0::bigint AS n, ''::text AS path, ''::text AS made, NULL::text[] AS given, false AS frozen,
        false AS generated ${raw(more)} FROM ${raw(table)} t WITH NO DATA`;
  }

  #bufferOf(table: Table): Buffer {
    const known = this.#buffers.get(table);
    if (known) return known;
    const names = columns(allowed(table));
    const buffer = new Buffer((json) => {
      const rows = sql`json_populate_recordset(NULL::${staged(table)}, ${json}::json)`;
      return this.#tx.$executeRaw(sql`INSERT INTO ${staged(table)} (${names}) SELECT ${names} FROM ${rows}`);
    });
    this.#buffers.set(table, buffer);
    return buffer;
  }
}

const allowedColumns = new Map<Table, string[]>();

/** The columns of a staged row. */
function allowed(table: Table): string[] {
  const known = allowedColumns.get(table);
  if (known) return known;
  const more = table === 'activities' ? ['version_number'] : [];
  const names = [...columnsOf(table), ...marks, ...more];
  allowedColumns.set(table, names);
  return names;
}

/** What the checks of an import are about. */
export interface Checked {
  tx: Transaction;
  companyId: string;
  /** Whether the company has no rows yet. */
  isNew: boolean;
  staging: Staging;
}

const isHidden = (table: Table) =>
  Object.values(lists).some((list) => list.table === table && list.gone === 'removed_at');

/**
 * Whether a row of the company, which no file has removed, has this id. Here and elsewhere OFFSET 0, and ids in an array,
 * make PostgreSQL look rows up one by one: it expects few of a company until it has counted them, and would read all.
 */
const exists = ({ companyId }: Checked, table: Table, id: Prisma.Sql) => sql`EXISTS (
  SELECT FROM ${raw(table)} t WHERE t.company_id = ${companyId} AND t.id = ${id}
    ${raw(isHidden(table) ? 'AND t.removed_at IS NULL' : '')}
    ${
      table === 'people'
        ? Prisma.empty
        : sql`AND NOT EXISTS (SELECT FROM import_removed r WHERE r.tbl = ${table} AND r.id = t.id)`
    } OFFSET 0)`;

/** The most problems of one kind that are reported. */
export const most = 10_000;

interface Found {
  n: bigint;
  path: string;
  value: string;
  other: string;
}

/** Problems with ids that are there twice. */
async function duplicates({ tx, staging }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const table of [...staging.tables].filter((each) => each !== 'space_members')) {
    const from = sql`(SELECT ${columns(rowKeyOf(table))} AS value, path, n FROM ${staged(table)}) a`;
    const [twice] = await tx.$queryRaw<unknown[]>(
      sql`SELECT 1 AS one FROM ${from} GROUP BY value HAVING count(*) > 1 LIMIT 1`,
    );
    if (!twice) continue;
    const found = await tx.$queryRaw<Found[]>(sql`
      SELECT n, path, value, other FROM (
        SELECT n, path, value, first_value(path) OVER w AS other, row_number() OVER w AS place
        FROM ${from} WINDOW w AS (PARTITION BY value ORDER BY n)
      ) numbered WHERE place > 1 ORDER BY n LIMIT ${most}::integer`);
    const field = table === 'public_links' ? 'public_token' : 'id';
    for (const { path, value, other } of found)
      problems.push(`${within(path, field)}: ${quote(value)} is the same as ${within(other, field)}`);
  }
  return problems;
}

interface Dangling extends Omit<Found, 'other'> {
  tbl: Table;
  field: string;
}

/** Problems with ids of nothing. */
export async function danglingReferences(checked: Checked): Promise<string[]> {
  const { tx, staging, isNew } = checked;
  const isUnknown = (to: Table, value: Prisma.Sql) => sql`
    ${staging.tables.has(to) ? sql`NOT EXISTS (SELECT FROM ${staged(to)} o WHERE o.id = ${value})` : sql`TRUE`}
    ${isNew ? Prisma.empty : sql`AND NOT ${exists(checked, to, value)}`}`;
  const ofTable = ({ table, column, to }: Reference) => sql`
    SELECT s.n, s.path, ${fieldOf(column)} AS field, s.${columns([column])} AS value, ${to} AS tbl
    FROM ${staged(table)} s WHERE s.${columns([column])} IS NOT NULL AND ${isUnknown(to, sql`s.${columns([column])}`)}`;
  const parts = references.filter(({ table }) => staging.tables.has(table)).map(ofTable);
  if (parts.length === 0) return [];
  const found = await tx.$queryRaw<Dangling[]>(
    sql`SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) d ORDER BY n, field LIMIT ${most}::integer`,
  );
  const hints = await elsewhere(checked, [...new Set(found.map(({ value }) => value))]);
  return found.map(({ path, field, value, tbl }) => {
    const other = hints.get(value);
    const hint = other ? `, it is the id of ${other}` : '';
    const list = tbl.replace('resource_hub_', '');
    return `${within(path, field)}: nothing in ${list} has the id ${quote(value)}${hint}`;
  });
}

/** Where in the file something else has these ids. */
async function elsewhere({ tx, staging }: Checked, values: string[]): Promise<Map<string, string>> {
  const parts = [...staging.tables]
    .filter((table) => table !== 'space_members' && table !== 'public_links')
    .map((table) => sql`SELECT id AS value, path FROM ${staged(table)} WHERE id = ANY (${values}::text[])`);
  if (values.length === 0 || parts.length === 0) return new Map();
  const found = await tx.$queryRaw<{ value: string; path: string }[]>(Prisma.join(parts, ' UNION ALL '));
  return new Map(found.map(({ value, path }) => [value, path]));
}

/** What is in others of its kind, by the column that says in which. */
export const trees: [Table, string][] = [
  ['goals', 'parent_goal_id'],
  ['resource_hub_folders', 'parent_folder_id'],
];
const mostRounds = 32;

/** The temporary table with the depth of each staged row that is in another. */
export const treeOf = (table: Table) => raw(`import_tree_${table}`);

/** Problems with goals and folders that contain themselves: one for each circle. */
async function circles({ tx, staging, companyId, isNew }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const [table, column] of trees.filter(([each]) => staging.tables.has(each))) {
    const up = columns([column]);
    const tree = treeOf(table);
    const above = sql`UNION
      SELECT t.id, t.${up} FROM up CROSS JOIN LATERAL (
        SELECT id, ${up} FROM ${raw(table)} WHERE company_id = ${companyId} AND id = up.parent OFFSET 0
      ) t
      WHERE t.${up} IS NOT NULL AND NOT EXISTS (SELECT FROM ${staged(table)} s WHERE s.id = up.parent)`;
    const rows = await tx.$executeRaw(sql`
      CREATE TEMP TABLE ${tree} ON COMMIT DROP AS WITH RECURSIVE up (id, parent) AS (
        SELECT id, ${up} FROM ${staged(table)} WHERE ${up} IS NOT NULL ${isNew ? Prisma.empty : above}
      ) SELECT id, parent, parent AS up, 1 AS depth FROM up`);
    if (rows === 0) continue;
    await tx.$executeRaw(sql`CREATE INDEX ON ${tree} (id)`);
    await tx.$executeRaw(sql`ANALYZE ${tree}`);
    // Each round doubles how far up a row looks, and adds how many are there: what still finds somebody there after all of
    // them goes round.
    for (let round = 0, left = rows; left > 0 && round < mostRounds; round += 1)
      left = await tx.$executeRaw(sql`
        UPDATE ${tree} t SET up = o.up, depth = least(t.depth + o.depth, 1000000)
        FROM (SELECT m.id, p.up, coalesce(p.depth, 0) AS depth FROM ${tree} m LEFT JOIN ${tree} p ON p.id = m.up WHERE m.up IS NOT NULL) o
        WHERE t.id = o.id AND t.up IS NOT NULL`);
    const round = await tx.$queryRaw<TreeRow[]>(sql`
      SELECT t.id, t.parent, coalesce(s.path, '') AS path FROM ${tree} t LEFT JOIN ${staged(table)} s ON s.id = t.id
      WHERE t.up IS NOT NULL ORDER BY s.n NULLS LAST LIMIT ${most}::integer`);
    problems.push(...circlesIn(round, column));
    if (round.length === 0) await tx.$executeRaw(sql`CREATE INDEX ON ${tree} (depth)`);
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

interface Misplaced extends Omit<Found, 'other'> {
  own: string;
  other: string;
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
    const found = await tx.$queryRaw<Misplaced[]>(sql`
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
  raw(
    `CASE ${version}.origin ${Object.entries(originsByAction)
      .map(([action, origin]) => `WHEN '${origin}' THEN '${action}'`)
      .join(' ')} END`,
  );

/** Problems with new documents whose first version is missing, and with activities of versions that nobody lists. */
async function documentProblems({ tx, staging, companyId, isNew }: Checked): Promise<string[]> {
  const problems: string[] = [];
  if (staging.tables.has('resource_hub_documents')) {
    const first = staging.tables.has('document_versions')
      ? sql`(SELECT min(v.version_number) FROM staged_document_versions v WHERE v.document_id = d.id)`
      : sql`NULL::integer`;
    const isThere = sql`EXISTS (
      SELECT FROM resource_hub_documents t WHERE t.company_id = ${companyId} AND t.id = d.id OFFSET 0)`;
    // Others may omit versions that are there.
    const found = await tx.$queryRaw<{ path: string; first: number | null }[]>(sql`
      SELECT path, first FROM (
        SELECT d.id, d.path, d.n, ${first} AS first FROM staged_resource_hub_documents d WHERE d.state = 'published'
      ) d WHERE first IS DISTINCT FROM 1 ${isNew ? Prisma.empty : sql`AND NOT ${isThere}`}
      ORDER BY n LIMIT ${most}::integer`);
    for (const { path, first: number } of found)
      problems.push(
        number === null
          ? `${within(path, 'versions')}: a published document has at least one`
          : `${within(path, 'versions[0].version_number')}: must be 1, versions are listed from 1 on`,
      );
  }
  if (!staging.tables.has('activities')) return problems;
  const inFile = staging.tables.has('document_versions')
    ? sql`EXISTS (SELECT FROM staged_document_versions v
        WHERE v.document_id = a.document_id AND v.version_number = a.version_number AND ${addedBy('v')} = a.action::text) OR`
    : Prisma.empty;
  const here = isNew
    ? sql`FALSE`
    : sql`EXISTS (SELECT FROM document_versions v WHERE v.company_id = ${companyId}
        AND v.document_id = a.document_id AND v.version_number = a.version_number AND ${addedBy('v')} = a.action::text OFFSET 0)`;
  const found = await tx.$queryRaw<{ path: string; number: number; action: string }[]>(sql`
    SELECT a.path, a.version_number AS number, a.action::text AS action FROM staged_activities a
    WHERE a.version_number IS NOT NULL AND NOT (${inFile} ${here})
    ORDER BY a.n LIMIT ${most}::integer`);
  return [
    ...problems,
    ...found.map(
      ({ path, number, action }) =>
        `${path}.version_number: no version ${number} with the origin ${originsByAction[action]} is listed`,
    ),
  ];
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
    if (table === 'people') continue;
    for (const { column, to, table: child } of references.filter((each) => each.table === table)) {
      const name = Object.entries(lists).find(([, other]) => other.table === to)?.[0];
      if (name === undefined || to === 'people') continue;
      const replaced = staging.tables.has(child)
        ? sql`AND NOT EXISTS (SELECT FROM ${staged(child)} s WHERE s.id = t.id)`
        : Prisma.empty;
      const isDeletable = ['resource_hub_documents', 'resource_hub_files'].includes(child);
      const alive = raw(isDeletable ? 'AND t.deleted_at IS NULL' : isHidden(child) ? 'AND t.removed_at IS NULL' : '');
      const left = await tx.$queryRaw<{ id: string; of: string }[]>(sql`
        SELECT t.id, r.id AS of FROM import_removed r CROSS JOIN LATERAL (
          SELECT * FROM ${raw(child)} c WHERE c.company_id = ${companyId} AND c.${columns([column])} = r.id OFFSET 0
        ) t
        WHERE r.tbl = ${to} ${alive} ${replaced}
          AND NOT EXISTS (SELECT FROM import_removed o WHERE o.tbl = ${child} AND o.id = t.id)
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
    const removed = gone ? sql`${raw(table)} t WHERE t.removed_at IS NOT NULL AND` : sql`removed_folders t WHERE`;
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
  for (const check of [documentProblems, duplicates, danglingReferences, circles, misplaced, problemsOfReturns])
    problems.push(...(await check(checked)));
  return problems;
}
