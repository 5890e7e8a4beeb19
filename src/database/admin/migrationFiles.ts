import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileUrl } from '../../files.js';
import { version } from '../../version.js';

/** One folder of prisma/migrations. */
export interface Migration {
  name: string;
  sql: string;
  /** Whether it is one statement that cannot run in a transaction. It may be repeated: nothing undoes its half. */
  isOutside: boolean;
}

export const migrationsDirectory = fileURLToPath(fileUrl('../prisma/migrations'));

const outside = /^-- outside a transaction$/m;

/** The migrations of `directory`, oldest first. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = async (name: string) => {
    const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
    return { name, sql, isOutside: outside.test(sql) };
  };
  return Promise.all(names.sort().map(read));
}

/** The checksum Prisma records for a migration. */
export function checksum(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** The oldest version that can run once a contracting migration is applied; undefined if the migration only expands. */
export const versionNeededBy = (name: string): string | undefined => /_needs_(\d+\.\d+\.\d+)$/.exec(name)?.[1];

/** The version that a migration needs, if this program is older. */
export function newerVersionNeededBy(name: string): string | undefined {
  const needed = versionNeededBy(name);
  return needed !== undefined && isOlder(version, needed) ? needed : undefined;
}

/** Whether one version comes before another. Both have the form 1.2.3; what follows does not count. */
export function isOlder(one: string, other: string): boolean {
  const [own, needed] = [one, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  const position = own?.findIndex((number, index) => number !== needed?.[index]) ?? -1;
  return position >= 0 && (own?.[position] ?? 0) < (needed?.[position] ?? 0);
}
