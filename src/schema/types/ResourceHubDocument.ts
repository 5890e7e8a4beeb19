import { callersAccess, canEdit, levelOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Goal } from './Goal.js';
import { Notification, unreadOf } from './Notification.js';
import { Person } from './Person.js';
import { Project } from './Project.js';
import { Reaction } from './Reaction.js';
import { concernedByHub, parentOf, ResourceHub } from './ResourceHub.js';
import { pathTo, ResourceHubFolder } from './ResourceHubFolder.js';
import { ResourceHubNode } from './ResourceHubNode.js';
import { ResourceHubPermissions } from './ResourceHubPermissions.js';
import { Space } from './Space.js';
import { potentialSubscribers, Subscriber, subscribedPeople } from './Subscriber.js';
import { SubscriptionList } from './SubscriptionList.js';

const DocumentState = builder.enumType('DocumentState', {
  description: 'Whether a document is out.',
  values: {
    DRAFT: { value: 'draft', description: 'Visible to its author only; has no versions.' },
    PUBLISHED: { value: 'published', description: 'Visible to all who see its hub.' },
  } as const,
});

export const ResourceHubDocument = builder.prismaObject('ResourceHubDocument', {
  interfaces: [ResourceHubNode],
  description: 'A document of a resource hub, with its history of versions.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the document.' }),
    name: t.exposeString('name', { description: 'Its title.' }),
    content: t.exposeString('content', { description: 'Its text, plain or rich text (ProseMirror JSON).' }),
    author: t.relation('author', { type: Person, description: 'Who wrote it first.' }),
    commentsCount: t.relationCount('comments', { where: { deletedAt: null }, description: 'Number of live comments.' }),
    currentVersion: t.exposeInt('currentVersion', {
      nullable: true,
      description: 'Number of the current version, which is the latest; null for a draft, which has none.',
    }),
    versionsCount: t.relationCount('versions', { description: 'Number of versions.' }),
    goal: t.field({
      type: Goal,
      nullable: true,
      description: 'The goal its hub belongs to, if it is a goal.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { goal: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.goal,
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project its hub belongs to, if it is a project.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { project: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.project,
    }),
    space: t.field({
      type: Space,
      nullable: true,
      description: 'The space its hub belongs to, if it is a space.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { space: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.space,
    }),
    notifications: t.field({
      type: [Notification],
      description: "The caller's unread notifications about it, newest first.",
      select: (_args, { actor }, nested) => ({
        activities: {
          ...unreadOf(actor.personId),
          select: { notifications: nested({ where: { personId: actor.personId, readAt: null } }) },
        },
      }),
      resolve: ({ activities }) => activities.flatMap(({ notifications }) => notifications),
    }),
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
    pathToDocument: t.field({
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
    publicUrl: t.string({
      nullable: true,
      description: 'Where anyone can read it; null unless sharing is on and the caller may edit it.',
      select: (_args, { actor }) => ({ publicToken: true, resourceHub: { select: callersAccess(actor) } }),
      resolve: ({ publicToken, resourceHub }, _args, { appUrl }) =>
        publicToken !== null && canEdit(resourceHub) ? `${appUrl}/public/documents/${publicToken}` : null,
    }),
    url: t.string({
      description: 'Where people of the company read it.',
      select: { id: true },
      resolve: ({ id }, _args, { appUrl }) => `${appUrl}/documents/${encodeURIComponent(id)}`,
    }),
    publishedAt: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was published; null for a draft.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    reactions: t.relation('reactions', {
      type: Reaction,
      query: oldestFirst,
      description: 'Reactions to it, oldest first.',
    }),
    resourceHub: t.relation('resourceHub', { type: ResourceHub, description: 'The hub it lies in.' }),
    resourceHubId: t.exposeID('resourceHubId', { description: 'Id of the hub it lies in.' }),
    state: t.expose('state', { type: DocumentState, description: 'Whether it is out.' }),
    subscriptionList: t.relation('subscriptionList', {
      type: SubscriptionList,
      nullable: true,
      description: 'Who is told of what happens to it; null when nobody was ever subscribed.',
    }),
  }),
});
