import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { Space } from '../types/Space.js';

builder.queryField('space', (t) =>
  t.field({
    type: Space,
    nullable: true,
    description: 'Looks up a space that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the space.' }) },
    resolve: async (_root, { id }, context, info) => {
      const space = await context.db.space.findFirst({
        ...plannedQuery(context, info),
        where: { id, ...visibleTo(context.actor) },
      });
      if (!space) throw notFound('space', id);
      return space;
    },
  }),
);
