import { notFound } from '../../errors/failures.js';
import { visibleFile } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';

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
