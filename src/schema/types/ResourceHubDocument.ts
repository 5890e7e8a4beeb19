import { callersAccess, canEdit } from '../../policies/access.js';
import { builder } from '../builder.js';
import { Goal } from './Goal.js';
import { Project } from './Project.js';
import { pathTo, ResourceHubFolder } from './ResourceHubFolder.js';
import { ResourceHubNode } from './ResourceHubNode.js';
import { Space } from './Space.js';

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
    pathToDocument: t.field({
      type: [ResourceHubFolder],
      description: "The folders it lies in, from the hub's root down; empty at the root.",
      select: { parentFolderId: true },
      resolve: ({ parentFolderId }, _args, context) => pathTo(parentFolderId, context),
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
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    state: t.expose('state', { type: DocumentState, description: 'Whether it is out.' }),
  }),
});
