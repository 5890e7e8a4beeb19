import { deleteResourceHubFile } from '../../operations/deleteResourceHubFile.js';
import { builder } from '../builder.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';

const DeleteResourceHubFileInput = builder.inputType('DeleteResourceHubFileInput', {
  description: 'Which file to delete.',
  fields: (t) => ({
    fileId: t.id({ required: false, description: 'Id of the file. Absent or null: nothing is done.' }),
  }),
});

const DeleteResourceHubFilePayload = builder
  .objectRef<{ fileId: string | null }>('DeleteResourceHubFilePayload')
  .implement({
    description: 'The outcome of `deleteResourceHubFile`.',
    fields: (t) => ({
      file: t.prismaField({
        type: ResourceHubFile,
        nullable: true,
        description: 'The file as it was when it was deleted; null when no id was given.',
        resolve: (query, { fileId }, _args, { db }) =>
          fileId === null ? null : db.resourceHubFile.findUniqueOrThrow({ ...query, where: { id: fileId } }),
      }),
    }),
  });

builder.mutationField('deleteResourceHubFile', (t) =>
  t.field({
    type: DeleteResourceHubFilePayload,
    description:
      'Deletes a file of a resource hub, recoverably: its bytes, comments, reactions and subscriptions stay. ' +
      'Notifies those who follow it. Needs edit access. Errors: NOT_FOUND, FORBIDDEN.',
    args: { input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The file.' }) },
    resolve: (_root, { input }, context) => deleteResourceHubFile(context, input),
  }),
);
