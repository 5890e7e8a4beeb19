import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

const BlobStatus = builder.enumType('BlobStatus', {
  description: 'The state of the upload of a blob.',
  values: {
    PENDING: { value: 'pending', description: 'The bytes are not uploaded yet.' },
    UPLOADED: { value: 'uploaded', description: 'The bytes are stored.' },
    DELETED: { value: 'deleted', description: 'The bytes are deleted.' },
  } as const,
});

export const Blob = builder.prismaObject('Blob', {
  select: keyColumns,
  description: 'The uploaded content of a file.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the blob.' }),
    status: t.expose('status', { type: BlobStatus, description: 'The state of the upload.' }),
    filename: t.exposeString('filename', { description: 'The name of the file at upload.' }),
    size: t.expose('size', { type: 'BigInt', description: 'The size in bytes.' }),
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
