import { resourceHubCursor, resourceHubList } from '../../lists/resourceHubs.js';
import { visibleTo } from '../../policies/access.js';
import { builder, byKey, everyName, lookUpField, namedText } from '../builder.js';
import { checkedSearch, connectionType, pageArguments, pagesOf } from '../connections.js';
import { Goal, Project } from '../goals/goal.js';
import { Space } from '../people/spaces.js';

export const ResourceHub = builder.prismaObject('ResourceHub', {
  ...byKey,
  description:
    "A collection of folders, documents and files that belongs to exactly one space, goal or project. A person's access to the hub is their access to that parent.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the hub.' }),
    name: t.exposeString('name', { description: 'The name of the hub.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the hub: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    space: t.relation('space', {
      type: Space,
      nullable: true,
      description: 'The space that the hub belongs to. Null if it belongs to a goal or a project.',
    }),
    goal: t.relation('goal', {
      type: Goal,
      nullable: true,
      description: 'The goal that the hub belongs to. Null if it belongs to a space or a project.',
    }),
    project: t.relation('project', {
      type: Project,
      nullable: true,
      description: 'The project that the hub belongs to. Null if it belongs to a space or a goal.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the hub was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the hub was last changed.' }),
  }),
});

lookUpField(
  'resourceHub',
  ResourceHub,
  {
    what: 'hub',
    named: 'resource hub',
    description: 'Looks up a resource hub that the caller can see. Error: NOT_FOUND.',
  },
  ({ db, actor }, id, query) => db.resourceHub.findFirst({ ...query, where: { id, ...visibleTo(actor) } }),
);

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
    text: t.string({
      required: false,
      description:
        'Returns only the hubs whose name contains this text: words in any order, ignoring case and accents.',
      extensions: { ...namedText, ...everyName },
    }),
  }),
});

const ResourceHubConnection = connectionType('ResourceHub', ResourceHub, 'A page of resource hubs, sorted by name.');

const pageOfHubs = pagesOf('ResourceHub', (db) => db.resourceHub, visibleTo);

builder.queryField('resourceHubs', (t) =>
  t.field({
    type: ResourceHubConnection,
    description: 'Lists the resource hubs that the caller can see, sorted by name. Error: BAD_USER_INPUT.',
    extensions: checkedSearch(resourceHubCursor),
    args: {
      ...pageArguments,
      filter: t.arg({
        type: ResourceHubFilter,
        required: false,
        description: 'The conditions that the hubs must meet. If it is null, returns all hubs.',
      }),
    },
    resolve: (_root, { filter, ...args }, context, info) =>
      pageOfHubs(context, info, args, resourceHubList(context.actor, filter ?? {})),
  }),
);
