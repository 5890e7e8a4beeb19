import { notFound } from '../../errors/failures.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { ResourceHub } from '../types/ResourceHub.js';

builder.queryField('resourceHub', (t) =>
  t.prismaField({
    type: ResourceHub,
    nullable: true,
    description: 'Looks up a resource hub that the caller can see. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the hub.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const hub = await db.resourceHub.findFirst({ ...query, where: { id, ...visibleTo(actor) } });
      if (!hub) throw notFound('resource hub', id);
      return hub;
    },
  }),
);
