import type { OutputRef } from '@pothos/core';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import {
  type CursorKind,
  cursorOf,
  defaultSize,
  everywhere,
  type List,
  maximumSize,
  type Page,
  type PageArguments,
  type Position,
  pageErrors,
  type RowAt,
  readCounts,
  readPages,
  readSlice,
  type Slice,
  textErrors,
} from '../lists/engine.js';
import type { Actor } from '../policies/access.js';
import { builder, wholeList } from './builder.js';
import { plannedQuery } from './plans.js';

/** What the resolvers of an operation share. On its context: a WeakMap would outlive that by a collection of garbage. */
export function sharedInOperation<Value>(create: (context: Context) => Value): (context: Context) => Value {
  return (context) => {
    const known = context.shared.get(create);
    if (known) return known as Value;
    const value = create(context);
    context.shared.set(create, value);
    return value;
  };
}

const sharedIn = sharedInOperation(() => new Map<GraphQLResolveInfo['fieldNodes'], unknown>());

/** What all rows of a list above a field share, such as its loaders: graphql-js gives them the same array of nodes. */
export function sharedBySiblings<Shared>(
  context: Context,
  { fieldNodes }: GraphQLResolveInfo,
  create: () => Shared,
): Shared {
  const shared = (sharedIn(context).get(fieldNodes) as Shared | undefined) ?? create();
  sharedIn(context).set(fieldNodes, shared);
  return shared;
}

const PageInfo = builder
  .objectRef<{ hasNextPage: boolean; hasPreviousPage: boolean; start: string | null; end: string | null }>('PageInfo')
  .implement({
    description: 'The position of a page in its list.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        description: 'Whether more items follow the page. With `last`, it only says whether `before` was given.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        description: 'Whether more items precede the page. With `first`, it only says whether `after` was given.',
      }),
      startCursor: t.exposeString('start', {
        nullable: true,
        description: 'The cursor of the first item, to send as `before`. Null if the page is empty.',
      }),
      endCursor: t.exposeString('end', {
        nullable: true,
        description:
          'The cursor of the last item, to send as `after`. Null if the page is empty. Of `events`, the cursor of the ' +
          'last event that was looked at, also if the caller cannot see it; null only if there is none.',
      }),
    }),
  });

/** What every connection has. Its description is the one place that says how lists are paged. */
const Connection = builder.interfaceRef<Pick<ConnectionShape<object>, 'list' | 'page'>>('Connection').implement({
  description:
    `A page of a list: \`first\` items from the start or \`last\` items from the end, 0 to ${maximumSize} and not both; \`first\` ` +
    'has no default beside `last`. `after` and `before` are cursors, and leave only what follows the one and precedes ' +
    'the other. `nodes` are the items of the page; `edges` has the cursor of each, which stays valid if the item is ' +
    'deleted. `totalCount` is the number of items in the whole list. Every request counts them all, so select it only if ' +
    'you need it.',
  fields: (t) => ({
    pageInfo: t.field({
      type: PageInfo,
      description: 'The position of the page in the list.',
      resolve: async ({ list, page }) => {
        const { positions, hasNextPage, hasPreviousPage, endCursor } = await page();
        const [start = null, end = null] = [positions[0], positions.at(-1)].map(
          (position) => position && cursorOf(list, position),
        );
        return { hasNextPage, hasPreviousPage, start, end: endCursor ?? end };
      },
    }),
  }),
});

/** The connection and edge types (Relay cursor connections) of a node type. */
export function connectionType<Row extends object>(
  name: string,
  node: OutputRef<Row>,
  description: string,
  { isCounted = true } = {},
) {
  const Edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: 'An item of a page, with its cursor.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'The position of the item in the list, to send as `after` or `before`. Opaque.',
      }),
      node: t.field({ type: node, description: 'The item.', resolve: (edge) => edge.node as never }),
    }),
  });
  return builder.objectRef<ConnectionShape<Row>>(`${name}Connection`).implement({
    interfaces: [Connection],
    description,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The items of the page, each with its cursor.',
        resolve: async ({ list, page, rows }) => {
          const [{ positions }, nodes] = await Promise.all([page(), rows()]);
          return positions.flatMap((position, index) => {
            const row = nodes[index];
            return row ? [{ cursor: cursorOf(list, position), node: row }] : [];
          });
        },
      }),
      nodes: t.field({
        type: [node],
        description: 'The items of the page.',
        resolve: async ({ rows }) => (await rows()).filter((row) => row !== undefined) as never,
      }),
      ...(isCounted && {
        totalCount: t.int({
          description: 'The number of items in the whole list, counted for each request.',
          extensions: wholeList,
          resolve: ({ count }) => count(),
        }),
      }),
    }),
  });
}

/** For a field that returns a connection: its arguments are checked before anything of the operation runs. */
export const checkedPage = (kind: CursorKind) => ({
  check: (args: PageArguments) => pageErrors(kind, args),
});

interface SearchArguments extends PageArguments {
  text?: string | null | undefined;
  filter?: { text?: string | null | undefined } | null | undefined;
}

/** The same with a text that is looked for in names: an argument, or a field of the filter. */
export const checkedSearch = (kind: CursorKind) => ({
  check: ({ text, filter, ...page }: SearchArguments) => [
    ...textErrors('text', text),
    ...textErrors('filter.text', filter?.text),
    ...pageErrors(kind, page),
  ],
});

/** What `pageErrors` requires, for contracts. */
const pageSizes = { minimum: 0, maximum: maximumSize };

/** The arguments every connection takes. */
export const pageArguments = builder.args((t) => ({
  first: t.int({
    required: false,
    defaultValue: defaultSize,
    description: `How many items to return from the start, at most ${maximumSize}. Null is like the default.`,
    extensions: { pageSize: defaultSize, bounds: pageSizes },
  }),
  after: t.string({ required: false, description: 'Returns only items that follow this cursor.' }),
  last: t.int({
    required: false,
    description: `How many items to return from the end, at most ${maximumSize}. Not together with \`first\`.`,
    extensions: { bounds: pageSizes },
  }),
  before: t.string({ required: false, description: 'Returns only items that precede this cursor.' }),
}));

/** A connection that is read only when one of its fields is selected, together with those of its siblings. */
interface ConnectionShape<Row> {
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
const nodesQuery = (context: Context, info: GraphQLResolveInfo, typeName: string): object =>
  plannedQuery(context, info, { typeName, paths: [['nodes'], ['edges', 'node']] });

type Where = { companyId: string; id: { in: string[] } };

/** Loads rows of the caller's company with one query for their ids. */
export const byId =
  <Row extends { id: string }>({ actor: { companyId } }: Context, find: (where: Where) => Promise<Row[]>) =>
  async (positions: Position[]): Promise<(Row | undefined)[]> => {
    const rows = await find({ companyId, id: { in: [...new Set(positions.map(({ id }) => id))] } });
    const found = new Map(rows.map((row) => [row.id, row]));
    return positions.map(({ id }) => found.get(id));
  };

interface Rows<Row> {
  findMany(args: { where: Where }): Promise<Row[]>;
  rowAt: Context['db']['goal']['rowAt'];
}

/** How rows of one model are read. `visible` is asked again of rows that are read later, when that may have changed. */
export function rowsOfModel<Row extends { id: string }>(
  context: Context,
  info: GraphQLResolveInfo,
  [typeName, rows]: [typeName: string, rows: Rows<Row>],
  visible: object = {},
): Pick<ConnectionSource<Row>, 'load' | 'rowAt'> {
  const { companyId } = context.actor;
  const query = nodesQuery(context, info, typeName);
  return {
    load: byId(context, (where) => rows.findMany({ ...query, where: { ...where, ...visible } })),
    rowAt: (id) => rows.rowAt({ ...query, where: { companyId } }, id),
  };
}

/** How fields with a connection resolve whose rows are those of one model. */
export const pagesOf =
  <Row extends { id: string }>(
    typeName: string,
    rowsIn: (db: Context['db']) => Rows<Row>,
    visible: (actor: Actor) => object = () => ({}),
  ) =>
  (
    context: Context,
    info: GraphQLResolveInfo,
    args: PageArguments,
    list: List | PagedList,
    scope = everywhere,
  ): ConnectionShape<Row> =>
    resolveConnection(context, info, args, {
      list,
      scope,
      ...rowsOfModel(context, info, [typeName, rowsIn(context.db)], visible(context.actor)),
    });
