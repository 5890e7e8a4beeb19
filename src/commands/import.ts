import type { Config } from '../config/config.js';
import { readDocument } from '../workspace/file.js';
import { importWorkspace } from '../workspace/import.js';
import { workspaceSchema } from '../workspace/jsonSchema.js';
import { progressBar } from './progressBar.js';
import { UsageError } from './usageError.js';
import { withDatabase } from './withDatabase.js';

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
