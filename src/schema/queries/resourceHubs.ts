import { resourceHubList } from '../../lists/resourceHubs.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { byId, nodesQuery, resolveConnection } from '../fields/resolveConnection.js';
import { connectionType, pageArguments } from '../types/Connection.js';
import { ResourceHub } from '../types/ResourceHub.js';

const ResourceHubFilter = builder.inputType('ResourceHubFilter', {
  description: 'Which hubs to list: those that fit all that is given. An id of nothing the caller may see fits none.',
  fields: (t) => ({
    spaceId: t.id({ required: false, description: 'Only hubs of this space itself, not of its goals and projects.' }),
    goalId: t.id({ required: false, description: 'Only hubs of this goal.' }),
    projectId: t.id({ required: false, description: 'Only hubs of this project.' }),
  }),
});

const ResourceHubConnection = connectionType('ResourceHub', ResourceHub, 'A page of resource hubs, by name.');

builder.queryField('resourceHubs', (t) =>
  t.field({
    type: ResourceHubConnection,
    description: 'The resource hubs the caller may see, by name. Error: BAD_USER_INPUT.',
    args: {
      ...pageArguments,
      filter: t.arg({ type: ResourceHubFilter, required: false, description: 'Which of them. Null: all.' }),
    },
    resolve: (_root, { filter, ...args }, context, info) =>
      resolveConnection(context, info, args, {
        list: resourceHubList(context.actor, filter ?? {}),
        load: byId(nodesQuery(context, info, 'ResourceHub'), (query, where) =>
          context.db.resourceHub.findMany({
            ...query,
            where: { ...where, ...visibleTo(context.actor) },
          }),
        ),
      }),
  }),
);
