import type { ResourceHubFolder } from '../generated/client/client.js';
import { emptySql, joinSql, rawSql, type Sql, sql, type Transaction, textList } from '../platform/postgres/index.js';
import { type Actor, level } from '../policies/access.js';
import {
  type CursorKind,
  contains,
  eachOf,
  everywhere,
  type Few,
  fewWith,
  type List,
  patternsOf,
  type Walk,
  walked,
} from './engine.js';

// The rule of policies/access.ts in SQL, for rows `n` of a hub that the caller may see.

const fileCondition = sql`n.deleted_at IS NULL`;

const published = sql`n.deleted_at IS NULL AND n.state = 'published'`;
const ownDraft = ({ personId }: Actor) => sql`n.deleted_at IS NULL AND n.state = 'draft' AND n.author_id = ${personId}`;

/** Select visible documents: exactly one holds for each, so that a list can walk an index of its own for each. */
const documentConditions = (actor: Actor) => [published, ownDraft(actor)];

export interface Folder
  extends Pick<ResourceHubFolder, 'id' | 'name' | 'description' | 'resourceHubId' | 'parentFolderId'> {
  /** What the caller may see directly in it. Null unless it was asked for. */
  childrenCount: number | null;
}

export interface AskedFolder {
  id: string;
  /** With the folders above it. */
  withPath: boolean;
  withCounts: boolean;
}

/** For each folder that is asked for, the path from the hub's root to it, or only itself. OFFSET 0: one at a time. */
export async function folderPaths(db: Transaction, actor: Actor, asked: readonly AskedFolder[]): Promise<Folder[][]> {
  const { companyId } = actor;
  const idsOf = (folders: readonly AskedFolder[]) => textList([...new Set(folders.map(({ id }) => id))]);
  const rows = await db.$queryRaw<(Folder & { leaf: string })[]>(sql`
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
            AND (${joinSql(documentConditions(actor), ' OR ')}))
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
    (hubs) => sql`(SELECT id, id AS hub_id, '' AS folder_id FROM ${eachOf(hubs)}) AS place`,
  );

/** The nodes anywhere in each hub in the scopes that have each word of the text in their name, file name or hub's name. */
export const nodesNamed = (actor: Actor, text: string): List => {
  const search = new NodeSearch(actor, text, sql`AND n.resource_hub_id = scope.id`);
  return {
    ...hubNodeCursor,
    steps: (hubs) => search.steps(eachOf(hubs)),
    branches: (hubs, walk) => search.branches(eachOf(hubs), walk),
  };
};

/** The same of all hubs that the caller may see. Each hub of what is found is looked up once. */
export function nodesNamedAnywhere(actor: Actor, text: string): List {
  const search = new NodeSearch(actor, text, emptySql);
  const { companyId, personId } = actor;
  const scope = sql`(SELECT ${everywhere} AS id) AS scope`;
  return {
    ...namedNodeCursor,
    steps: () => sql`${search.steps(scope)}, seen AS MATERIALIZED (
        SELECT f.hub FROM (${search.hubs}) f
        WHERE (SELECT a.level FROM resource_hub_access a
          WHERE a.company_id = ${companyId} AND a.resource_hub_id = f.hub AND a.person_id = ${personId}) >= ${level.view})`,
    // IS TRUE: no join, which could be made in another order.
    branches: (_scopes, walk) => search.branches(scope, walk, sql`AND (n.hub IN (SELECT s.hub FROM seen s)) IS TRUE`),
  };
}

/** Of names that an index has with all that a search takes. */
const isShort = sql`octet_length(n.name) <= 400 AND octet_length(n.search_key) <= 400`;

/** The nodes of places that have each word of a text. The hubs with one of them are found first: they are few. */
class NodeSearch {
  readonly #companyId: string;
  readonly #patterns: Sql[];
  readonly #inNames: Sql;
  readonly #few: Few;
  readonly #kinds: Kind[];

  constructor(
    actor: Actor,
    text: string,
    readonly inScope: Sql,
  ) {
    this.#companyId = actor.companyId;
    this.#patterns = patternsOf(text);
    this.#inNames = contains(sql`n`, text);
    this.#few = fewWith(text);
    this.#kinds = kindsOf(actor);
  }

  steps(scopes: Sql): Sql {
    const inHubs = this.#patterns.map((pattern) => sql`h.search_key LIKE ${pattern}`);
    const found = this.#kinds.map(
      (kind, index) => sql`${foundOf(index)} AS MATERIALIZED (
        SELECT scope.id AS scope, f.* FROM ${scopes} CROSS JOIN LATERAL (${this.#found(kind)}) f)`,
    );
    return sql`named AS MATERIALIZED (
        SELECT h.id, h.search_key FROM resource_hubs h
        WHERE h.company_id = ${this.#companyId} AND h.removed_at IS NULL AND (${joinSql(inHubs, ' OR ')})
      ), ${joinSql(found)}`;
  }

  /** The hubs of what is found; if that is not all, every hub. */
  get hubs(): Sql {
    const walked = this.#kinds.flatMap(({ isWalked }, index) => (isWalked ? [this.#areAll(foundOf(index))] : []));
    return sql`${joinSql(
      this.#kinds.map((_, index) => sql`SELECT hub FROM ${foundOf(index)}`),
      ' UNION ',
    )} UNION SELECT h.id FROM resource_hubs h
      WHERE h.company_id = ${this.#companyId} AND h.removed_at IS NULL AND NOT (${joinSql(walked, ' AND ')})`;
  }

  branches(scopes: Sql, walk: Walk, visible = emptySql): Sql[] {
    const [key, id] = [sql`n.key`, sql`n.id`];
    const filter = sql`${this.#inNamesOr(sql`n.hub`)} ${visible}`;
    return this.#kinds.flatMap(({ table, rank, condition, isWalked }, index) => {
      const areAll = this.#areAll(sql`${foundOf(index)} f WHERE f.scope = scope.id`);
      const inOrder = (names: Sql) =>
        walked(
          sql`SELECT name_key(n.name) AS key, n.id, n.search_key, n.resource_hub_id AS hub FROM ${rawSql(table)} n
            WHERE n.company_id = ${this.#companyId} AND ${condition} ${this.inScope} AND ${names} AND NOT ${areAll}
            ${walk({ rank, key: sql`name_key(n.name)`, id }, 'endless')}`,
          filter,
          walk,
          rank,
        );
      const sorted = sql`SELECT n.key, n.id FROM ${foundOf(index)} n
        WHERE n.scope = scope.id ${isWalked ? sql`AND ${areAll}` : emptySql} ${visible} ${walk({ rank, key, id })}`;
      const pages = isWalked ? [sorted, inOrder(isShort), inOrder(sql`NOT (${isShort})`)] : [sorted];
      return pages.map(
        (page) => sql`
        SELECT scope.id AS scope, ${rank}::integer AS rank, f.key, f.id FROM ${scopes} CROSS JOIN LATERAL (${page}) f`,
      );
    });
  }

  #found({ table, condition, isWalked }: Kind): Sql {
    const those = (names: Sql) => sql`
      SELECT n.id, name_key(n.name) AS key, n.resource_hub_id AS hub FROM ${rawSql(table)} n
      WHERE n.company_id = ${this.#companyId} AND ${condition} ${this.inScope} AND ${names}`;
    const inNamesOr = this.#inNamesOr(sql`n.resource_hub_id`);
    if (!isWalked) return those(inNamesOr);
    return sql`(${those(this.#inNames)} ${this.#few.end}) UNION (
      SELECT n.* FROM (SELECT h.id FROM named h ${this.#few.end}) h
      CROSS JOIN LATERAL (${those(sql`n.resource_hub_id = h.id AND ${inNamesOr}`)} ${byFolder} ${this.#few.end}) n ${this.#few.end})`;
  }

  /** Whether a step has all that there is: neither the hubs with a word nor the nodes are more. */
  #areAll(found: Sql): Sql {
    return sql`(${this.#few.areAll(sql`named`)} AND ${this.#few.areAll(found)})`;
  }

  /** Holds for the rows that have each word in a name of their own or in that of their hub. */
  #inNamesOr(hub: Sql): Sql {
    const words = this.#patterns.map(
      (pattern) =>
        sql`(n.search_key LIKE ${pattern} OR ${hub} IN (SELECT h.id FROM named h WHERE h.search_key LIKE ${pattern}))`,
    );
    return joinSql(words, ' AND ');
  }
}

type Kind = ReturnType<typeof kindsOf>[number];

/** As the index of the nodes of a hub has them, so that it is used whatever PostgreSQL expects. */
const byFolder = sql`ORDER BY coalesce(n.parent_folder_id, ''), name_key(n.name), n.id`;

const foundOf = (kind: number) => rawSql(`found${kind}`);

/** The nodes directly in each folder in the scopes. */
export const nodesOfFolders = (actor: Actor) =>
  nodesIn(
    actor,
    folderNodeCursor,
    (folders) => sql`(SELECT f.id, f.resource_hub_id AS hub_id, f.id AS folder_id
      FROM ${eachOf(folders)}
      JOIN resource_hub_folders f ON f.company_id = ${actor.companyId} AND f.id = scope.id) AS place`,
  );

const nodesIn = (actor: Actor, cursor: CursorKind, places: (scopes: string[]) => Sql): List => ({
  ...cursor,
  branches: (scopes, walk) =>
    kindsOf(actor).map(
      ({ table, rank, condition }) => sql`
      SELECT place.id AS scope, ${rank}::integer AS rank, n.key, n.id FROM ${places(scopes)} CROSS JOIN LATERAL (
        SELECT name_key(n.name) AS key, n.id FROM ${rawSql(table)} n
        WHERE n.company_id = ${actor.companyId} AND n.resource_hub_id = place.hub_id
          AND coalesce(n.parent_folder_id, '') = place.folder_id AND ${condition}
        ${walk({ rank, key: sql`name_key(n.name)`, id: sql`n.id` })}
      ) n`,
    ),
});

/** The tables of nodes, each with the condition that makes its rows visible, and whether an index has their names in order. */
const kindsOf = (actor: Actor) => [
  { table: 'resource_hub_folders', rank: rankOf.folder, condition: sql`TRUE`, isWalked: true },
  { table: 'resource_hub_documents', rank: rankOf.document, condition: published, isWalked: true },
  { table: 'resource_hub_documents', rank: rankOf.document, condition: ownDraft(actor), isWalked: false },
  { table: 'resource_hub_files', rank: rankOf.file, condition: fileCondition, isWalked: true },
];
