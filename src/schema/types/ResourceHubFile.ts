import { builder } from '../builder.js';
import { Blob } from './Blob.js';
import { pathTo, ResourceHubFolder } from './ResourceHubFolder.js';
import { ResourceHubNode } from './ResourceHubNode.js';

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
    blob: t.relation('blob', { type: Blob, description: 'Its bytes.' }),
    pathToFile: t.field({
      type: [ResourceHubFolder],
      description: "The folders it lies in, from the hub's root down; empty at the root.",
      select: { parentFolderId: true },
      resolve: ({ parentFolderId }, _args, context) => pathTo(parentFolderId, context),
    }),
    size: t.field({
      type: 'BigInt',
      description: 'Size in bytes.',
      select: { blob: { select: { size: true } } },
      resolve: ({ blob }) => blob.size,
    }),
    type: t.string({
      description: 'Media type, such as `image/png`.',
      select: { blob: { select: { contentType: true } } },
      resolve: ({ blob }) => blob.contentType,
    }),
  }),
});
