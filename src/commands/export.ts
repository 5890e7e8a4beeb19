import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { replaceFile } from '../files.js';
import type { Config } from '../settings.js';
import { exportWorkspace, NothingToExport } from '../workspace/export.js';
import { UsageError } from './exitCode.js';
import { withDatabase } from './withDatabase.js';

export interface ExportFileOptions {
  company: string;
  since?: string;
  links?: boolean;
}

/** Writes a company to a file that only its owner reads, or to standard output. */
export async function exportFile(
  config: Config,
  file: string | undefined,
  { company, since, links }: ExportFileOptions,
): Promise<void> {
  const options = { companyId: company, links, since };
  await withDatabase(config, async ({ db }) => {
    const write = async (lines: AsyncIterable<string>) => {
      if (file === undefined || file === '-') await pipeline(Readable.from(lines), process.stdout, { end: false });
      else await replaceFile(file, lines);
    };
    const records = await exportWorkspace(db, options, write).catch((error) => {
      throw error instanceof NothingToExport ? new UsageError(error.message) : error;
    });
    console.error(`exported ${records} records${file === undefined || file === '-' ? '' : ` to ${file}`}`);
  });
}
