import type { FieldError } from '../platform/failures/index.js';
import {
  emptySql,
  joinSql,
  type RowInSql,
  rawSql,
  type Sql,
  sql,
  type Transaction,
  textList,
} from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';

type Key = string | number;

/** The position of a row in its list. Lists are ordered by rank, key and id, so no two rows share a position. */
export interface Position {
  rank: number;
  key: Key;
  id: string;
}

/** The SQL that makes a branch walk its index: from where, in which direction, at most a page unless it is `endless`. */
export type Walk = (columns: { rank?: number; key: Sql; id: Sql }, endless?: 'endless') => Sql;

/** What tells the cursors of a list from those of others. */
export interface CursorKind {
  /** Stands in the list's cursors, so that those of another list or order are rejected. */
  name: string;
  key: 'text' | 'timestamptz' | 'integer' | 'bigint';
  /** What stands for the id in a cursor, if the id itself must not. */
  markOf?: (id: string) => string;
  /** What every such mark matches. */
  mark?: RegExp;
}

/** An ordered set of rows, for one or more scopes (such as the hubs whose nodes are listed) at once. */
export interface List extends CursorKind {
  descending?: boolean;
  /** Common table expressions that the branches use. */
  steps?: (scopes: string[]) => Sql;
  /** Queries for (scope, rank, key, id), each along its own index and at most a page. Their union is the list. */
  branches: (scopes: string[], walk: Walk) => Sql[];
}

/** The scope of a list that has only one. */
export const everywhere = '';

/** `scopes` as rows, so that a branch walks its index for each of them. */
export const eachOf = (scopes: string[]) => sql`unnest(${textList(scopes)}) AS scope(id)`;

/** The arguments of a connection, as the Relay cursor connections specification names them. */
export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** The part of a list to read: the first or, if `backward`, the last `size` rows between two positions. */
export interface Slice {
  size: number;
  backward: boolean;
  after: Position | null;
  before: Position | null;
}

export const defaultSize = 20;
export const maximumSize = 100;

/** What is wrong with the arguments of a connection, each by its name. */
export function pageErrors(kind: CursorKind, { first, after, last, before }: PageArguments): FieldError[] {
  const errors: FieldError[] = [];
  const fail = (field: string, code: FieldError['code'], message: string) => void errors.push({ field, code, message });
  for (const [name, size] of Object.entries({ first, last })) {
    if (size == null) continue;
    if (size < 0) fail(name, 'too_small', 'must be at least 0');
    if (size > maximumSize) fail(name, 'too_large', `must be at most ${maximumSize}`);
  }
  if (first != null && last != null) fail('last', 'invalid', 'must not be given together with first');
  for (const [name, cursor] of Object.entries({ after, before })) {
    if (cursor != null && !readCursor(kind, cursor)) {
      fail(name, 'invalid', 'is not a cursor of this list in this order');
    }
  }
  return errors;
}

/** Reads arguments in which {@link pageErrors} finds nothing wrong. Beside `last`, `first` is only its default. */
export const readSlice = (kind: CursorKind, { first, after, last, before }: PageArguments): Slice => ({
  size: last ?? first ?? defaultSize,
  backward: last != null,
  after: after == null ? null : readCursor(kind, after),
  before: before == null ? null : readCursor(kind, before),
});

/** A position as an opaque string. It stays valid when its row is gone. */
export function cursorOf({ name, key: type, markOf = String }: CursorKind, { rank, key, id }: Position): string {
  const plainKey = type === 'timestamptz' ? new Date(key) : key;
  return Buffer.from(JSON.stringify([name, rank, plainKey, markOf(id)])).toString('base64url');
}

/** Longer than every cursor that `cursorOf` makes. */
const longestCursor = 10_000;

/** The position that a cursor of this kind names; null if it is none. Only what `cursorOf` writes is one. */
export function readCursor(kind: CursorKind, cursor: string): Position | null {
  const position = decoded(kind, cursor);
  return position && cursorAgain(kind, position) === cursor ? position : null;
}

/** The cursor that was read as this position. */
export const cursorAgain = (kind: CursorKind, position: Position) => cursorOf({ ...kind, markOf: String }, position);

function decoded(kind: CursorKind, cursor: string): Position | null {
  if (cursor.length > longestCursor) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length !== 4) return null;
  const [name, rank, key, id] = value;
  if (name !== kind.name || !isInteger(rank) || !isKey(kind, key) || !isStorable(id)) return null;
  // A list of marks has no ranks.
  return !kind.mark || (kind.mark.test(id) && rank === 0) ? { rank, key, id } : null;
}

function isKey(kind: CursorKind, key: unknown): key is Key {
  if (kind.key === 'integer') return isInteger(key);
  if (kind.key === 'bigint') return Number.isSafeInteger(key) && Number(key) >= 0;
  return isStorable(key) && (kind.key === 'text' || isMoment(key));
}

const isInteger = (value: unknown): value is number => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;

const isStorable = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** As `cursorOf` gets it, with a year of four digits: PostgreSQL cannot read every date that JavaScript can. */
const isMoment = (value: string) => /^(?!0000)\d{4}-/.test(value) && new Date(value).toJSON() === value;

export interface Page {
  positions: Position[];
  /** The rows at the positions, if they were read with them. */
  rows?: unknown[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The cursor behind all that was looked at, if that is not the last position's. */
  endCursor?: string | null;
}

/** What the statement finds, as JSON: the driver reads one column faster than six. */
type Found = [scope: string, number: number, rank: number, key: string | number, id: string, row?: unknown];

/** How the row with an id is read in the statement that finds the id. */
export type RowAt = (id: Sql) => RowInSql | undefined;

/** A page is read as one of these or of the maximum, so that few statements are prepared. */
const usualSizes = [defaultSize, 50];

/** Reads one page of the list for each scope, with its rows if it is told how, in one statement. */
export async function readPages(
  db: Transaction,
  list: List,
  slice: Slice,
  scopes: readonly string[],
  rowAt?: RowAt,
): Promise<Page[]> {
  const order = rawSql(isDescending(list, slice) ? 'DESC' : 'ASC');
  const { sql: row, make } = rowAt?.(sql`numbered.id`) ?? {};
  const withRow = row ? sql`, CASE WHEN number <= ${slice.size}::integer THEN (${row}) END` : emptySql;
  const rows = await db.$queryRaw<{ json: Found }[]>(sql`
    ${stepsOf(list, scopes)}
    SELECT json_build_array(scope, number, rank, key, id ${withRow}) AS json
    FROM (
      SELECT *, row_number() OVER (PARTITION BY scope ORDER BY rank ${order}, key ${order}, id ${order}) AS number
      FROM (${rowsOf(list, scopes, walkOf(list, slice))}) AS found
    ) AS numbered
    WHERE number <= ${slice.size + 1}::integer`);
  // Sorted here, as Postgres would sort whole rows.
  const found = new Map<string, Found[]>(scopes.map((scope) => [scope, []]));
  for (const { json } of rows.sort(({ json: [, one] }, { json: [, other] }) => one - other))
    found.get(json[0])?.push(json);
  return scopes.map((scope) => pageOf(found.get(scope) ?? [], slice, make));
}

/** Counts the rows of the list for each scope. Reads all of them. */
export async function readCounts(db: Transaction, list: List, scopes: readonly string[]): Promise<number[]> {
  const rows = await db.$queryRaw<{ scope: string; count: number }[]>(sql`
    ${stepsOf(list, scopes)}
    SELECT scope, count(*)::integer AS count FROM (${rowsOf(list, scopes, () => emptySql)}) AS found GROUP BY scope`);
  const found = new Map(rows.map(({ scope, count }) => [scope, count]));
  return scopes.map((scope) => found.get(scope) ?? 0);
}

const stepsOf = ({ steps }: List, scopes: readonly string[]) => (steps ? sql`WITH ${steps([...scopes])}` : emptySql);

const rowsOf = (list: List, scopes: readonly string[], walk: Walk) =>
  joinSql(
    list.branches([...scopes], walk).map((branch) => sql`(${branch})`),
    ' UNION ',
  );

const isDescending = ({ descending = false }: List, { backward }: Slice) => descending !== backward;

function walkOf(list: List, slice: Slice): Walk {
  const { after, before, size } = slice;
  const order = rawSql(isDescending(list, slice) ? 'DESC' : 'ASC');
  const type = rawSql(list.key);
  // A literal, so that a prepared plan knows it.
  const largest = usualSizes.find((usual) => size <= usual) ?? maximumSize;
  const limit = rawSql(String(largest + 1));
  return ({ rank = 0, key, id }, endless) => {
    const beyond = (position: Position | null, up: boolean) => {
      if (!position || (up ? rank > position.rank : rank < position.rank)) return emptySql;
      if (rank !== position.rank) return sql`AND FALSE`;
      const operator = rawSql(up ? '>' : '<');
      return sql`AND (${key}, ${id}) ${operator} (${position.key}::${type}, ${position.id}::text)`;
    };
    const up = !list.descending;
    const end = endless ? sql`OFFSET 0` : sql`LIMIT ${limit}`;
    return sql`${beyond(after, up)} ${beyond(before, !up)} ORDER BY ${key} ${order}, ${id} ${order} ${end}`;
  };
}

function pageOf(found: Found[], { size, backward, after, before }: Slice, make?: RowInSql['make']): Page {
  const more = found.length > size;
  const shown = found.slice(0, size);
  if (backward) shown.reverse();
  return {
    positions: shown.map(([, , rank, key, id]) => ({ rank, key, id })),
    ...(make && { rows: shown.map(([, , , , , row]) => (row === null ? undefined : make(row))) }),
    hasNextPage: backward ? before !== null : more,
    hasPreviousPage: backward ? more : after !== null,
  };
}

interface Rows extends CursorKind {
  table: string;
  /** The column with the id of the record in the scope. */
  of: string;
  /** The column to order by. It is null for rows that are not in the list. */
  by: string;
  /** What else holds for the rows `r` of the list. */
  where?: Sql;
}

/** The rows of a table that belong to each record in the scopes, newest first. */
export function rowsOfRecord({ companyId }: Actor, { table, of, by, where, ...cursor }: Rows): List {
  const [key, id] = [rawSql(`r.${by}`), sql`r.id`];
  return {
    ...cursor,
    descending: true,
    branches: (scopes, walk) => [
      sql`SELECT scope.id AS scope, 0 AS rank, ${key} AS key, r.id
        FROM ${eachOf(scopes)} CROSS JOIN LATERAL (
          SELECT ${key}, r.id FROM ${rawSql(table)} r
          WHERE r.company_id = ${companyId} AND r.${rawSql(of)} = scope.id AND ${key} IS NOT NULL
            ${where ? sql`AND ${where}` : emptySql} ${walk({ key, id })}
        ) r`,
    ],
  };
}

/** What is not seen, and what does not make two letters of one. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
const marks = /\p{Mn}/gu;
const shortest = 2;
const mostWords = 20;

const wordsOf = (text: string) => text.replace(unseen, '').split(/\s+/).filter(Boolean);

const isFound = (word: string) => [...word.normalize('NFKC').replace(marks, '')].length >= shortest;

/** A text of single letters is refused, which are in nearly every name. */
export function textErrors(field: string, text: string | null | undefined): FieldError[] {
  if (text == null) return [];
  const words = wordsOf(text);
  if (!words.some(isFound))
    return [{ field, code: 'too_short', message: `must have a word of at least ${shortest} characters` }];
  return words.length > mostWords ? [{ field, code: 'too_long', message: `must have at most ${mostWords} words` }] : [];
}

/** The words of a text, each as what a `search_key` that contains it is LIKE: a subquery, so that it is computed once. */
export const patternsOf = (text: string): Sql[] => wordsOf(text).map((word) => sql`(SELECT search_pattern(${word}))`);

/** Holds for the rows whose name contains every word of the text. */
export const contains = (row: Sql, text: string): Sql =>
  joinSql(
    patternsOf(text).map((pattern) => sql`${row}.search_key LIKE ${pattern}`),
    ' AND ',
  );

const mostSorted = 500;

/** What the index of three characters in a row can look for. Those of Chinese, Japanese and Korean stand alone in it. */
const indexed = /[\p{L}\p{N}]{3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** How the step `found` of a list with a text ends, and whether that is all there is. */
export interface Few {
  end: Sql;
  areAll: (rows: Sql) => Sql;
}

/**
 * At most so many rows are found first, and sorted. If there are more, the list is walked in order: PostgreSQL does not know
 * how frequent a word is, so the statement says both.
 */
export const fewWith = (text: string): Few =>
  indexed.test(text)
    ? {
        end: rawSql(`LIMIT ${mostSorted + 1}`),
        areAll: (rows) => sql`(SELECT count(*) FROM ${rows}) <= ${rawSql(String(mostSorted))}`,
      }
    : { end: rawSql('LIMIT 0'), areAll: () => sql`FALSE` };

/** A page of the rows for which a filter on `n` holds, among those that `rows` selects in order. */
export const walked = (rows: Sql, filter: Sql, walk: Walk, rank = 0): Sql =>
  sql`SELECT n.key, n.id FROM (${rows}) n WHERE ${filter} ${walk({ rank, key: sql`n.key`, id: sql`n.id` })}`;
