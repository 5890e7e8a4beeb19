import type { Database } from '../database/client.js';

/** The commands that a new database needs: none once it has a workspace and a token. */
export async function nextCommands(db: Database): Promise<string[]> {
  const createToken = 'npx goalpost token create --person <id> --name <name> --write';
  if (!(await db.company.findFirst({ select: { id: true } }))) {
    return ['npx goalpost import workspace.json', createToken];
  }
  return (await db.apiToken.findFirst({ select: { id: true } })) ? [] : [createToken];
}
