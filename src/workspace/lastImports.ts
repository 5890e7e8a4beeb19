import type { Database } from '../platform/postgres/index.js';

/** The last numbered file of a company. */
export interface LastImport {
  companyId: string;
  revision: number;
  importedAt: Date;
  /** Records of it of which the outcome of an operation was kept. */
  kept: number;
  conflicts: number;
}

/** The most companies that are read: those whose last file is the newest. */
const most = 100;

/** The last file of each company that gets numbered ones, the newest first. */
export async function lastImports(db: Database): Promise<LastImport[]> {
  const rows = await db.$queryRaw<(Omit<LastImport, 'revision'> & { revision: bigint })[]>`
    SELECT company_id AS "companyId", revision, imported_at AS "importedAt", kept, conflicts
    FROM imports WHERE revision IS NOT NULL ORDER BY imported_at DESC, company_id LIMIT ${most}::integer`;
  return rows.map((row) => ({ ...row, revision: Number(row.revision) }));
}

/** What `/metrics` shows of the last files. */
export function importGauges(read: () => LastImport[]) {
  const gauge = (name: string, help: string, of: (last: LastImport) => number) => ({
    name: `goalpost_import_${name}`,
    help,
    label: 'company',
    // The same in every process.
    aggregator: 'max' as const,
    read: () => Object.fromEntries(read().map((last) => [last.companyId, of(last)])),
  });
  return [
    gauge('revision', 'Revision of the last numbered file of a company.', ({ revision }) => revision),
    gauge(
      'timestamp_seconds',
      'When the last numbered file of a company was imported.',
      ({ importedAt }) => importedAt.getTime() / 1000,
    ),
    gauge('kept', 'Records of that file of which the outcome of an operation was kept.', ({ kept }) => kept),
    gauge('conflicts', 'Documents of that file in conflict.', ({ conflicts }) => conflicts),
  ];
}
