import { notFound } from '../../errors/failures.js';
import { visibleDocument } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';

builder.queryField('resourceHubDocument', (t) =>
  t.prismaField({
    type: ResourceHubDocument,
    nullable: true,
    description: "A document the caller may see; a draft is its author's alone. Error: NOT_FOUND.",
    args: { id: t.arg.id({ required: true, description: 'Id of the document.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const document = await db.resourceHubDocument.findFirst({ ...query, where: { id, ...visibleDocument(actor) } });
      if (!document) throw notFound('document', id);
      return document;
    },
  }),
);
