import { Prisma } from '../database/generated/client/client.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, eachOf, type List } from './engine/list.js';
import { contains } from './textFilter.js';
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

/** The nodes anywhere in each hub in the scopes whose names contain the text. They are found first, then sorted. */
export const nodesNamed = (actor: Actor, text: string): List => ({
  ...hubNodeCursor,
  branches: (hubs, walk) =>
    kindsOf(actor).map(
      ({ table, rank, condition }) => Prisma.sql`
      SELECT scope.id AS scope, ${rank}::integer AS rank, f.key, f.id FROM ${eachOf(hubs)} CROSS JOIN LATERAL (
        SELECT f.key, f.id FROM (
          SELECT name_key(n.name) AS key, n.id FROM ${Prisma.raw(table)} n
          WHERE n.company_id = ${actor.companyId} AND n.resource_hub_id = scope.id AND ${condition}
            AND ${contains(Prisma.sql`n.name`, text)} OFFSET 0
        ) f WHERE TRUE ${walk({ rank, key: Prisma.sql`f.key`, id: Prisma.sql`f.id` })}
      ) f`,
    ),
});

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
  branches: (scopes, walk) =>
    kindsOf(actor).map(
      ({ table, rank, condition }) => Prisma.sql`
      SELECT place.id AS scope, ${rank}::integer AS rank, n.key, n.id FROM ${places(scopes)} CROSS JOIN LATERAL (
        SELECT name_key(n.name) AS key, n.id FROM ${Prisma.raw(table)} n
        WHERE n.company_id = ${actor.companyId} AND n.resource_hub_id = place.hub_id
          AND coalesce(n.parent_folder_id, '') = place.folder_id AND ${condition}
        ${walk({ rank, key: Prisma.sql`name_key(n.name)`, id: Prisma.sql`n.id` })}
      ) n`,
    ),
});

/** The tables of nodes, each with the condition that makes its rows visible. */
const kindsOf = (actor: Actor) => [
  { table: 'resource_hub_folders', rank: rankOf.folder, condition: Prisma.sql`TRUE` },
  ...documentConditions(actor).map((condition) => ({
    table: 'resource_hub_documents',
    rank: rankOf.document,
    condition,
  })),
  { table: 'resource_hub_files', rank: rankOf.file, condition: fileCondition },
];
