import { resourceHubCursor, resourceHubList } from '../../lists/resourceHubs.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { resolveConnection, rowsOfModel } from '../fields/resolveConnection.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { ResourceHub } from '../types/ResourceHub.js';

const ResourceHubFilter = builder.inputType('ResourceHubFilter', {
  description:
    'Conditions for a list of hubs; a hub must meet all of them. An ID that is unknown to the caller matches no hub.',
  fields: (t) => ({
    spaceId: t.id({
      required: false,
      description: 'Returns only the hubs that belong to this space directly, not those of its goals and projects.',
    }),
    goalId: t.id({ required: false, description: 'Returns only the hubs of this goal.' }),
    projectId: t.id({ required: false, description: 'Returns only the hubs of this project.' }),
  }),
});

const ResourceHubConnection = connectionType('ResourceHub', ResourceHub, 'A page of resource hubs, sorted by name.');

builder.queryField('resourceHubs', (t) =>
  t.field({
    type: ResourceHubConnection,
    description: 'Lists the resource hubs that the caller can see, sorted by name. Error: BAD_USER_INPUT.',
    extensions: checkedPage(resourceHubCursor),
    args: {
      ...pageArguments,
      filter: t.arg({
        type: ResourceHubFilter,
        required: false,
        description: 'The conditions that the hubs must meet. If it is null, returns all hubs.',
      }),
    },
    resolve: (_root, { filter, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: resourceHubList(context.actor, filter ?? {}),
        ...rowsOfModel(context, info, ['ResourceHub', context.db.resourceHub], visibleTo(context.actor)),
      }),
  }),
);
