import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import type { Position } from '../../lists/engine.js';
import {
  type AskedFolder,
  type Folder,
  folderNodeCursor,
  folderPaths,
  hubNodeCursor,
  namedNodeCursor,
  nodesNamed,
  nodesNamedAnywhere,
  nodesOfFolders,
  nodesOfHubs,
  rankOf,
} from '../../lists/resourceHubNodes.js';
import { notFound } from '../../platform/failures/index.js';
import { visibleDocument, visibleFile, visibleTo } from '../../policies/access.js';
import { builder, everyName, keyColumns, namedText, wholeFolder } from '../builder.js';
import {
  byId,
  checkedPage,
  checkedSearch,
  connectionType,
  pageArguments,
  resolveConnection,
  rowsOfModel,
  sharedBySiblings,
  sharedInOperation,
} from '../connections.js';
import { plannedQuery, selects } from '../plans.js';
import { ResourceHub } from './resourceHub.js';

export type NodeShape = Pick<Folder, 'id' | 'name' | 'resourceHubId' | 'parentFolderId'>;

/** What the fields of every node need, whichever type it turns out to be. */
export const nodeColumns = { ...keyColumns, name: true, resourceHubId: true, parentFolderId: true } as const;

export const ResourceHubNode = builder.interfaceRef<NodeShape>('ResourceHubNode').implement({
  description: 'A folder, document or file of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the folder, document or file. It is unique within its type.' }),
    name: t.exposeString('name', { description: 'The name of the folder or file, or the title of the document.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'The ID of the hub that the node is in.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "The ID of the folder that the node is in. Null if it is at the hub's root.",
    }),
  }),
});

export const ResourceHubFolder = builder.objectRef<Folder>('ResourceHubFolder').implement({
  interfaces: [ResourceHubNode],
  description: 'A folder of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the folder.' }),
    name: t.exposeString('name', { description: 'The name of the folder.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the folder: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'The ID of the hub that the folder is in.' }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "The ID of the parent folder. Null if the folder is at the hub's root.",
    }),
    childrenCount: t.int({
      description: 'The number of folders, documents and files directly in the folder that the caller can see.',
      extensions: wholeFolder,
      resolve: ({ childrenCount }) => childrenCount as number,
    }),
  }),
});

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

// Nothing is kept, because a later field of a mutation may have changed what is in a folder.
const folders = sharedInOperation(
  ({ db, actor }) => new DataLoader<AskedFolder, Folder[]>((asked) => folderPaths(db, actor, asked), { cache: false }),
);

/** The folders of a record that were read with it. */
const pathRead = Symbol('path');

interface Contained {
  parentFolderId: string | null;
  [pathRead]?: Folder[];
}

const load = async (node: Contained, withPath: boolean, context: Context, info: Info): Promise<Folder[]> => {
  const { parentFolderId: id, [pathRead]: read } = node;
  if (id === null) return [];
  if (read?.at(-1)?.id === id) return withPath ? read : read.slice(-1);
  return folders(context).load({ id, withPath, withCounts: selects(info, 'childrenCount') });
};

/** The folders from the hub's root down to and including the node's. One statement serves all that ask at once. */
export const pathTo = (node: Contained, context: Context, info: Info) => load(node, true, context, info);

/** The folder of a node, as {@link pathTo} finds it. */
export const folderOf = async (node: Contained, context: Context, info: Info): Promise<Folder | undefined> =>
  (await load(node, false, context, info))[0];

/** Reads the row of a node, and with it the path to the folder that the node was in, for the fields beneath that ask for it. */
export async function readWithPath<Row extends object>(
  row: Promise<Row | null>,
  { db, actor, info }: { db: Context['db']; actor: Context['actor']; info: Info },
  folderId: string | null | undefined,
  nodeIn: (row: Row) => object = (found) => found,
): Promise<Row | null> {
  const withPath = selects(info, 'pathToFile') || selects(info, 'pathToDocument');
  if (folderId == null || !(withPath || selects(info, 'parentFolder'))) return row;
  const asked = [{ id: folderId, withPath, withCounts: selects(info, 'childrenCount') }];
  const [found, [path]] = await Promise.all([row, folderPaths(db, actor, asked)]);
  if (found) Object.assign(nodeIn(found), { [pathRead]: path });
  return found;
}

builder.objectField(ResourceHubFolder, 'resourceHub', (t) =>
  t.field({
    type: ResourceHub,
    description: 'The hub that the folder is in.',
    resolve: ({ resourceHubId }, _args, context, info) => {
      const query = plannedQuery(context, info);
      const load = async (ids: readonly string[]) => {
        const where = { companyId: context.actor.companyId, id: { in: [...ids] } };
        const found = new Map((await context.db.resourceHub.findMany({ ...query, where })).map((hub) => [hub.id, hub]));
        return ids.map((id) => found.get(id) as NonNullable<ReturnType<typeof found.get>>);
      };
      return sharedBySiblings(context, info, () => new DataLoader(load)).load(resourceHubId);
    },
  }),
);

builder.objectField(ResourceHubFolder, 'parentFolder', (t) =>
  t.field({
    type: ResourceHubFolder,
    nullable: true,
    description: "The folder that the folder is in. Null if it is at the hub's root.",
    resolve: (folder, _args, context, info) => folderOf(folder, context, info),
  }),
);

builder.queryField('resourceHubFolder', (t) =>
  t.field({
    type: ResourceHubFolder,
    nullable: true,
    description: 'Looks up a folder of a resource hub that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the folder.' }) },
    resolve: async (_root, { id }, context, info) => {
      const where = { id, companyId: context.actor.companyId, resourceHub: visibleTo(context.actor) };
      if (!(await context.db.resourceHubFolder.findFirst({ where, select: { id: true } })))
        throw notFound('folder', id);
      return folderOf({ parentFolderId: id }, context, info);
    },
  }),
);

/** Loads the nodes at the positions, with one query for each kind. */
function loadNodes(context: Context, info: GraphQLResolveInfo) {
  const { db, actor } = context;
  const loaders = {
    folder: byId(context, async ({ id }) =>
      (await Promise.all(id.in.map((folder) => folderOf({ parentFolderId: folder }, context, info)))).flatMap(
        (folder) => folder ?? [],
      ),
    ),
    document: rowsOfModel(context, info, ['ResourceHubDocument', db.resourceHubDocument], visibleDocument(actor)).load,
    file: rowsOfModel(context, info, ['ResourceHubFile', db.resourceHubFile], visibleFile(actor)).load,
  };
  return async (positions: Position[]) => {
    const found = new Map<Position, NodeShape>();
    await Promise.all(
      kinds.map(async (kind) => {
        const ofKind = positions.filter(({ rank }) => rank === rankOf[kind]);
        const rows: (NodeShape | undefined)[] = ofKind.length > 0 ? await loaders[kind](ofKind) : [];
        for (const [index, row] of rows.entries()) {
          const position = ofKind[index];
          if (row && position) found.set(position, Object.assign(row, { __typename: typeNames[kind] }));
        }
      }),
    );
    return positions.map((position) => found.get(position));
  };
}

const kinds = ['folder', 'document', 'file'] as const;
const typeNames = { folder: 'ResourceHubFolder', document: 'ResourceHubDocument', file: 'ResourceHubFile' };

const ResourceHubNodeConnection = connectionType(
  'ResourceHubNode',
  ResourceHubNode,
  'A page of the nodes of a hub or a folder: folders first, then documents, then files, each sorted by name.',
);

const ResourceHubNodeFilter = builder.inputType('ResourceHubNodeFilter', {
  description: 'Which nodes of a hub to find.',
  fields: (t) => ({
    text: t.string({
      required: false,
      description:
        "Returns the nodes anywhere in the hub, not only at its root, whose name, file name or hub's name contains this text: words in any order, ignoring case and accents. If null, returns the nodes at the hub's root.",
      extensions: { ...namedText, ...everyName },
    }),
  }),
});

builder.prismaObjectField(ResourceHub, 'nodes', (t) =>
  t.field({
    type: ResourceHubNodeConnection,
    description:
      "The nodes at the hub's root or, with a text, those with that text in their name anywhere in the hub. Excludes other people's drafts and everything deleted.",
    args: {
      ...pageArguments,
      filter: t.arg({
        type: ResourceHubNodeFilter,
        required: false,
        description: "Which nodes to find. If it is null, returns the nodes at the hub's root.",
      }),
    },
    extensions: checkedSearch(hubNodeCursor),
    select: { id: true },
    resolve: ({ id }, { filter, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: filter?.text == null ? nodesOfHubs(context.actor) : nodesNamed(context.actor, filter.text),
        scope: id,
        load: loadNodes(context, info),
      }),
  }),
);

builder.objectField(ResourceHubFolder, 'nodes', (t) =>
  t.field({
    type: ResourceHubNodeConnection,
    description: "The nodes directly in the folder. Excludes other people's drafts and everything deleted.",
    args: pageArguments,
    extensions: checkedPage(folderNodeCursor),
    resolve: ({ id }, args, context, info) =>
      resolveConnection(context, info, args, {
        list: nodesOfFolders(context.actor),
        scope: id,
        load: loadNodes(context, info),
      }),
  }),
);

builder.queryField('resourceHubNodes', (t) =>
  t.field({
    type: ResourceHubNodeConnection,
    description:
      "Finds folders, documents and files by name, in all hubs that the caller can see. Excludes other people's drafts and everything deleted. Error: BAD_USER_INPUT.",
    args: {
      text: t.arg.string({
        required: true,
        description: 'Words of the name, file name or hub, ignoring case and accents.',
        extensions: namedText,
      }),
      ...pageArguments,
    },
    extensions: { ...everyName, ...checkedSearch(namedNodeCursor) },
    resolve: (_root, { text, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: nodesNamedAnywhere(context.actor, text),
        load: loadNodes(context, info),
      }),
  }),
);
