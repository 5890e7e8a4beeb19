import { Prisma } from '../database/generated/client/client.js';
import type { Transaction } from '../database/query/client.js';

/** A company in which there is something to do, and a number that says more, such as its last sequence. */
interface SweepRow {
  companyId: string;
  number: number;
}

/** Limits a part to one company, or to none: a condition on the column that has it. */
export type Within = (companyColumn: Prisma.Sql) => Prisma.Sql;

/** What one sweep over all companies looks for. All parts are one statement, once a second. */
export interface SweepPart {
  /** A query for (company_id, number). Undefined if there is nothing to look for now. */
  select: (within: Within) => Prisma.Sql | undefined;
  /** Gets what was found, also if that is nothing. Must not throw. */
  onFound: (rows: SweepRow[]) => void;
}

/** The companies with activities that wait for their number. */
export const waitingCompanies = (within: Within): Prisma.Sql => Prisma.sql`
  SELECT DISTINCT a.company_id, 0 AS number FROM activities a
  WHERE a.sequence IS NULL AND ${within(Prisma.sql`a.company_id`)}`;

/** Runs the parts over all companies, or over one. The only statement of a request or a gateway that names no company. */
export async function sweep(db: Transaction, parts: readonly SweepPart[], companyId?: string): Promise<void> {
  const within: Within = (column) =>
    companyId === undefined ? Prisma.sql`TRUE` : Prisma.sql`${column} = ${companyId}`;
  const selects = parts.map(({ select }) => select(within));
  const asked = selects.flatMap((select, part) =>
    select ? Prisma.sql`SELECT ${Prisma.raw(String(part))} AS part, company_id, number::bigint FROM (${select}) p` : [],
  );
  if (asked.length === 0) return;
  const rows = await db.$queryRaw<{ part: number; company_id: string; number: bigint }[]>(
    Prisma.join(asked, ' UNION ALL '),
  );
  parts.forEach(({ onFound }, part) => {
    const found = rows.filter((row) => row.part === part);
    onFound(found.map((row) => ({ companyId: row.company_id, number: Number(row.number) })));
  });
}

/** All companies, from a table that every node of a distributed database has. */
export const companiesWithTokens = async (db: Transaction): Promise<string[]> => {
  const rows = await db.$queryRaw<{ id: string }[]>`SELECT DISTINCT company_id AS id FROM token_companies`;
  return rows.map(({ id }) => id);
};
