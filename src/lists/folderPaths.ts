import { Prisma } from '../database/generated/client/client.js';
import type { Transaction } from '../database/query/client.js';
import type { Actor } from '../policies/access.js';
import { documentConditions, fileCondition } from './visibleNodes.js';

export interface Folder {
  id: string;
  name: string;
  description: string | null;
  resourceHubId: string;
  parentFolderId: string | null;
  childrenCount: number;
}

/**
 * Returns for each folder id the path from the hub's root to that folder, in one statement at any depth. OFFSET 0 makes
 * Postgres look up one folder at a time instead of all. `childrenCount` counts what the caller may see.
 */
export async function folderPaths(db: Transaction, actor: Actor, ids: readonly string[]): Promise<Folder[][]> {
  const { companyId } = actor;
  const rows = await db.$queryRaw<(Folder & { leaf: string })[]>(Prisma.sql`
    WITH RECURSIVE path AS (
      SELECT id AS leaf, id, parent_folder_id, 0 AS distance, ARRAY[id] AS trail FROM resource_hub_folders
      WHERE company_id = ${companyId} AND id = ANY(${[...new Set(ids)]}::text[])
      UNION ALL
      SELECT p.leaf, f.id, f.parent_folder_id, p.distance + 1, p.trail || f.id
      FROM path p CROSS JOIN LATERAL (
        SELECT * FROM resource_hub_folders WHERE company_id = ${companyId} AND id = p.parent_folder_id OFFSET 0
      ) f WHERE f.id <> ALL(p.trail)
    )
    SELECT p.leaf, f.id, f.name, f.description, f.resource_hub_id AS "resourceHubId", f.parent_folder_id AS "parentFolderId", (
      (SELECT count(*) FROM resource_hub_folders n
        WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id) +
      (SELECT count(*) FROM resource_hub_files n
        WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id AND ${fileCondition}) +
      (SELECT count(*) FROM resource_hub_documents n
        WHERE n.company_id = ${companyId} AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id
          AND (${Prisma.join(documentConditions(actor), ' OR ')}))
    )::int AS "childrenCount"
    FROM path p CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_folders WHERE company_id = ${companyId} AND id = p.id OFFSET 0
    ) f
    ORDER BY p.distance DESC`);
  const paths = new Map<string, Folder[]>(ids.map((id) => [id, []]));
  for (const row of rows) paths.get(row.leaf)?.push(row);
  return ids.map((id) => paths.get(id) ?? []);
}
