import { callersAccess, canEdit, level, levelOf, visibleDocument, visibleFile } from '../../policies/access.js';
import { potentialSubscribers } from '../../rules/derived.js';
import { builder, byKey, enumOf, everybody, longText, lookUpField, manyFolders, oldestFirst } from '../builder.js';
import { Goal, Project } from '../goals/goal.js';
import { Person } from '../people/people.js';
import { Space } from '../people/spaces.js';
import { concernedByHub, Reaction, Subscriber, SubscriptionList, subscribedPeople } from '../people/subscriptions.js';
import { folderOf, nodeColumns, pathTo, ResourceHubFolder, ResourceHubNode } from './nodes.js';
import { ResourceHub } from './resourceHub.js';

const BlobStatus = enumOf('BlobStatus', 'The state of the upload of a blob.', {
  pending: 'The bytes are not uploaded yet.',
  uploaded: 'The bytes are stored.',
  deleted: 'The bytes are deleted.',
});

const Blob = builder.prismaObject('Blob', {
  ...byKey,
  description: 'The uploaded content of a file.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the blob.' }),
    status: t.expose('status', { type: BlobStatus, description: 'The state of the upload.' }),
    filename: t.exposeString('filename', { description: 'The name of the file at upload.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'The size in bytes.' }),
    contentType: t.exposeString('contentType', { description: 'The media type, such as `image/png`.' }),
    width: t.exposeInt('width', {
      nullable: true,
      description: 'The width in pixels. Null if the blob is not an image.',
    }),
    height: t.exposeInt('height', {
      nullable: true,
      description: 'The height in pixels. Null if the blob is not an image.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'The URL to download the bytes from. Null if it is unknown.',
    }),
  }),
});

export const ResourceHubFile = builder.prismaObject('ResourceHubFile', {
  ...byKey,
  select: nodeColumns,
  interfaces: [ResourceHubNode],
  description: 'A file of a resource hub.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the file.' }),
    name: t.exposeString('name', { description: 'The name of the file.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The description of the file: plain or rich text (ProseMirror JSON). Null if there is none.',
    }),
    blob: t.relation('blob', { type: Blob, description: 'The uploaded content of the file.' }),
    pathToFile: t.field({
      type: [ResourceHubFolder],
      description: "The folders from the hub's root down to the file. Empty if the file is at the root.",
      extensions: manyFolders,
      select: { parentFolderId: true },
      resolve: (node, _args, context, info) => pathTo(node, context, info),
    }),
    size: t.field({
      type: 'SafeInt',
      description: 'The size in bytes.',
      select: { blob: { select: { size: true } } },
      resolve: ({ blob }) => blob.size,
    }),
    type: t.string({
      description: 'The media type, such as `image/png`.',
      select: { blob: { select: { contentType: true } } },
      resolve: ({ blob }) => blob.contentType,
    }),
  }),
});

lookUpField(
  'resourceHubFile',
  ResourceHubFile,
  { what: 'file', description: 'Looks up a file that the caller can see and that is not deleted. Error: NOT_FOUND.' },
  ({ db, actor }, id, query) => db.resourceHubFile.findFirst({ ...query, where: { id, ...visibleFile(actor) } }),
);

const DocumentState = enumOf('DocumentState', 'Whether a document is published.', {
  draft: 'Only the author can see the document. It has no versions.',
  published: 'Everyone who can see the hub can see the document.',
});

export const ResourceHubDocument = builder.prismaObject('ResourceHubDocument', {
  ...byKey,
  select: nodeColumns,
  interfaces: [ResourceHubNode],
  description: 'A document of a resource hub, with the history of its versions.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the document.' }),
    name: t.exposeString('name', { description: 'The title of the document.' }),
    content: t.exposeString('content', {
      extensions: longText,
      description: 'The content of the document: plain or rich text (ProseMirror JSON).',
    }),
    currentVersion: t.exposeInt('currentVersion', {
      nullable: true,
      description: 'The number of the current version, which is the latest. Null if the document is a draft.',
    }),
    // The database lets no version number be left out, and the current version be none but the latest.
    versionsCount: t.int({
      description: 'The number of versions.',
      select: { currentVersion: true },
      resolve: ({ currentVersion }) => currentVersion ?? 0,
    }),
    goal: t.field({
      type: Goal,
      nullable: true,
      description: 'The goal that the hub belongs to. Null if it belongs to a space or a project.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { goal: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.goal,
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that the hub belongs to. Null if it belongs to a space or a goal.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { project: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.project,
    }),
    space: t.field({
      type: Space,
      nullable: true,
      description: 'The space that the hub belongs to. Null if it belongs to a goal or a project.',
      select: (_args, _context, nested) => ({ resourceHub: { select: { space: nested(true) } } }),
      resolve: ({ resourceHub }) => resourceHub.space,
    }),
    pathToDocument: t.field({
      type: [ResourceHubFolder],
      description: "The folders from the hub's root down to the document. Empty if the document is at the root.",
      extensions: manyFolders,
      select: { parentFolderId: true },
      resolve: (node, _args, context, info) => pathTo(node, context, info),
    }),
    publicUrl: t.string({
      nullable: true,
      description:
        'The URL at which anyone can read the document. Null if sharing is off or the caller cannot edit the document.',
      select: (_args, { actor }) => ({ publicToken: true, resourceHub: { select: callersAccess(actor) } }),
      resolve: ({ publicToken, resourceHub }, _args, { appUrl }) =>
        publicToken !== null && canEdit(resourceHub) ? `${appUrl}/public/documents/${publicToken}` : null,
    }),
    url: t.string({
      description: 'The URL at which people of the company read the document.',
      select: { id: true },
      resolve: ({ id }, _args, { appUrl }) => `${appUrl}/documents/${encodeURIComponent(id)}`,
    }),
    publishedAt: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the document was published. Null if it is a draft.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the document was last changed.' }),
    state: t.expose('state', { type: DocumentState, description: 'Whether the document is published.' }),
  }),
});

lookUpField(
  'resourceHubDocument',
  ResourceHubDocument,
  {
    what: 'document',
    description: 'Looks up a document that the caller can see; only its author can see a draft. Error: NOT_FOUND.',
  },
  ({ db, actor }, id, query) =>
    db.resourceHubDocument.findFirst({ ...query, where: { id, ...visibleDocument(actor) } }),
);

const ResourceHubPermissions = builder.objectRef<number>('ResourceHubPermissions').implement({
  description:
    'What the caller can do in a resource hub. Commenting requires level 40, and every change requires level 70. Links are those of the main application.',
  fields: (t) => {
    const from = (needed: number, description: string) =>
      t.boolean({ description: `Whether the caller can ${description}.`, resolve: (own) => own >= needed });
    return {
      canView: from(level.view, 'see the hub'),
      canCommentOnDocument: from(level.comment, 'comment on documents'),
      canCommentOnFile: from(level.comment, 'comment on files'),
      canCommentOnLink: from(level.comment, 'comment on links'),
      canCreateDocument: from(level.edit, 'create documents'),
      canCreateFolder: from(level.edit, 'create folders'),
      canCreateFile: from(level.edit, 'create files'),
      canCreateLink: from(level.edit, 'create links'),
      canEditDocument: from(level.edit, 'edit documents and restore their versions'),
      canEditFile: from(level.edit, 'edit files'),
      canEditLink: from(level.edit, 'edit links'),
      canEditParentFolder: from(level.edit, 'move items to another folder'),
      canDeleteDocument: from(level.edit, 'delete documents'),
      canDeleteFile: from(level.edit, 'delete files'),
      canDeleteFolder: from(level.edit, 'delete folders'),
      canDeleteLink: from(level.edit, 'delete links'),
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
    potentialSubscribers: t.field({
      type: [Subscriber],
      extensions: everybody,
      description:
        "The champion and the reviewer of the hub's goal or project, if any, and the members of its space, except suspended people. Some may not be able to see the hub; they are not notified.",
      select: { resourceHub: { select: concernedByHub }, subscriptionList: subscribedPeople },
      // A hub has one parent.
      resolve: ({ resourceHub: { goal, project, space }, subscriptionList }) =>
        potentialSubscribers(goal ?? project ?? { space: space ?? { members: [] } }, subscriptionList),
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
