import type { Config } from '../config/config.js';
import { type PurgedFile, purgeableFiles, purgeFiles } from '../database/admin/purgeFiles.js';
import { printable } from '../telemetry/printable.js';
import { readDuration } from './duration.js';
import { withDatabase } from './withDatabase.js';

export interface PurgeOptions {
  olderThan: string;
  yes?: boolean;
}

/** Prints one tab-separated line for each file deleted long ago. With `yes`, removes these files for good. */
export async function purge(config: Config, { olderThan, yes = false }: PurgeOptions): Promise<void> {
  const milliseconds = readDuration('--older-than', olderThan);
  await withDatabase(config, async ({ db }) => {
    console.log(['id', 'deleted at', 'bytes', 'company', 'name', 'url'].join('\t'));
    if (yes) {
      const count = await purgeFiles(db, milliseconds, (files) => files.forEach(print));
      console.error(`Removed ${countOf(count)} for good. The bytes are stored elsewhere: see the column url.`);
      return;
    }
    const files = await purgeableFiles(db, milliseconds);
    files.forEach(print);
    const them = files.length === 1 ? 'it' : 'them';
    console.error(
      `${countOf(files.length)} would be removed for good. Nothing was removed: add --yes to remove ${them}.`,
    );
  });
}

const countOf = (count: number) => (count === 1 ? '1 file' : `${count} files`);

const print = ({ id, deletedAt, size, companyId, name, url }: PurgedFile) =>
  console.log([id, deletedAt.toISOString(), String(size), companyId, name, url ?? ''].map(printable).join('\t'));
