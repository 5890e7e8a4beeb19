import { callersAccess, levelOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Person } from '../types/Person.js';
import { Reaction } from '../types/Reaction.js';
import { ResourceHub } from '../types/ResourceHub.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';
import { pathTo, ResourceHubFolder } from '../types/ResourceHubFolder.js';
import { ResourceHubPermissions } from '../types/ResourceHubPermissions.js';
import { SubscriptionList } from '../types/SubscriptionList.js';

for (const type of [ResourceHubFile, ResourceHubDocument]) {
  builder.prismaObjectFields(type, (t) => ({
    author: t.relation('author', { type: Person, description: 'Who added it.' }),
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
    permissions: t.field({
      type: ResourceHubPermissions,
      description: 'What the caller may do in its hub.',
      select: (_args, { actor }) => ({ resourceHub: { select: callersAccess(actor) } }),
      resolve: ({ resourceHub }) => levelOf(resourceHub),
    }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'Reactions to it, oldest first.',
    }),
    resourceHub: t.relation('resourceHub', { type: ResourceHub, description: 'The hub it lies in.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'Id of the hub it lies in.' }),
    subscriptionList: t.relation('subscriptionList', {
      type: SubscriptionList,
      nullable: true,
      description: 'Who is told of what happens to it; null when nobody was ever subscribed.',
    }),
  }));
}
