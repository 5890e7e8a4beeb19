import { Prisma } from '../generated/client/client.js';
import { type Transaction, textList } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import { type CursorKind, contains, eachOf, everywhere, type List } from './engine.js';

// The rule of policies/access.ts in SQL, for rows `n` of a hub that the caller may see.

/** Selects visible files. */
const fileCondition = Prisma.sql`n.deleted_at IS NULL`;

const published = Prisma.sql`n.deleted_at IS NULL AND n.state = 'published'`;
const ownDraft = ({ personId }: Actor) =>
  Prisma.sql`n.deleted_at IS NULL AND n.state = 'draft' AND n.author_id = ${personId}`;

/** Select visible documents: exactly one holds for each, so that a list can walk an index of its own for each. */
const documentConditions = (actor: Actor) => [published, ownDraft(actor)];

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

/** Nodes are ranked by kind: folders first, then documents, then files; each by name. */
export const rankOf = { folder: 0, document: 1, file: 2 } as const;

export const hubNodeCursor: CursorKind = { name: 'resourceHub.nodes', key: 'text' };
export const namedNodeCursor: CursorKind = { name: 'resourceHubNodes', key: 'text' };
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

/**
 * The nodes in all hubs that the caller may see whose names contain the text. They are found first, then each of their
 * hubs is looked up once, then they are sorted.
 */
export function nodesNamedAnywhere(actor: Actor, text: string): List {
  const { companyId, personId } = actor;
  const found = kindsOf(actor).map(
    ({ table, rank, condition }) => Prisma.sql`
      SELECT ${rank}::integer AS rank, name_key(n.name) AS key, n.id, n.resource_hub_id AS hub FROM ${Prisma.raw(table)} n
      WHERE n.company_id = ${companyId} AND ${condition} AND ${contains(Prisma.sql`n.name`, text)}`,
  );
  return {
    ...namedNodeCursor,
    steps: Prisma.sql`found AS MATERIALIZED (${Prisma.join(found, ' UNION ALL ')}), seen AS MATERIALIZED (
        SELECT f.hub FROM (SELECT DISTINCT hub FROM found) f
        WHERE (SELECT a.level FROM resource_hub_access a
          WHERE a.company_id = ${companyId} AND a.resource_hub_id = f.hub AND a.person_id = ${personId}) >= ${level.view})`,
    branches: (_scopes, walk) =>
      Object.values(rankOf).map(
        (rank) => Prisma.sql`SELECT ${everywhere} AS scope, f.rank, f.key, f.id FROM found f
          WHERE f.rank = ${rank}::integer AND f.hub IN (SELECT s.hub FROM seen s)
          ${walk({ rank, key: Prisma.sql`f.key`, id: Prisma.sql`f.id` })}`,
      ),
  };
}

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
