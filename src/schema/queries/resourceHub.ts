import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { ResourceHub } from '../types/ResourceHub.js';

builder.queryField('resourceHub', (t) =>
  t.field({
    type: ResourceHub,
    nullable: true,
    description: 'Looks up a resource hub that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the hub.' }) },
    resolve: async (_root, { id }, context, info) => {
      const hub = await context.db.resourceHub.findFirst({
        ...plannedQuery(context, info),
        where: { id, ...visibleTo(context.actor) },
      });
      if (!hub) throw notFound('resource hub', id);
      return hub;
    },
  }),
);
