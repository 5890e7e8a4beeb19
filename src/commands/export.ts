import { inBatches, replaceFile } from '../fileSystem.js';
import type { Config } from '../settings.js';
import { exportWorkspace, NothingToExport } from '../workspace/export.js';
import { OutputClosed, UsageError } from './exitCode.js';
import { printError } from './print.js';
import { withDatabase } from './withDatabase.js';

interface ExportFileOptions {
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
      if (file !== undefined && file !== '-') await replaceFile(file, lines);
      else for await (const text of inBatches(lines)) await writeOut(text);
    };
    const records = await exportWorkspace(db, options, write).catch((error) => {
      throw error instanceof NothingToExport ? new UsageError(error.message) : error;
    });
    printError(`exported ${records} records${file === undefined || file === '-' ? '' : ` to ${file}`}`);
  });
}

/** Writes to standard output, and waits until that is taken. */
const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(new OutputClosed());
      else resolve();
    });
  });
