import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { Space } from '../types/Space.js';

builder.queryField('space', (t) =>
  t.prismaField({
    type: Space,
    nullable: true,
    description: 'Looks up a space that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the space.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const space = await db.space.findFirst({ ...query, where: { id, ...visibleTo(actor) } });
      if (!space) throw notFound('space', id);
      return space;
    },
  }),
);
