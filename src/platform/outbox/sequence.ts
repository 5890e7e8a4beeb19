import { joinSql, rawSql, type Sql, sql, type Transaction } from '../postgres/index.js';
import type { EventSource } from './source.js';

interface Numbered {
  /** The sequence of the company's last event; 0 if it has none. */
  lastSequence: number;
  /** How many events have just got theirs. */
  numbered: number;
  /** Whether there were more than one statement numbers. */
  hasMore: boolean;
  /** Whether somebody else held the company, such as another gateway that numbers. Then nothing was done. */
  isBusy: boolean;
}

/** The most events that one statement numbers: the order of all companies is kept, and nobody waits for long. */
const most = 200;

interface Row {
  isHeld: boolean;
  numbered: number;
  lastSequence: bigint;
}

/**
 * Gives the company's committed events their sequence, in the order in which they were recorded. Who numbers holds
 * the company until its numbers are committed, so that none is seen before a lower one; nobody waits for that, because a
 * foreign key takes no lock that conflicts with it.
 *
 * The steps of the statement, from top to bottom:
 * - `company`: its counter, locked, unless somebody else numbers
 * - `waiting`, `ids`: the events without a number, in the order in which they were recorded
 * - `numbered`, `counted`: each gets the next number, and the counter the last one
 */
export async function numberEvents(
  db: Transaction,
  { events, tenants }: EventSource,
  companyId: string,
): Promise<Numbered> {
  const [row] = await db.$queryRaw<Row[]>(sql`
    WITH company AS (
      SELECT id, last_sequence FROM ${tenants} WHERE id = ${companyId} FOR NO KEY UPDATE SKIP LOCKED
    ), waiting AS (
      SELECT a.id, a.recorded_at FROM ${events} a
      WHERE a.company_id = ${companyId} AND a.sequence IS NULL AND EXISTS (SELECT id FROM company)
      ORDER BY a.recorded_at, a.id LIMIT ${rawSql(String(most))} FOR NO KEY UPDATE
    ), ids AS (
      SELECT array_agg(id ORDER BY recorded_at, id) AS list FROM waiting
    ), numbered AS (
      UPDATE ${events} a SET sequence = company.last_sequence + array_position(ids.list, a.id)
      FROM company, ids WHERE a.company_id = ${companyId} AND a.id = ANY (ids.list) RETURNING a.id
    ), counted AS (
      UPDATE ${tenants} c SET last_sequence = company.last_sequence + cardinality(ids.list)
      FROM company, ids WHERE c.id = ${companyId} AND ids.list IS NOT NULL RETURNING c.last_sequence
    )
    SELECT (SELECT count(id) FROM company) = 1 AS "isHeld", (SELECT count(id) FROM numbered)::integer AS numbered,
      coalesce((SELECT last_sequence FROM counted), c.last_sequence) AS "lastSequence"
    FROM ${tenants} c WHERE c.id = ${companyId}`);
  if (!row) return { lastSequence: 0, numbered: 0, hasMore: false, isBusy: false };
  const { isHeld, numbered, lastSequence } = row;
  return { lastSequence: Number(lastSequence), numbered, hasMore: numbered === most, isBusy: !isHeld };
}

/** A company in which there is something to do, and a number that says more, such as its last sequence. */
interface PollRow {
  companyId: string;
  number: number;
}

/** Limits a part to one company, or to none: a condition on the column that has it. */
type Within = (companyColumn: Sql) => Sql;

/** What one poll over all companies looks for. All parts are one statement, once a second. */
export interface PollPart {
  /** A query for (company_id, number). Undefined if there is nothing to look for now. */
  select: (within: Within) => Sql | undefined;
  /** Gets what was found, also if that is nothing. Must not throw. */
  onFound: (rows: PollRow[]) => void;
}

/** The companies with events that wait for their number. */
export const waitingCompanies =
  ({ events }: EventSource) =>
  (within: Within): Sql =>
    sql`
  SELECT DISTINCT a.company_id, 0 AS number FROM ${events} a
  WHERE a.sequence IS NULL AND ${within(sql`a.company_id`)}`;

/** Runs the parts over all companies, or over one. The only statement of a request or a gateway that names no company. */
export async function poll(db: Transaction, parts: readonly PollPart[], companyId?: string): Promise<void> {
  const within: Within = (column) => (companyId === undefined ? sql`TRUE` : sql`${column} = ${companyId}`);
  const selects = parts.map(({ select }) => select(within));
  const asked = selects.flatMap((select, part) =>
    select ? sql`SELECT ${rawSql(String(part))} AS part, company_id, number::bigint FROM (${select}) p` : [],
  );
  if (asked.length === 0) return;
  const rows = await db.$queryRaw<{ part: number; company_id: string; number: bigint }[]>(
    joinSql(asked, ' UNION ALL '),
  );
  parts.forEach(({ onFound }, part) => {
    const found = rows.filter((row) => row.part === part);
    onFound(found.map((row) => ({ companyId: row.company_id, number: Number(row.number) })));
  });
}

/** All companies. */
export const allCompanies = async (db: Transaction, { tenantIds }: EventSource): Promise<string[]> => {
  const rows = await db.$queryRaw<{ id: string }[]>(sql`SELECT DISTINCT company_id AS id FROM ${tenantIds}`);
  return rows.map(({ id }) => id);
};
