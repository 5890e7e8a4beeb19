import { notFound } from '../../errors/failures.js';
import { visibleDocument } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';

builder.queryField('resourceHubDocument', (t) =>
  t.prismaField({
    type: ResourceHubDocument,
    nullable: true,
    description: 'Looks up a document that the caller can see; only its author can see a draft. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the document.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const document = await db.resourceHubDocument.findFirst({ ...query, where: { id, ...visibleDocument(actor) } });
      if (!document) throw notFound('document', id);
      return document;
    },
  }),
);
