import type { Database } from '../database/client.js';

/** The commands that a new database needs: none once it has a workspace and a token. */
export async function nextCommands(db: Database): Promise<string[]> {
  const createToken = 'npx goalpost token create --person <id> --name <name> --write';
  // Citus refuses an EXISTS over its tables that selects no column.
  const [found] = await db.$queryRaw<{ workspace: boolean; token: boolean }[]>`
    SELECT EXISTS (SELECT id FROM companies) AS workspace, EXISTS (SELECT id FROM api_tokens) AS token`;
  if (!found?.workspace) return ['npx goalpost import workspace.json', createToken];
  return found.token ? [] : [createToken];
}
