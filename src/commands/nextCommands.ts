import type { Transaction } from '../platform/postgres/index.js';

/** The commands that a migrated database needs: none once it has a workspace and a token. */
export async function nextCommands(db: Transaction): Promise<string[]> {
  // Every node of a distributed database has this table, so a gateway starts while one of them is lost.
  const tokens = await db.$queryRaw<unknown[]>`SELECT company_id FROM token_companies LIMIT 1`;
  if (tokens.length > 0) return [];
  const companies = await db.$queryRaw<unknown[]>`SELECT id FROM companies LIMIT 1`;
  const createToken = 'npx goalpost token create --person <id> --name <name> --write';
  return companies.length > 0 ? [createToken] : ['npx goalpost import workspace.json', createToken];
}
