import type { Import } from '../generated/client/client.js';
import type { Database } from '../platform/postgres/index.js';

/** The last numbered file of a company, and the file that was refused after it. */
export interface LastImport extends Pick<Import, 'companyId' | 'importedAt' | 'refusedAt' | 'refusedReason'> {
  revision: number | null;
}

/** The most companies that are read: those whose last file is the newest. */
const most = 100;

/** The last file of each company that gets numbered ones, or whose last file was refused, the newest first. */
export const lastImports = (db: Database) =>
  db.$queryRaw<LastImport[]>`
    SELECT company_id AS "companyId", revision::float8 AS revision, imported_at AS "importedAt", refused_at AS "refusedAt",
      refused_reason AS "refusedReason"
    FROM imports WHERE revision IS NOT NULL OR refused_at IS NOT NULL
    ORDER BY greatest(imported_at, refused_at) DESC, company_id LIMIT ${most}::integer`;

/** What `/metrics` shows of the last files. */
export function importGauges(read: () => LastImport[]) {
  const gauge = (name: string, help: string, of: (last: LastImport) => number) => ({
    name: `goalpost_import_${name}`,
    help,
    label: 'company',
    read: () => Object.fromEntries(read().map((last) => [last.companyId, of(last)])),
  });
  return [
    gauge('revision', 'Revision of the last numbered file of a company.', ({ revision }) => revision ?? 0),
    gauge(
      'timestamp_seconds',
      'When the last file of a company was imported.',
      ({ importedAt }) => importedAt.getTime() / 1000,
    ),
    gauge('refused', '1 if the last file of a company was refused, and nothing of it written.', ({ refusedAt }) =>
      refusedAt ? 1 : 0,
    ),
  ];
}
