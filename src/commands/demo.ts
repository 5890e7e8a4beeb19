import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OwnDatabase } from '../database.js';
import { fileUrl, replaceFile } from '../fileSystem.js';
import type { DemoTokens } from '../gateway.js';
import { createToken } from '../tokens.js';
import { demoPeople, fileSource } from '../workspace/file.js';
import { importFrom } from '../workspace/import.js';

export const demoTokensFile = (dataDir: string) => join(dataDir, 'demo-tokens.json');

const readDemoTokens = async (dataDir: string): Promise<DemoTokens> =>
  JSON.parse(await readFile(demoTokensFile(dataDir), 'utf8'));

const workspace = fileURLToPath(fileUrl('../prisma/demo-workspace.json'));

/** Imports the demo workspace into an empty database. Returns its tokens; undefined if there is another workspace. */
export async function openDemo(db: OwnDatabase, dataDir: string): Promise<DemoTokens | undefined> {
  const { companyId, writerId, readerId } = demoPeople;
  const file = demoTokensFile(dataDir);
  const companies = await db.$queryRaw<unknown[]>`SELECT id FROM companies LIMIT 1`;
  if (companies.length === 0) await importFrom(db, fileSource(workspace));
  const stored = await readDemoTokens(dataDir).catch(() => undefined);
  if (stored) return stored;
  const people = await db.$queryRaw<unknown[]>`
    SELECT id FROM people WHERE company_id = ${companyId} AND id IN (${writerId}, ${readerId})`;
  if (people.length < 2) return undefined;
  const writer = { companyId, personId: writerId, name: 'Demo, write', canWrite: true };
  const { token: write } = await createToken(db, writer);
  const { token: readOnly } = await createToken(db, { companyId, personId: readerId, name: 'Demo, read-only' });
  await replaceFile(file, [`${JSON.stringify({ write, readOnly }, null, 2)}\n`]);
  return { write, readOnly };
}

/** The key of the demo's webhooks. It stays the same, so that their secrets do. */
export async function openWebhookKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'webhook-key');
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored.trim().length >= 32) return stored.trim();
  const key = randomBytes(32).toString('hex');
  await replaceFile(file, [`${key}\n`]);
  return key;
}
