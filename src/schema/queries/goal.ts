import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { Goal } from '../types/Goal.js';

builder.queryField('goal', (t) =>
  t.prismaField({
    type: Goal,
    nullable: true,
    description: 'Looks up a goal that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the goal.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const goal = await db.goal.findFirst({ ...query, where: { id, ...visibleTo(actor) } });
      if (!goal) throw notFound('goal', id);
      return goal;
    },
  }),
);
