import { Prisma } from '../../database/generated/client/client.js';
import type { Database } from '../../database/query/client.js';
import type { RowInSql } from '../../database/query/reader/rowAt.js';
import type { List, Position, Walk } from './list.js';
import { defaultSize, maximumSize, type Slice } from './slice.js';

/** A client or a transaction. */
type Reader = Pick<Database, '$queryRaw'>;

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
export type RowAt = (id: Prisma.Sql) => RowInSql | undefined;

/** A page is read as one of these or of the maximum, so that few statements are prepared. */
const usualSizes = [defaultSize, 50];

/** Reads one page of the list for each scope, with its rows if it is told how, in one statement. Decisions: "Lists". */
export async function readPages(
  db: Reader,
  list: List,
  slice: Slice,
  scopes: readonly string[],
  rowAt: RowAt = () => undefined,
): Promise<Page[]> {
  const order = Prisma.raw(isDescending(list, slice) ? 'DESC' : 'ASC');
  const { sql: row, make } = rowAt(Prisma.sql`numbered.id`) ?? {};
  const withRow = row ? Prisma.sql`, CASE WHEN number <= ${slice.size}::integer THEN (${row}) END` : Prisma.empty;
  const rows = await db.$queryRaw<{ json: Found }[]>(Prisma.sql`
    ${stepsOf(list)}
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
export async function readCounts(db: Reader, list: List, scopes: readonly string[]): Promise<number[]> {
  const rows = await db.$queryRaw<{ scope: string; count: number }[]>(Prisma.sql`
    ${stepsOf(list)}
    SELECT scope, count(*)::integer AS count FROM (${rowsOf(list, scopes, () => Prisma.empty)}) AS found GROUP BY scope`);
  const found = new Map(rows.map(({ scope, count }) => [scope, count]));
  return scopes.map((scope) => found.get(scope) ?? 0);
}

const stepsOf = ({ steps }: List) => (steps ? Prisma.sql`WITH ${steps}` : Prisma.empty);

const rowsOf = (list: List, scopes: readonly string[], walk: Walk) =>
  Prisma.join(
    list.branches([...scopes], walk).map((branch) => Prisma.sql`(${branch})`),
    ' UNION ',
  );

const isDescending = ({ descending = false }: List, { backward }: Slice) => descending !== backward;

function walkOf(list: List, slice: Slice): Walk {
  const { after, before, size } = slice;
  const order = Prisma.raw(isDescending(list, slice) ? 'DESC' : 'ASC');
  const type = Prisma.raw(list.key);
  // A literal, so that a prepared plan knows it.
  const largest = usualSizes.find((usual) => size <= usual) ?? maximumSize;
  const limit = Prisma.raw(String(largest + 1));
  return ({ rank = 0, key, id }) => {
    const beyond = (position: Position | null, up: boolean) => {
      if (!position || (up ? rank > position.rank : rank < position.rank)) return Prisma.empty;
      if (rank !== position.rank) return Prisma.sql`AND FALSE`;
      const operator = Prisma.raw(up ? '>' : '<');
      return Prisma.sql`AND (${key}, ${id}) ${operator} (${position.key}::${type}, ${position.id}::text)`;
    };
    const up = !list.descending;
    return Prisma.sql`${beyond(after, up)} ${beyond(before, !up)} ORDER BY ${key} ${order}, ${id} ${order} LIMIT ${limit}`;
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
