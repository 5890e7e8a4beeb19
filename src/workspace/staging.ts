import { rawSql, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import type { Emit } from './rows.js';
import { columnsOf, type ListName, lists, nested, rowKeyOf, type Table, tables } from './tables.js';

/** The temporary table that has what the file says of a table. */
export const staged = (table: Table) => rawSql(`staged_${table}`);

/** A list of columns, each of this row of a statement. */
export const columns = (names: readonly string[], row = '') =>
  rawSql(names.map((name) => `${row && `${row}.`}"${name}"`).join(', '));

/** Whether two rows of a statement differ in these columns. */
export const differ = (names: readonly string[], one: string, other: string) =>
  sql`(${columns(names, one)}) IS DISTINCT FROM (${columns(names, other)})`;

/** What a staged row has of the file: the columns of its table, and what is said of it besides. */
const stagedColumns = Object.fromEntries(
  tables.map((table) => [
    table,
    [
      ...columnsOf(table),
      'n',
      'path',
      'made',
      'given',
      'frozen',
      'generated',
      ...(table === 'activities' ? ['version_number'] : []),
    ],
  ]),
) as Record<Table, string[]>;

/** Characters of JSON that one statement brings to PostgreSQL. */
const charactersAtOnce = 256_000;

/** The rows of a file in temporary tables, which are gone when the transaction ends. */
export class Staging {
  /** The tables that the file has rows for. */
  readonly tables = new Set<Table>();
  readonly counts = new Map<Table, number>();
  /** Whether the file removes something, or a whole file does not name it. */
  hasRemoved = false;
  /** Rows of JSON on their way to PostgreSQL. */
  readonly #waiting = new Map<Table, { rows: string[]; characters: number }>();
  #n = 0;
  /** The last insert, which may still run. */
  #inserted: Promise<unknown> = Promise.resolve();

  constructor(private readonly tx: Transaction) {}

  async open(): Promise<void> {
    // Whatever the database prefers: rows are compared with what is committed at that moment.
    await this.tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL READ COMMITTED`;
    await this.tx.$executeRaw`SET LOCAL lock_timeout = '60s'`;
    await this.tx.$executeRaw`DO $$ BEGIN
      CREATE TEMP TABLE import_removed (tbl text, id text) ON COMMIT DROP;
      CREATE TEMP TABLE import_doomed (tbl text, id text) ON COMMIT DROP;
    END $$`;
  }

  readonly emit: Emit = (table, row, { path, given, isFrozen, made }) => {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
    this.#n += 1;
    const marked = { ...row, n: this.#n, path, made, given, frozen: isFrozen, generated: row.generated === true };
    const json = JSON.stringify(marked, stagedColumns[table]);
    const { rows, characters } = this.#waiting.get(table) ?? { rows: [], characters: 0 };
    rows.push(json);
    this.#waiting.set(table, { rows, characters: characters + json.length });
  };

  /** Call it after each record, so that few wait in memory. PostgreSQL inserts while the next ones are read. */
  async flush({ onlyFull = true } = {}): Promise<void> {
    for (const [table, { rows, characters }] of this.#waiting) {
      if (onlyFull && characters <= charactersAtOnce) continue;
      this.#waiting.delete(table);
      await this.#inserted;
      this.#inserted = this.#insert(table, `[${rows.join()}]`);
      // Whoever waits for it next gets the failure.
      this.#inserted.catch(() => {});
    }
    if (!onlyFull) await this.#inserted;
  }

  async #insert(table: Table, json: string): Promise<void> {
    await this.create(table);
    const names = columns(stagedColumns[table]);
    const rows = sql`json_populate_recordset(NULL::${staged(table)}, ${json}::json)`;
    await this.tx.$executeRaw(sql`INSERT INTO ${staged(table)} (${names}) SELECT ${names} FROM ${rows}`);
  }

  /** Makes the tables ready to be joined with others. */
  async close(): Promise<void> {
    await this.flush({ onlyFull: false });
    for (const table of this.tables) {
      const keys = [rowKeyOf(table)];
      if (nested[table]) keys.push(['made']);
      if (table === 'document_versions') keys.push(['document_id', 'version_number']);
      for (const key of keys) await this.tx.$executeRaw`CREATE INDEX ON ${staged(table)} (${columns(key)})`;
      await this.tx.$executeRaw`ANALYZE ${staged(table)}`;
    }
  }

  /** Notes what the file says is gone. */
  async remove(removed: Record<ListName, string[]>): Promise<void> {
    for (const [list, { table }] of Object.entries(lists)) {
      const ids = removed[list as ListName];
      if (ids.length === 0) continue;
      this.hasRemoved = true;
      await this.tx.$executeRaw`INSERT INTO import_removed SELECT DISTINCT ${table}, id FROM unnest(${ids}::text[]) id`;
    }
    await this.tx.$executeRaw`ANALYZE import_removed`;
  }

  /** Gives spaces without levels those of an open one, goals and projects their space's. Returns the ids of these spaces. */
  async setLevels(companyId: string, { isNew }: { isNew: boolean }): Promise<string[]> {
    const opened = this.tables.has('spaces')
      ? await this.tx.$queryRaw<{ id: string }[]>`
          UPDATE staged_spaces SET company_level = 70, space_level = 100 WHERE company_level IS NULL RETURNING id`
      : [];
    const spaces = [
      ...(this.tables.has('spaces') ? [staged('spaces')] : []),
      // A Citus joins none of its distributed tables with a temporary one: the file of a new company has all its spaces.
      ...(isNew ? [] : [sql`(SELECT * FROM spaces WHERE company_id = ${companyId})`]),
    ];
    for (const table of (['goals', 'projects'] as const).filter((each) => this.tables.has(each)))
      for (const from of spaces)
        await this.tx.$executeRaw(sql`
          UPDATE ${staged(table)} t SET company_level = s.company_level, space_level = s.space_level
          FROM ${from} s WHERE s.id = t.space_id AND t.company_level IS NULL`);
    return opened.map(({ id }) => id);
  }

  /**
   * Makes the temporary table of a table, unless it is there. An update sets `differs` of its rows: whether the row that is
   * there is another; null if none is.
   */
  async create(table: Table): Promise<void> {
    if (this.tables.has(table)) return;
    this.tables.add(table);
    const more = table === 'activities' ? ', 0 AS version_number' : '';
    await this.tx.$executeRaw`
      CREATE TEMP TABLE ${staged(table)} ON COMMIT DROP AS
      SELECT t.*, 0::bigint AS n, ''::text AS path, ''::text AS made, NULL::text[] AS given, false AS frozen,
        false AS generated, NULL::boolean AS differs ${rawSql(more)} FROM ${rawSql(table)} t WITH NO DATA`;
  }
}

/** What the checks of an import are about. */
export interface Checked {
  tx: Transaction;
  companyId: string;
  /** Whether the company has no rows yet. */
  isNew: boolean;
  staging: Staging;
}

/** What an update is told, besides what is staged. */
export interface Update extends Checked {
  /** The sequence up to which the writer of the file had taken in every event. */
  asOf: number;
  /** Whether the file's word counts against what operations have changed since. */
  overwrite: boolean;
}

/**
 * The rows `t` of the company for which a condition holds, looked up for each row of the statement before it. OFFSET 0 keeps
 * PostgreSQL from reading them all, because it expects few of a company until they are counted.
 */
export const lookUp = (table: Table, companyId: string, condition: Sql) => sql`CROSS JOIN LATERAL (
  SELECT * FROM ${rawSql(table)} t WHERE ${ofCompany(table, companyId)} AND ${condition} OFFSET 0
) t`;

export const ofCompany = (table: Table, companyId: string) =>
  table === 'companies' ? sql`t.id = ${companyId}` : sql`t.company_id = ${companyId}`;

/**
 * Whether the company has a row `t` for which a condition holds. A new one is not asked: the tables of a Citus are joined with
 * no temporary one.
 */
export const isThere = ({ companyId, isNew }: Checked, table: Table, condition: Sql) =>
  isNew
    ? sql`FALSE`
    : sql`EXISTS (SELECT FROM ${rawSql(table)} t WHERE t.company_id = ${companyId} AND ${condition} OFFSET 0)`;

/** Whether the file has a row `s` for which a condition holds. */
export const isStaged = ({ staging }: Checked, table: Table, condition: Sql) =>
  staging.tables.has(table) ? sql`EXISTS (SELECT FROM ${staged(table)} s WHERE ${condition})` : sql`FALSE`;

/** The most problems of one kind that are reported. */
export const most = 10_000;
