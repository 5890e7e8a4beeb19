import { Prisma } from '../generated/client/client.js';
import { joinSql, rawSql as raw, type Sql, sql, type Transaction } from '../platform/postgres/index.js';
import { version } from '../version.js';
import type { WorkspacePart } from './file.js';
import { quote, type RecordReader, within } from './rows.js';
import { type Checked, columns, type Staging, staged } from './staging.js';
import { children, fieldOf, isAppended, isListName, lists, references, rowKeyOf, type Table } from './tables.js';

/** Rows that are a record of the file, or lie in its lists, to any depth. */
interface Way {
  table: Table;
  /** From the record, `t`, to these rows. */
  joins: Sql;
  /** Their name in the statement. */
  row: string;
}

/** From a record to all of its rows; `isWhole`: also to those that are never changed. */
function* waysFrom(companyId: string, isWhole: boolean, from: Way): Generator<Way> {
  yield from;
  const next = (table: Table, condition: string): Way => {
    const row = `${from.row}_`;
    const on = sql`${raw(row)}.company_id = ${companyId} AND ${raw(condition.replace('?', row))}`;
    return { table, row, joins: sql`${from.joins} JOIN ${raw(table)} ${raw(row)} ON ${on}` };
  };
  if (from.table === 'resource_hub_files') yield next('blobs', `?.id = ${from.row}.blob_id`);
  if (from.table === 'resource_hub_documents' && isWhole)
    yield next('public_links', `?.token = ${from.row}.public_token`);
  for (const { table, column } of children[from.table])
    if (isWhole || !isAppended(table))
      yield* waysFrom(companyId, isWhole, next(table, `?."${column}" = ${from.row}.id`));
}

/** Selects a digest of all rows of the records of a table with these ids that an import may change. */
function marksOf(table: Table, companyId: string, ids: Sql): Sql {
  const rows = [...waysFrom(companyId, false, { table, row: 't', joins: Prisma.empty })].map(
    ({ joins, row }) => sql`
      SELECT hash_record_extended(${raw(row)}, 0) AS mark
      FROM ${raw(table)} t ${joins} WHERE t.company_id = ${companyId} AND t.id = k.id`,
  );
  return sql`
    SELECT k.id, (SELECT bit_xor(mark) FROM (${joinSql(rows, ' UNION ALL ')}) r) AS mark FROM (${ids}) k`;
}

/** How many records are looked up at once, if they are not longer than that. */
const atOnce = 1000;
const bytesAtOnce = 1 << 20;

/**
 * Leaves out records whose text an earlier import has found to be what the company has, if their rows are still the same:
 * nothing else of them is checked, staged or compared.
 */
export class KnownRecords {
  readonly #tx: Transaction;
  readonly #staging: Staging;
  readonly #reader: RecordReader;
  #companyId: string | undefined;
  /** Records of one list. */
  #waiting: TextRecord[] = [];
  #bytes = 0;

  constructor(tx: Transaction, staging: Staging, reader: RecordReader) {
    this.#tx = tx;
    this.#staging = staging;
    this.#reader = reader;
  }

  /** Reads a part, at once or with some of those that follow. */
  async push(part: WorkspacePart): Promise<void> {
    const record = textRecordOf(part);
    if (record === undefined || this.#companyId === undefined) {
      this.#read(part, record);
      if (part.field === 'company') await this.#open(part.value);
      return;
    }
    const isFull = this.#waiting.length >= atOnce || this.#bytes >= bytesAtOnce;
    if (isFull || this.#waiting[0]?.table !== record.table) await this.close();
    this.#waiting.push(record);
    this.#bytes += record.bytes;
  }

  /** Reads what still waits. */
  async close(): Promise<void> {
    const waiting = this.#waiting;
    const [first] = waiting;
    if (!first) return;
    this.#waiting = [];
    this.#bytes = 0;
    const known = await this.#unchanged(first.table, waiting);
    for (const record of waiting) {
      const rows = known.get(record.id);
      if (rows) {
        this.#reader.pass(record.part);
        this.#staging.pass(record, rows);
      } else this.#read(record.part, record);
    }
  }

  /** Only for a company that has such records. From now on it has one import at a time, so that none overtakes another. */
  async #open(company: unknown): Promise<void> {
    const { id } = (company ?? {}) as { id?: unknown };
    if (typeof id !== 'string' || id.includes('\0')) return;
    const [any] = await this.#tx.$queryRaw<unknown[]>`
      SELECT 1 AS one FROM imported_records WHERE company_id = ${id} LIMIT 1`;
    if (!any) return;
    await lockCompany(this.#tx, id);
    this.#companyId = id;
  }

  #read(part: WorkspacePart, record: TextRecord | undefined): void {
    const rows = this.#staging.rowsOf(() => this.#reader.read(part));
    if (record && rows.size > 0) this.#staging.read(record, rows);
  }

  async #unchanged(table: Table, records: TextRecord[]): Promise<Map<string, Record<string, number>>> {
    const companyId = this.#companyId as string;
    const [ids, digests] = [records.map(({ id }) => id), records.map(({ digest }) => digest)];
    const rows = await this.#tx.$queryRaw<{ id: string; rows: Record<string, number> }[]>(sql`
      WITH known AS MATERIALIZED (
        SELECT DISTINCT i.id, i.rows, i.mark FROM unnest(${ids}::text[], ${digests}::text[]) r (id, digest)
        JOIN imported_records i
          ON i.company_id = ${companyId} AND i.table_name = ${table} AND i.id = r.id AND i.digest = r.digest
      )
      SELECT k.id, k.rows FROM known k
      JOIN (${marksOf(table, companyId, sql`SELECT id FROM known`)}) m ON m.id = k.id AND m.mark = k.mark`);
    return new Map(rows.map((row) => [row.id, row.rows]));
  }
}

/** Lets one import of a company at a time go on. */
export const lockCompany = (tx: Transaction, companyId: string) =>
  tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtext('goalpost import'), hashtext(${companyId}))::text AS held`;

interface TextRecord {
  table: Table;
  id: string;
  path: string;
  bytes: number;
  /** Of the text, and of who reads it: another version may make other rows of it. */
  digest: string;
  part: WorkspacePart;
}

function textRecordOf(part: WorkspacePart): TextRecord | undefined {
  const { field, value, path, text } = part;
  const { id } = (value ?? {}) as { id?: unknown };
  if (!text || !isListName(field) || typeof id !== 'string' || /[\0\p{Cs}]/u.test(id)) return undefined;
  return { table: lists[field].table, id, path, bytes: text.bytes, digest: `${version} ${text.digest}`, part };
}

/** From the records that were left out to their rows in a table. */
const knownRows = (table: Table, companyId: string, isWhole: boolean) =>
  Object.values(lists).flatMap(({ table: top }) =>
    [...waysFrom(companyId, isWhole, { table: top, row: 't', joins: Prisma.empty })]
      .filter((way) => way.table === table)
      .map(({ joins, row }) => ({
        top,
        row: raw(row),
        from: sql`import_records r JOIN ${raw(top)} t ON r.known AND r.tbl = ${top}
          AND t.company_id = ${companyId} AND t.id = r.id ${joins}`,
      })),
  );

/** Problems of rows that the file gives to records that were left out and to others, too. */
export async function problemsOfKnown({ tx, staging, companyId }: Checked): Promise<string[]> {
  if (staging.known.size === 0) return [];
  const given = [...staging.tables].filter((each) => each !== 'companies' && each !== 'space_members');
  const parts = given.flatMap((table) => {
    const key = columns([rowKeyOf(table)[0] ?? 'id']);
    const isGiven = raw(table === 'public_links' ? 'TRUE' : 'NOT s.generated');
    const nestedRows = knownRows(table, companyId, true).filter(({ top }) => top !== table);
    return nestedRows.map(
      ({ from, row }) => sql`
        SELECT s.n, s.path, ${table === 'public_links' ? 'public_token' : 'id'} AS field, s.${key} AS value, r.path AS other
        FROM ${from} JOIN ${staged(table)} s ON s.${key} = ${row}.${key} AND ${isGiven}`,
    );
  });
  if (parts.length === 0) return [];
  const found = await tx.$queryRaw<{ path: string; field: string; value: string; other: string }[]>(
    sql`SELECT * FROM (${joinSql(parts, ' UNION ALL ')}) f ORDER BY n LIMIT 10000`,
  );
  return found.map(({ path, field, value, other }) => `${within(path, field)}: ${quote(value)} is in ${other}, too`);
}

/** Problems of records that were left out with what is removed: they are in the file, or name a person who is gone. */
export async function problemsOfKnownRemovals({ tx, staging, companyId }: Checked): Promise<string[]> {
  if (staging.known.size === 0) return [];
  const both = await tx.$queryRaw<{ path: string; id: string; tbl: Table }[]>`
    SELECT r.path, r.id, r.tbl FROM import_records r JOIN import_removed g ON g.tbl = r.tbl AND g.id = r.id
    WHERE r.known ORDER BY r.n LIMIT 10000`;
  const problems = both.map(({ path, id, tbl }) => {
    const [list] = Object.entries(lists).find(([, { table }]) => table === tbl) ?? [];
    return `${within(path, 'id')}: ${quote(id)} is in removed.${list}, too`;
  });
  const [gone] = await tx.$queryRaw<unknown[]>`SELECT 1 AS one FROM import_removed WHERE tbl = 'people' LIMIT 1`;
  if (!gone) return problems;
  const naming = references.filter(({ to, table }) => to === 'people' && !isAppended(table));
  const parts = naming.flatMap(({ table, column }) =>
    knownRows(table, companyId, false).map(
      ({ from, row, top }) => sql`
        SELECT r.n, r.path, ${table === top ? fieldOf(column) : ''} AS field, g.id
        FROM ${from} JOIN import_removed g ON g.tbl = 'people' AND g.id = ${row}.${columns([column])}
        WHERE r.rows ? ${table}`,
    ),
  );
  const found = await tx.$queryRaw<{ path: string; field: string; id: string }[]>(
    sql`SELECT DISTINCT * FROM (${joinSql(parts, ' UNION ALL ')}) f ORDER BY n, field LIMIT 10000`,
  );
  for (const { path, field, id } of found)
    problems.push(`${within(path, field)}: nothing in people has the id ${quote(id)}`);
  return problems;
}

const recorded = (staging: Staging) =>
  Object.values(lists)
    .map(({ table }) => table)
    .filter((table) => staging.tables.has(table));

/** Before rows are compared: which records may be as they are in the file, and what rows they have. */
export async function markEqual({ tx, staging, companyId }: Checked, isEqual: (table: Table) => Sql): Promise<void> {
  for (const table of staging.hasText ? recorded(staging) : []) {
    const ids = sql`
      SELECT s.id FROM ${staged(table)} s JOIN ${raw(table)} t ON t.company_id = ${companyId} AND t.id = s.id
      WHERE ${isEqual(table)}`;
    await tx.$executeRaw(
      sql`INSERT INTO import_marks SELECT ${table}, id, mark FROM (${marksOf(table, companyId, ids)}) m`,
    );
  }
}

/**
 * Notes the records that are what the file says: all of a new company, and those that neither this import nor anybody
 * else has changed since before they were compared, if all of the file was taken.
 */
export async function noteKnown({ tx, staging, companyId, isNew }: Checked): Promise<void> {
  if (staging.hasRemoved)
    await tx.$executeRaw`
      DELETE FROM imported_records i USING import_removed r
      WHERE i.company_id = ${companyId} AND i.table_name = r.tbl AND i.id = r.id`;
  for (const table of staging.hasText ? recorded(staging) : []) {
    const wasEqual = isNew
      ? Prisma.empty
      : sql`JOIN import_marks b ON b.tbl = ${table} AND b.id = m.id AND b.mark = m.mark
          AND NOT EXISTS (SELECT FROM import_findings f WHERE f.what <> 'changed' AND f.tbl = ${table} AND f.id = m.id)
          ${table === 'resource_hub_documents' ? sql`AND NOT EXISTS (SELECT FROM import_verdicts v WHERE v.id = m.id AND v.verdict <> 'equal')` : Prisma.empty}`;
    const ids = isNew ? sql`SELECT id FROM ${staged(table)}` : sql`SELECT id FROM import_marks WHERE tbl = ${table}`;
    await tx.$executeRaw(sql`
      INSERT INTO imported_records (company_id, table_name, id, digest, mark, rows)
      SELECT ${companyId}, ${table}, m.id, r.digest, m.mark, r.rows
      FROM (${marksOf(table, companyId, ids)}) m JOIN import_records r ON r.tbl = ${table} AND r.id = m.id ${wasEqual}
      ON CONFLICT (company_id, table_name, id) DO UPDATE
      SET digest = excluded.digest, mark = excluded.mark, rows = excluded.rows`);
  }
}
