import { builder } from '../builder.js';

const BlobStatus = builder.enumType('BlobStatus', {
  description: 'Where the bytes of a blob are.',
  values: {
    PENDING: { value: 'pending', description: 'Not uploaded yet.' },
    UPLOADED: { value: 'uploaded', description: 'Stored.' },
    DELETED: { value: 'deleted', description: 'Gone.' },
  } as const,
});

export const Blob = builder.prismaObject('Blob', {
  description: 'The bytes of a file.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the blob.' }),
    status: t.expose('status', { type: BlobStatus, description: 'Where the bytes are.' }),
    filename: t.exposeString('filename', { description: 'Name it was uploaded with.' }),
    size: t.expose('size', { type: 'BigInt', description: 'Size in bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Media type, such as `image/png`.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Width in pixels; null when not an image.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Height in pixels; null when not an image.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where to fetch the bytes; null when not known.' }),
  }),
});
