import { notFound } from '../../platform/failures/index.js';
import { callersAccess, canEdit } from '../../policies/access.js';
import { visibleDocument } from '../../policies/visibility.js';
import { builder, enumOf, longText, manyFolders } from '../builder.js';
import { Goal } from '../goals/goal.js';
import { Project } from '../goals/project.js';
import { Space } from '../people/spaces.js';
import { plannedQuery } from '../plans.js';
import { nodeColumns, pathTo, ResourceHubFolder, ResourceHubNode } from './folder.js';

const DocumentState = enumOf('DocumentState', 'Whether a document is published.', {
  draft: 'Only the author can see the document. It has no versions.',
  published: 'Everyone who can see the hub can see the document.',
});

export const ResourceHubDocument = builder.prismaObject('ResourceHubDocument', {
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

builder.queryField('resourceHubDocument', (t) =>
  t.field({
    type: ResourceHubDocument,
    nullable: true,
    description: 'Looks up a document that the caller can see; only its author can see a draft. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the document.' }) },
    resolve: async (_root, { id }, context, info) => {
      const document = await context.db.resourceHubDocument.findFirst({
        ...plannedQuery(context, info),
        where: { id, ...visibleDocument(context.actor) },
      });
      if (!document) throw notFound('document', id);
      return document;
    },
  }),
);
