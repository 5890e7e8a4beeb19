import { streamSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';

/** A file with this document. */
export const documentSource = (document: unknown) => streamSource(() => [Buffer.from(JSON.stringify(document))]);

/** Imports a document. Returns how many rows were added to each table. */
export async function importDocument(
  db: Parameters<typeof importFrom>[0],
  document: unknown,
  onProgress: (written: number, total: number) => void = () => {},
): Promise<Record<string, number>> {
  const { tables } = await importFrom(db, documentSource(document), { onProgress });
  return Object.fromEntries(Object.entries(tables).map(([table, { added }]) => [table, added]));
}
