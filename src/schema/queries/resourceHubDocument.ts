import { notFound } from '../../errors/failures.js';
import { visibleDocument } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';

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
