import { notFound } from '../../errors/failures.js';
import { visibleFile } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';

builder.queryField('resourceHubFile', (t) =>
  t.prismaField({
    type: ResourceHubFile,
    nullable: true,
    description: 'Looks up a file that the caller can see and that is not deleted. Error: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The ID of the file.' }) },
    resolve: async (query, _root, { id }, { db, actor }) => {
      const file = await db.resourceHubFile.findFirst({ ...query, where: { id, ...visibleFile(actor) } });
      if (!file) throw notFound('file', id);
      return file;
    },
  }),
);
