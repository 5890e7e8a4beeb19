import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { folderOf, ResourceHubFolder } from '../types/ResourceHubFolder.js';

builder.queryField('resourceHubFolder', (t) =>
  t.field({
    type: ResourceHubFolder,
    nullable: true,
    description: 'Looks up a folder of a resource hub that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the folder.' }) },
    resolve: async (_root, { id }, context, info) => {
      const where = { id, companyId: context.actor.companyId, resourceHub: visibleTo(context.actor) };
      if (!(await context.db.resourceHubFolder.findFirst({ where, select: { id: true } })))
        throw notFound('folder', id);
      return folderOf(id, context, info);
    },
  }),
);
