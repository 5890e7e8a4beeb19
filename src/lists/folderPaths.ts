import type { Transaction } from '../database/client.js';
import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';

export interface Folder {
  id: string;
  name: string;
  description: string | null;
  resourceHubId: string;
  parentFolderId: string | null;
  childrenCount: number;
}

/**
 * For each folder id its path from the hub's root down to and including it, in one statement at any depth.
 * One folder at a time (OFFSET 0), as Postgres would rather read them all. `childrenCount` counts what the caller may see: no deleted files or documents, no drafts of others.
 */
export async function folderPaths(db: Transaction, actor: Actor, ids: readonly string[]): Promise<Folder[][]> {
  const rows = await db.$queryRaw<(Folder & { leaf: string })[]>(Prisma.sql`
    WITH RECURSIVE path AS (
      SELECT id AS leaf, id, parent_folder_id, 0 AS distance FROM resource_hub_folders WHERE id = ANY(${ids}::text[])
      UNION ALL
      SELECT p.leaf, f.id, f.parent_folder_id, p.distance + 1
      FROM path p CROSS JOIN LATERAL (SELECT * FROM resource_hub_folders WHERE id = p.parent_folder_id OFFSET 0) f
    ) CYCLE id SET looped USING trail
    SELECT p.leaf, f.id, f.name, f.description, f.resource_hub_id AS "resourceHubId", f.parent_folder_id AS "parentFolderId", (
      (SELECT count(*) FROM resource_hub_folders c
        WHERE c.resource_hub_id = f.resource_hub_id AND c.parent_folder_id = f.id) +
      (SELECT count(*) FROM resource_hub_files c
        WHERE c.resource_hub_id = f.resource_hub_id AND c.parent_folder_id = f.id AND c.deleted_at IS NULL) +
      (SELECT count(*) FROM resource_hub_documents c
        WHERE c.resource_hub_id = f.resource_hub_id AND c.parent_folder_id = f.id AND c.deleted_at IS NULL
          AND (c.state = 'published' OR c.author_id = ${actor.personId}))
    )::int AS "childrenCount"
    FROM path p CROSS JOIN LATERAL (SELECT * FROM resource_hub_folders WHERE id = p.id OFFSET 0) f
    WHERE NOT p.looped
    ORDER BY p.distance DESC`);
  return ids.map((id) => rows.filter(({ leaf }) => leaf === id));
}
