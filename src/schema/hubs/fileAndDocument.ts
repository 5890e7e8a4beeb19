import { callersAccess, level, levelOf } from '../../policies/access.js';
import { builder, oldestFirst } from '../builder.js';
import { Person } from '../people/person.js';
import { Reaction, SubscriptionList } from '../people/subscriptions.js';
import { ResourceHubDocument } from './document.js';
import { ResourceHubFile } from './file.js';
import { folderOf, ResourceHubFolder } from './folder.js';
import { ResourceHub } from './resourceHub.js';

const ResourceHubPermissions = builder.objectRef<number>('ResourceHubPermissions').implement({
  description:
    'What the caller can do in a resource hub. Commenting requires level 40, and every change requires level 70.',
  fields: (t) => {
    const from = (needed: number, description: string) =>
      t.boolean({ description: `Whether the caller can ${description}.`, resolve: (own) => own >= needed });
    return {
      canView: from(level.view, 'see the hub'),
      canCommentOnDocument: from(level.comment, 'comment on documents'),
      canCommentOnFile: from(level.comment, 'comment on files'),
      canCreateDocument: from(level.edit, 'create documents'),
      canCreateFolder: from(level.edit, 'create folders'),
      canCreateFile: from(level.edit, 'create files'),
      canEditDocument: from(level.edit, 'edit documents and restore their versions'),
      canEditFile: from(level.edit, 'edit files'),
      canEditParentFolder: from(level.edit, 'move items to another folder'),
      canDeleteDocument: from(level.edit, 'delete documents'),
      canDeleteFile: from(level.edit, 'delete files'),
      canDeleteFolder: from(level.edit, 'delete folders'),
      canCopyFolder: from(level.edit, 'copy folders'),
      canRenameFolder: from(level.edit, 'rename folders'),
    };
  },
});

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
      resolve: (node, _args, context, info) => folderOf(node, context, info),
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
