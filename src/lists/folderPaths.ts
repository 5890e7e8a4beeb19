import { Prisma } from '../database/generated/client/client.js';
import type { Transaction } from '../database/query/client.js';
import { textList } from '../database/query/textList.js';
import type { Actor } from '../policies/access.js';
import { documentConditions, fileCondition } from './visibleNodes.js';

export interface Folder {
  id: string;
  name: string;
  description: string | null;
  resourceHubId: string;
  parentFolderId: string | null;
  /** What the caller may see directly in it. Null unless it was asked for. */
  childrenCount: number | null;
}

export interface AskedFolder {
  id: string;
  /** With the folders above it. */
  withPath: boolean;
  withCounts: boolean;
}

/**
 * Returns for each folder that is asked for the path from the hub's root down to it, or only itself, in one statement at
 * any depth. OFFSET 0 makes Postgres look up one folder at a time instead of all.
 */
export async function folderPaths(db: Transaction, actor: Actor, asked: readonly AskedFolder[]): Promise<Folder[][]> {
  const { companyId } = actor;
  const idsOf = (folders: readonly AskedFolder[]) => textList([...new Set(folders.map(({ id }) => id))]);
  const rows = await db.$queryRaw<(Folder & { leaf: string })[]>(Prisma.sql`
    WITH RECURSIVE path AS (
      SELECT id AS leaf, id, resource_hub_id, parent_folder_id, 0 AS distance, ARRAY[id] AS trail FROM resource_hub_folders
      WHERE company_id = ${companyId} AND id = ANY(${idsOf(asked)})
      UNION ALL
      SELECT p.leaf, f.id, f.resource_hub_id, f.parent_folder_id, p.distance + 1, p.trail || f.id
      FROM path p CROSS JOIN LATERAL (
        SELECT * FROM resource_hub_folders WHERE company_id = ${companyId} AND id = p.parent_folder_id OFFSET 0
      ) f WHERE p.leaf = ANY(${idsOf(asked.filter(({ withPath }) => withPath))}) AND f.id <> ALL(p.trail)
    ), counts AS (
      SELECT f.id, (
        (SELECT count(*) FROM resource_hub_folders n
          WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id) +
        (SELECT count(*) FROM resource_hub_files n
          WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id AND ${fileCondition}) +
        (SELECT count(*) FROM resource_hub_documents n
          WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id
            AND (${Prisma.join(documentConditions(actor), ' OR ')}))
      )::int AS n
      FROM (
        SELECT DISTINCT id, resource_hub_id FROM path
        WHERE leaf = ANY(${idsOf(asked.filter(({ withCounts }) => withCounts))})
      ) f
    )
    SELECT p.leaf, f.id, f.name, f.description, f.resource_hub_id AS "resourceHubId", f.parent_folder_id AS "parentFolderId",
      c.n AS "childrenCount"
    FROM path p CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_folders WHERE company_id = ${companyId} AND id = p.id OFFSET 0
    ) f LEFT JOIN counts c ON c.id = p.id
    ORDER BY p.distance DESC`);
  const paths = new Map<string, Folder[]>(asked.map(({ id }) => [id, []]));
  for (const row of rows) paths.get(row.leaf)?.push(row);
  return asked.map(({ id, withPath }) => (paths.get(id) ?? []).slice(withPath ? 0 : -1));
}
