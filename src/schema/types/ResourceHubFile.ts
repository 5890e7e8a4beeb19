import { builder } from '../builder.js';
import { manyFolders } from '../weights.js';
import { Blob } from './Blob.js';
import { pathTo, ResourceHubFolder } from './ResourceHubFolder.js';
import { nodeColumns, ResourceHubNode } from './ResourceHubNode.js';

export const ResourceHubFile = builder.prismaObject('ResourceHubFile', {
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
      resolve: ({ parentFolderId }, _args, context, info) => pathTo(parentFolderId, context, info),
    }),
    size: t.field({
      type: 'BigInt',
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
