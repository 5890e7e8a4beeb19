import { Prisma } from '../../database/generated/client/client.js';
import { textList } from '../../database/query/textList.js';

/** A time as ISO 8601 has it. */
export type Key = string | number;

/** The position of a row in its list. Lists are ordered by rank, key and id, so no two rows share a position. */
export interface Position {
  rank: number;
  key: Key;
  id: string;
}

/** The SQL that makes a branch walk its index: from where, in which direction, at most a page. Follows a WHERE. */
export type Walk = (columns: { rank?: number; key: Prisma.Sql; id: Prisma.Sql }) => Prisma.Sql;

/** What tells the cursors of a list from those of others. */
export interface CursorKind {
  /** Stands in the list's cursors, so that those of another list or order are rejected. */
  name: string;
  key: 'text' | 'timestamptz' | 'integer' | 'bigint';
  /** What stands for the id in a cursor, if the id itself must not. */
  markOf?: (id: string) => string;
}

/** An ordered set of rows, for one or more scopes (such as the hubs whose nodes are listed) at once. */
export interface List extends CursorKind {
  descending?: boolean;
  /** Common table expressions that the branches use. */
  steps?: Prisma.Sql;
  /**
   * Queries for (scope, rank, key, id), each along its own index. Their union is the list; a row in two of them counts
   * once. Each branch stops after a page, so every page costs the same.
   */
  branches: (scopes: string[], walk: Walk) => Prisma.Sql[];
}

/** The scope of a list that has only one. */
export const everywhere = '';

/** `scopes` as rows, so that a branch walks its index for each of them. */
export const eachOf = (scopes: string[]) => Prisma.sql`unnest(${textList(scopes)}) AS scope(id)`;
