import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';

/** Gives a mutation's payload the file of its `fileId`. */
export const addFile = (payload: Parameters<typeof builder.objectField>[0], description: string) =>
  builder.objectField(payload, 'file', (t) =>
    t.field({
      type: ResourceHubFile,
      nullable: true,
      description,
      resolve: ({ fileId }: { fileId: string | null }, _args, context, info) =>
        fileId === null
          ? null
          : context.db.resourceHubFile.findUniqueOrThrow({
              ...plannedQuery(context, info),
              where: keyOf(context.actor, fileId),
            }),
    }),
  );
