import type { ModelDatabase } from '../database.js';
import { isUnavailable } from '../platform/postgres/index.js';

/** The commands that a migrated database needs: none once it has a workspace and a token. */
export async function nextCommands(db: Pick<ModelDatabase, '$queryRaw'>): Promise<string[]> {
  // Every node of a distributed database has this table, so a gateway starts while one of them is lost.
  const tokens = await db.$queryRaw<unknown[]>`SELECT company_id FROM token_companies LIMIT 1`;
  if (tokens.length > 0) return [];
  const createToken = 'npx goalpost token create --person <id> --name <name> --write';
  return (await hasWorkspace(db)) ? [createToken] : ['npx goalpost import workspace.json', createToken];
}

/** Undefined if a node is lost that may have one. */
async function hasWorkspace(db: Pick<ModelDatabase, '$queryRaw'>): Promise<boolean | undefined> {
  try {
    return (await db.$queryRaw<unknown[]>`SELECT id FROM companies LIMIT 1`).length > 0;
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
