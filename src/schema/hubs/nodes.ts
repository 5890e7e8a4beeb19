import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { type PageArguments, type Position, pageErrors, textErrors } from '../../lists/engine.js';
import {
  folderNodeCursor,
  hubNodeCursor,
  namedNodeCursor,
  nodesNamed,
  nodesNamedAnywhere,
  nodesOfFolders,
  nodesOfHubs,
  rankOf,
} from '../../lists/resourceHubNodes.js';
import { visibleDocument, visibleFile } from '../../policies/visibility.js';
import { builder, everyName, namedText } from '../builder.js';
import { byId, checkedPage, connectionType, nodesQuery, pageArguments, resolveConnection } from '../connections.js';
import { folderOf, type NodeShape, ResourceHubFolder, ResourceHubNode } from './folder.js';
import { ResourceHub } from './resourceHub.js';

/** Loads the nodes at the positions, with one query for each kind. */
function loadNodes(context: Context, info: GraphQLResolveInfo) {
  const { db, actor } = context;
  const loaders = {
    folder: byId(context, {}, async (_query, { id }) =>
      (await Promise.all(id.in.map((folder) => folderOf({ parentFolderId: folder }, context, info)))).flatMap(
        (folder) => folder ?? [],
      ),
    ),
    document: byId(context, nodesQuery(context, info, 'ResourceHubDocument'), (query, where) =>
      db.resourceHubDocument.findMany({
        ...query,
        where: { ...where, ...visibleDocument(actor) },
      }),
    ),
    file: byId(context, nodesQuery(context, info, 'ResourceHubFile'), (query, where) =>
      db.resourceHubFile.findMany({
        ...query,
        where: { ...where, ...visibleFile(actor) },
      }),
    ),
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
        "Returns the nodes anywhere in the hub, not only at its root, whose name contains this text: words in any order, ignoring case and accents. If null, returns the nodes at the hub's root.",
      extensions: { ...namedText, ...everyName },
    }),
  }),
});

type HubNodeArguments = PageArguments & { filter?: { text?: string | null } | null };

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
    extensions: {
      check: ({ filter, ...page }: HubNodeArguments) => [
        ...pageErrors(hubNodeCursor, page),
        ...textErrors('filter.text', filter?.text),
      ],
    },
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

type NamedNodeArguments = PageArguments & { text: string };

builder.queryField('resourceHubNodes', (t) =>
  t.field({
    type: ResourceHubNodeConnection,
    description:
      "Finds folders, documents and files by name, in all hubs that the caller can see. Excludes other people's drafts and everything deleted. Error: BAD_USER_INPUT.",
    args: {
      text: t.arg.string({
        required: true,
        description: 'What the name contains: words in any order, ignoring case and accents.',
        extensions: namedText,
      }),
      ...pageArguments,
    },
    extensions: {
      ...everyName,
      check: ({ text, ...page }: NamedNodeArguments) => [
        ...textErrors('text', text),
        ...pageErrors(namedNodeCursor, page),
      ],
    },
    resolve: (_root, { text, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: nodesNamedAnywhere(context.actor, text),
        load: loadNodes(context, info),
      }),
  }),
);
