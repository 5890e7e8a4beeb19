import { type PageArguments, pageErrors } from '../../lists/engine/slice.js';
import {
  folderNodeCursor,
  hubNodeCursor,
  nodesNamed,
  nodesOfFolders,
  nodesOfHubs,
} from '../../lists/resourceHubNodes.js';
import { textErrors } from '../../lists/textFilter.js';
import { builder } from '../builder.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { ResourceHub } from '../types/ResourceHub.js';
import { ResourceHubFolder } from '../types/ResourceHubFolder.js';
import { ResourceHubNode } from '../types/ResourceHubNode.js';
import { everyName } from '../weights.js';
import { loadNodes } from './loadNodes.js';
import { resolveConnection } from './resolveConnection.js';

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
        "Returns the nodes anywhere in the hub, not only at its root, whose name contains this text, ignoring case and spaces around the text, which has 3 to 200 characters. If null, returns the nodes at the hub's root.",
      extensions: { maxLength: 200, ...everyName },
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
      check: ({ filter, ...page }: HubNodeArguments, field: string) => [
        ...pageErrors(hubNodeCursor, field, page),
        ...textErrors(field, filter?.text),
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
