import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../database/query/client.js';
import { createToken } from '../database/tokens.js';
import type { DemoTokens } from '../server/workerMessages.js';
import { demoPeople } from '../workspace/demoPeople.js';
import { readDocument } from '../workspace/file.js';
import { importWorkspace } from '../workspace/import.js';

const workspace = fileURLToPath(new URL('../../prisma/demo-workspace.json', import.meta.url));

/** The file with the tokens of the demo workspace. */
export const demoTokensFile = (dataDir: string) => join(dataDir, 'demo-tokens.json');

/**
 * Imports the demo workspace if the database is empty. Returns its two tokens, which it stores in the data directory;
 * undefined if the database holds another workspace. If the file cannot be read, there are new tokens.
 */
export async function openDemo(db: Database, dataDir: string): Promise<DemoTokens | undefined> {
  const { companyId, writerId, readerId } = demoPeople;
  const file = demoTokensFile(dataDir);
  if ((await db.prisma.company.count()) === 0) await importWorkspace(db, await readDocument(workspace));
  const stored = await readTokens(file).catch(() => undefined);
  if (stored) return stored;
  if ((await db.prisma.person.count({ where: { companyId, id: { in: [writerId, readerId] } } })) < 2) return undefined;
  const writer = { companyId, personId: writerId, name: 'Demo, write', canWrite: true };
  const { token: write } = await createToken(db, writer);
  const { token: readOnly } = await createToken(db, { companyId, personId: readerId, name: 'Demo, read-only' });
  // Whole or not at all, even if this process is killed.
  await writeFile(`${file}.new`, `${JSON.stringify({ write, readOnly }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return { write, readOnly };
}

const readTokens = async (file: string): Promise<DemoTokens> => JSON.parse(await readFile(file, 'utf8'));
