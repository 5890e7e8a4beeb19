import { callersAccess, levelOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Blob } from './Blob.js';
import { Person } from './Person.js';
import { Reaction } from './Reaction.js';
import { concernedByHub, parentOf, ResourceHub } from './ResourceHub.js';
import { pathTo, ResourceHubFolder } from './ResourceHubFolder.js';
import { ResourceHubNode } from './ResourceHubNode.js';
import { ResourceHubPermissions } from './ResourceHubPermissions.js';
import { potentialSubscribers, Subscriber, subscribedPeople } from './Subscriber.js';
import { SubscriptionList } from './SubscriptionList.js';

export const ResourceHubFile = builder.prismaObject('ResourceHubFile', {
  interfaces: [ResourceHubNode],
  description: 'A file of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the file.' }),
    name: t.exposeString('name', { description: 'Name of the file.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is, plain or rich text; null when not said.',
    }),
    author: t.relation('author', { type: Person, description: 'Who added it.' }),
    blob: t.relation('blob', { type: Blob, description: 'Its bytes.' }),
    commentsCount: t.relationCount('comments', { where: { deletedAt: null }, description: 'Number of live comments.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was added.' }),
    parentFolder: t.field({
      type: ResourceHubFolder,
      nullable: true,
      description: "The folder it lies in; null at the hub's root.",
      select: { parentFolderId: true },
      resolve: async ({ parentFolderId }, _args, context) => (await pathTo(parentFolderId, context)).at(-1),
    }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: "Id of the folder it lies in; null at the hub's root.",
    }),
    pathToFile: t.field({
      type: [ResourceHubFolder],
      description: "The folders it lies in, from the hub's root down; empty at the root.",
      select: { parentFolderId: true },
      resolve: ({ parentFolderId }, _args, context) => pathTo(parentFolderId, context),
    }),
    permissions: t.field({
      type: ResourceHubPermissions,
      description: 'What the caller may do in its hub.',
      select: (_args, { actor }) => ({ resourceHub: { select: callersAccess(actor) } }),
      resolve: ({ resourceHub }) => levelOf(resourceHub),
    }),
    potentialSubscribers: t.field({
      type: [Subscriber],
      description: "Champion and reviewer of the hub's goal or project, and the members of its space.",
      select: { resourceHub: { select: concernedByHub }, subscriptionList: subscribedPeople },
      resolve: ({ resourceHub, subscriptionList }) => potentialSubscribers(parentOf(resourceHub), subscriptionList),
    }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'Reactions to it, oldest first.',
    }),
    resourceHub: t.relation('resourceHub', { type: ResourceHub, description: 'The hub it lies in.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'Id of the hub it lies in.' }),
    size: t.field({
      type: 'BigInt',
      description: 'Size in bytes.',
      select: { blob: { select: { size: true } } },
      resolve: ({ blob }) => blob.size,
    }),
    subscriptionList: t.relation('subscriptionList', {
      type: SubscriptionList,
      nullable: true,
      description: 'Who is told of what happens to it; null when nobody was ever subscribed.',
    }),
    type: t.string({
      description: 'Media type, such as `image/png`.',
      select: { blob: { select: { contentType: true } } },
      resolve: ({ blob }) => blob.contentType,
    }),
  }),
});
