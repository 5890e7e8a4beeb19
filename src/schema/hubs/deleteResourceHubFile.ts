import { deletionAudienceList, deletionCursor } from '../../lists/recipients.js';
import {
  type DeletedFile,
  deleteResourceHubFile,
  type FilePreview,
  previewFileDelete,
} from '../../operations/deleteResourceHubFile.js';
import { keyOf } from '../../policies/access.js';
import { builder, everybody } from '../builder.js';
import { changes, expectedState, nullWithoutId, stateDescription, withoutId } from '../changes.js';
import { checkedPage, pageArguments, resolveConnection, rowsOfModel } from '../connections.js';
import { addActivity } from '../events/payloadActivity.js';
import { PersonConnection } from '../goals/reopenGoal.js';
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
      description: `The ID of the file to delete. ${withoutId('file')}`,
    }),
  }),
});

const DeleteResourceHubFilePayload = builder.objectRef<DeletedFile>('DeleteResourceHubFilePayload').implement({
  description: 'The result of `deleteResourceHubFile`.',
});

addFile(DeleteResourceHubFilePayload, `The deleted file, as it was when it was deleted. ${nullWithoutId}`);
addActivity(DeleteResourceHubFilePayload);

builder.mutationField('deleteResourceHubFile', (t) =>
  t.field({
    type: DeleteResourceHubFilePayload,
    description:
      'Deletes a file of a resource hub and notifies the people who follow it; its bytes, comments, reactions and subscriptions ' +
      'are kept. Requires edit access. Errors: NOT_FOUND, FORBIDDEN, STATE_CHANGED.',
    extensions: {
      ...changes<typeof DeleteResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
      errors: ['STATE_CHANGED'],
    },
    args: {
      input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The file to delete.' }),
      expectedState: t.arg.string(expectedState),
    },
    resolve: (_root, { input, expectedState }, context) => deleteResourceHubFile(context, input, expectedState),
  }),
);

const FileDeletePreview = builder.objectRef<FilePreview>('FileDeletePreview').implement({
  description: 'What `deleteResourceHubFile` would currently do with the same input.',
  fields: (t) => ({
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the file would be deleted. False if no ID was given.',
    }),
    state: t.exposeString('state', { nullable: true, description: stateDescription }),
    notified: t.field({
      type: PersonConnection,
      description: 'The people who would be notified.',
      args: pageArguments,
      extensions: checkedPage(deletionCursor),
      resolve: ({ fileId }, args, context, info) =>
        resolveConnection(context, info, args, {
          list: deletionAudienceList(context.actor, fileId),
          ...rowsOfModel(context, info, ['Person', context.db.person]),
        }),
    }),
  }),
});

addFile(FileDeletePreview, 'The file in its current state. Null if no ID was given.');

builder.queryField('previewFileDelete', (t) =>
  t.field({
    type: FileDeletePreview,
    extensions: everybody,
    nullable: true,
    description:
      'Previews what `deleteResourceHubFile` would do with this input, without changing anything; a read-only token can run it. ' +
      'Requires edit access. Errors: NOT_FOUND, FORBIDDEN.',
    args: { input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The input to preview.' }) },
    resolve: (_root, { input }, context) => previewFileDelete(context, input),
  }),
);
