import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { type CursorKind, everywhere, type List, type Position } from '../../lists/engine/list.js';
import { type Page, type RowAt, readCounts, readPages } from '../../lists/engine/page.js';
import { type PageArguments, readSlice, type Slice } from '../../lists/engine/slice.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { sharedBySiblings } from './sharedBySiblings.js';

/** A connection that is read only when one of its fields is selected, together with those of its siblings. */
export interface ConnectionShape<Row> {
  list: CursorKind;
  page: () => Promise<Page>;
  rows: () => Promise<(Row | undefined)[]>;
  count: () => Promise<number>;
}

/** A list that reads its pages in a way of its own, and cannot be counted. */
interface PagedList extends CursorKind {
  readPage: (db: Context['db'], slice: Slice) => Promise<Page>;
}

interface ConnectionSource<Row> {
  list: List | PagedList;
  /** The part of the list to read, if it has several: the id of the parent. */
  scope?: string;
  /** Loads the rows at these positions, in their order; undefined where a row no longer exists. */
  load: (positions: Position[]) => Promise<(Row | undefined)[]>;
  /** Reads a row with its position, if all rows of the list are those of one model. */
  rowAt?: RowAt | undefined;
}

interface Loaders {
  /** Known before anything is read, as siblings select the same. */
  wantsRows: boolean;
  pages: DataLoader<string, Page>;
  rows: DataLoader<string, unknown[]>;
  counts: DataLoader<string, number>;
}

/** The connection that a field returns. Reads nothing yet. */
export function resolveConnection<Row>(
  context: Context,
  info: GraphQLResolveInfo,
  args: PageArguments,
  { list, scope = everywhere, load, rowAt }: ConnectionSource<Row>,
): ConnectionShape<Row> {
  const slice = readSlice(list, args);
  // The same field of all siblings is read in one batch: each parent is a scope of one statement.
  const loaders = sharedBySiblings(context, info, () => loadersOf(context, slice, { list, load, rowAt }));
  return {
    list,
    page: () => loaders.pages.load(scope),
    rows: () => {
      loaders.wantsRows = true;
      return loaders.rows.load(scope) as Promise<(Row | undefined)[]>;
    },
    count: () => loaders.counts.load(scope),
  };
}

function loadersOf(
  { db }: Context,
  slice: Slice,
  { list, load, rowAt }: Pick<ConnectionSource<unknown>, 'list' | 'load' | 'rowAt'>,
): Loaders {
  const pages = new DataLoader<string, Page>((scopes) =>
    'readPage' in list
      ? Promise.all(scopes.map(() => list.readPage(db, slice)))
      : readPages(db, list, slice, scopes, loaders.wantsRows ? rowAt : undefined),
  );
  const rows = new DataLoader<string, unknown[]>(async (scopes) => {
    const found = await Promise.all(scopes.map((scope) => pages.load(scope)));
    if (found.every((page) => page.rows)) return found.map((page) => page.rows ?? []);
    const all = found.flatMap(({ positions }) => positions);
    const loaded = new Map((all.length > 0 ? await load(all) : []).map((row, index) => [all[index], row]));
    return found.map(({ positions }) => positions.map((position) => loaded.get(position)));
  });
  const counts = new DataLoader<string, number>(async (scopes) =>
    'readPage' in list ? [] : readCounts(db, list, scopes),
  );
  const loaders: Loaders = { wantsRows: false, pages, rows, counts };
  return loaders;
}

/** What the nodes of a connection select. Called for each connection, since Pothos remembers the result for each. */
export const nodesQuery = (context: Context, info: GraphQLResolveInfo, typeName: string): object =>
  plannedQuery(context, info, { typeName, paths: [['nodes'], ['edges', 'node']] });

type Where = { companyId: string; id: { in: string[] } };

/** Loads rows of the caller's company with one query for their ids. */
export const byId =
  <Row extends { id: string }>(
    { actor: { companyId } }: Context,
    query: object,
    find: (query: object, where: Where) => Promise<Row[]>,
  ) =>
  async (positions: Position[]): Promise<(Row | undefined)[]> => {
    const rows = await find(query, { companyId, id: { in: [...new Set(positions.map(({ id }) => id))] } });
    const found = new Map(rows.map((row) => [row.id, row]));
    return positions.map(({ id }) => found.get(id));
  };

interface Rows<Row> {
  findMany(args: { where: Where }): Promise<Row[]>;
  rowAt: Context['db']['goal']['rowAt'];
}

/** How the rows of a list are read, if all of them are of one model. `visible` are those that may be shown at all. */
export function rowsOfModel<Row extends { id: string }>(
  context: Context,
  info: GraphQLResolveInfo,
  [typeName, rows]: [typeName: string, rows: Rows<Row>],
  visible: object = {},
): Pick<ConnectionSource<Row>, 'load' | 'rowAt'> {
  const { companyId } = context.actor;
  const query = nodesQuery(context, info, typeName);
  return {
    load: byId(context, query, (_query, where) => rows.findMany({ ...query, where: { ...where, ...visible } })),
    rowAt: (id) => rows.rowAt({ ...query, where: { companyId, ...visible } }, id),
  };
}
