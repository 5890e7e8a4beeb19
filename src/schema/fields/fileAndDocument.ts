import { callersAccess, levelOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Person } from '../types/Person.js';
import { Reaction } from '../types/Reaction.js';
import { ResourceHub } from '../types/ResourceHub.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';
import { folderOf, ResourceHubFolder } from '../types/ResourceHubFolder.js';
import { ResourceHubPermissions } from '../types/ResourceHubPermissions.js';
import { SubscriptionList } from '../types/SubscriptionList.js';

const types = [
  ['file', ResourceHubFile],
  ['document', ResourceHubDocument],
] as const;

for (const [name, type] of types) {
  builder.prismaObjectFields(type, (t) => ({
    author: t.relation('author', { type: Person, description: `The person who created the ${name}.` }),
    commentsCount: t.relationCount('comments', {
      where: (_args, { actor }) => ({ companyId: actor.companyId, deletedAt: null }),
      description: 'The number of comments, excluding deleted ones.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: `When the ${name} was created.` }),
    parentFolder: t.field({
      type: ResourceHubFolder,
      nullable: true,
      description: `The folder that the ${name} is in. Null if it is at the hub's root.`,
      select: { parentFolderId: true },
      resolve: ({ parentFolderId }, _args, context, info) => folderOf(parentFolderId, context, info),
    }),
    parentFolderId: t.exposeID('parentFolderId', {
      nullable: true,
      description: `The ID of the folder that the ${name} is in. Null if it is at the hub's root.`,
    }),
    permissions: t.field({
      type: ResourceHubPermissions,
      description: `What the caller can do in the ${name}'s hub.`,
      select: (_args, { actor }) => ({ resourceHub: { select: callersAccess(actor) } }),
      resolve: ({ resourceHub }) => levelOf(resourceHub),
    }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: `The reactions to the ${name}, oldest first.`,
    }),
    resourceHub: t.relation('resourceHub', { type: ResourceHub, description: `The hub that the ${name} is in.` }),
    resourceHubId: t.exposeID('resourceHubId', { description: `The ID of the hub that the ${name} is in.` }),
    subscriptionList: t.relation('subscriptionList', {
      type: SubscriptionList,
      nullable: true,
      description: `The people who are notified about the ${name}. Null if nobody was ever subscribed.`,
    }),
  }));
}
