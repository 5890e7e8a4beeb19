import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One folder of prisma/migrations. */
export interface Migration {
  name: string;
  sql: string;
}

export const migrationsDirectory = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The migrations of `directory`, oldest first. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = (name: string) => readFile(join(directory, name, 'migration.sql'), 'utf8');
  return Promise.all(names.sort().map(async (name) => ({ name, sql: await read(name) })));
}

/** The checksum Prisma records for a migration. */
export function checksum(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Whether `recorded` is the checksum of this file. Like Prisma, accepts other line endings. */
export function hasChecksum(sql: string, recorded: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksum(text) === recorded);
}
