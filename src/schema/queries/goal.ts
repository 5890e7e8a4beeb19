import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { Goal } from '../types/Goal.js';

builder.queryField('goal', (t) =>
  t.field({
    type: Goal,
    nullable: true,
    description: 'Looks up a goal that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the goal.' }) },
    resolve: async (_root, { id }, context, info) => {
      const goal = await context.db.goal.findFirst({
        ...plannedQuery(context, info),
        where: { id, ...visibleTo(context.actor) },
      });
      if (!goal) throw notFound('goal', id);
      return goal;
    },
  }),
);
