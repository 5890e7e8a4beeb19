import type { Config } from '../settings.js';
import { workspaceSchema } from '../workspace/check.js';
import { readDocument } from '../workspace/file.js';
import { importWorkspace } from '../workspace/import.js';
import { UsageError } from './exitCode.js';
import { withDatabase } from './withDatabase.js';

const width = 30;
const delayMilliseconds = 500;

/** Draws the progress of a task that takes longer than half a second, if stderr is a terminal. */
function progressBar(out: NodeJS.WriteStream = process.stderr): (done: number, total: number) => void {
  const started = Date.now();
  return (done, total) => {
    if (!out.isTTY || Date.now() - started < delayMilliseconds) return;
    const filled = Math.round((done / total) * width);
    out.write(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}${done >= total ? '\n' : ''}`);
  };
}

/** Prints the JSON Schema of the file that `importFile` takes. */
export function printImportSchema(file: string | undefined): void {
  if (file !== undefined) throw new UsageError('import --schema prints the schema of every file, and takes none');
  console.log(JSON.stringify(workspaceSchema(), null, 2));
}

/** Imports the workspace in a file, all of it or nothing. */
export async function importFile(config: Config, file: string | undefined): Promise<void> {
  if (file === undefined) throw new UsageError('import needs a file, or --schema');
  const document = await readDocument(file);
  await withDatabase(config, async ({ db }) => {
    const counts = await importWorkspace(db, document, progressBar());
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    console.log(`imported ${total} ${total === 1 ? 'record' : 'records'} from ${file}`);
  });
}
