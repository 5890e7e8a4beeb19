import { notFound } from '../../platform/failures/index.js';
import { visibleFile } from '../../policies/visibility.js';
import { builder, enumOf, keyColumns, manyFolders } from '../builder.js';
import { plannedQuery } from '../plans.js';
import { nodeColumns, pathTo, ResourceHubFolder, ResourceHubNode } from './folder.js';

const BlobStatus = enumOf('BlobStatus', 'The state of the upload of a blob.', {
  pending: 'The bytes are not uploaded yet.',
  uploaded: 'The bytes are stored.',
  deleted: 'The bytes are deleted.',
});

const Blob = builder.prismaObject('Blob', {
  select: keyColumns,
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

builder.queryField('resourceHubFile', (t) =>
  t.field({
    type: ResourceHubFile,
    nullable: true,
    description: 'Looks up a file that the caller can see and that is not deleted. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the file.' }) },
    resolve: async (_root, { id }, context, info) => {
      const file = await context.db.resourceHubFile.findFirst({
        ...plannedQuery(context, info),
        where: { id, ...visibleFile(context.actor) },
      });
      if (!file) throw notFound('file', id);
      return file;
    },
  }),
);
