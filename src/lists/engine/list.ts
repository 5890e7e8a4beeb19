import { Prisma } from '../../database/generated/client/client.js';

export type Key = string | number;

/** Where a row stands in its list. Lists are ordered by rank, key and id, so no two rows stand at the same place. */
export interface Position {
  rank: number;
  key: Key;
  id: string;
}

/** How a branch goes along its index: from where, in which direction, and no further than a page. Follows a WHERE. */
export type Walk = (columns: { rank?: number; key: Prisma.Sql; id: Prisma.Sql }) => Prisma.Sql;

/** An ordered set of rows, for one or more scopes (such as the hubs whose nodes are listed) at once. */
export interface List {
  /** Marks the list's cursors: those of another list or order are refused. */
  name: string;
  key: 'text' | 'timestamptz' | 'integer';
  descending?: boolean;
  /** Common table expressions the branches use. */
  steps?: Prisma.Sql;
  /**
   * Queries for (scope, rank, key, id), each along an index of its own. Together they are the list; what two of them
   * find counts once. As every branch stops after a page, the page costs the same wherever it is.
   */
  branches: (scopes: string[], walk: Walk) => Prisma.Sql[];
}

/** The scope of a list that has only one. */
export const everywhere = '';

/** `scopes` as rows, to walk for each of them. */
export const eachOf = (scopes: string[]) => Prisma.sql`unnest(${scopes}::text[]) AS scope(id)`;
