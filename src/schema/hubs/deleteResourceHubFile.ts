import { type DeletedFile, deleteResourceHubFile } from '../../operations/deleteResourceHubFile.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { changes } from '../changes.js';
import { addActivity } from '../events/payloadActivity.js';
import { plannedQuery } from '../plans.js';
import { ResourceHubFile } from './file.js';

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

const DeleteResourceHubFileInput = builder.inputType('DeleteResourceHubFileInput', {
  description: 'The input of `deleteResourceHubFile`.',
  fields: (t) => ({
    fileId: t.id({
      required: false,
      description: 'The ID of the file to delete. If it is null or absent, nothing changes.',
    }),
  }),
});

const DeleteResourceHubFilePayload = builder.objectRef<DeletedFile>('DeleteResourceHubFilePayload').implement({
  description: 'The result of `deleteResourceHubFile`.',
});

addFile(DeleteResourceHubFilePayload, 'The deleted file, as it was when it was deleted. Null if no ID was given.');
addActivity(DeleteResourceHubFilePayload);

builder.mutationField('deleteResourceHubFile', (t) =>
  t.field({
    type: DeleteResourceHubFilePayload,
    description:
      'Deletes a file of a resource hub and notifies the people who follow it; its bytes, comments, reactions and subscriptions ' +
      'are kept. Requires edit access. Errors: NOT_FOUND, FORBIDDEN.',
    extensions: changes<typeof DeleteResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
    args: { input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The file to delete.' }) },
    resolve: (_root, { input }, context) => deleteResourceHubFile(context, input),
  }),
);
