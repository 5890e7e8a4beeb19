import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';
import { documentConditions, fileCondition } from './visibleNodes.js';

/** Nodes are ranked by kind: folders first, then documents, then files; each by name. */
export const rankOf = { folder: 0, document: 1, file: 2 } as const;

export const hubNodeCursor: CursorKind = { name: 'resourceHub.nodes', key: 'text' };
export const folderNodeCursor: CursorKind = { name: 'resourceHubFolder.nodes', key: 'text' };

/** The nodes at the root of each hub in the scopes. */
export const nodesOfHubs = (actor: Actor) =>
  nodesIn(
    actor,
    hubNodeCursor,
    (hubs) => Prisma.sql`(SELECT id, id AS hub_id, '' AS folder_id FROM ${eachOf(hubs)}) AS place`,
  );

/** The nodes directly in each folder in the scopes. */
export const nodesOfFolders = (actor: Actor) =>
  nodesIn(
    actor,
    folderNodeCursor,
    (folders) => Prisma.sql`(SELECT f.id, f.resource_hub_id AS hub_id, f.id AS folder_id
      FROM ${eachOf(folders)}
      JOIN resource_hub_folders f ON f.company_id = ${actor.companyId} AND f.id = scope.id) AS place`,
  );

const nodesIn = (actor: Actor, cursor: CursorKind, places: (scopes: string[]) => Prisma.Sql): List => ({
  ...cursor,
  branches: (scopes, walk) => {
    const branch = (table: string, rank: number, condition: Prisma.Sql) => Prisma.sql`
      SELECT place.id AS scope, ${rank}::integer AS rank, n.key, n.id FROM ${places(scopes)} CROSS JOIN LATERAL (
        SELECT name_key(n.name) AS key, n.id FROM ${Prisma.raw(table)} n
        WHERE n.company_id = ${actor.companyId} AND n.resource_hub_id = place.hub_id
          AND coalesce(n.parent_folder_id, '') = place.folder_id AND ${condition}
        ${walk({ rank, key: Prisma.sql`name_key(n.name)`, id: Prisma.sql`n.id` })}
      ) n`;
    return [
      branch('resource_hub_folders', rankOf.folder, Prisma.sql`TRUE`),
      ...documentConditions(actor).map((condition) => branch('resource_hub_documents', rankOf.document, condition)),
      branch('resource_hub_files', rankOf.file, fileCondition),
    ];
  },
});
