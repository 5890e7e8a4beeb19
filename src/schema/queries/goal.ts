import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { Goal } from '../types/Goal.js';

builder.queryField('goal', (t) =>
  t.prismaField({
    type: Goal,
    nullable: true,
    description: 'A goal the caller may see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the goal.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const goal = await db.goal.findFirst({ ...query, where: { id, ...visibleTo(actor) } });
      if (!goal) throw notFound('goal', id);
      return goal;
    },
  }),
);
