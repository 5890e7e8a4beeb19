import {
  type FileRecoverPreview,
  previewFileRecover,
  recoverResourceHubFile,
} from '../../operations/recoverResourceHubFile.js';
import { builder } from '../builder.js';
import { changes, expectedState, nullWithoutId, payloadOf, stateDescription, withoutId } from '../changes.js';
import { addFile, filePayload, readFile } from './changedFile.js';

const RecoverResourceHubFileInput = builder.inputType('RecoverResourceHubFileInput', {
  description: 'The input of `recoverResourceHubFile`.',
  fields: (t) => ({
    fileId: t.id({
      required: false,
      description: `The ID of the deleted file to recover. ${withoutId('file')}`,
    }),
  }),
});

const RecoverResourceHubFilePayload = filePayload('recoverResourceHubFile', `The recovered file. ${nullWithoutId}`);

builder.mutationField('recoverResourceHubFile', (t) =>
  t.field({
    type: RecoverResourceHubFilePayload,
    description:
      'Recovers a deleted file of a resource hub, with its comments, reactions and subscriptions. A file that is not ' +
      'deleted stays unchanged. Other servers of this API do not have it. Requires edit access. Errors: ' +
      'NOT_FOUND, FORBIDDEN, STATE_CHANGED.',
    extensions: {
      ...changes<typeof RecoverResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
      errors: ['STATE_CHANGED'],
    },
    args: {
      input: t.arg({ type: RecoverResourceHubFileInput, required: true, description: 'The file to recover.' }),
      expectedState: t.arg.string(expectedState),
    },
    resolve: async (_root, { input, expectedState }, context, info) =>
      payloadOf(await recoverResourceHubFile(context, input, expectedState, readFile(context, info))),
  }),
);

const Preview = builder.objectRef<FileRecoverPreview>('FileRecoverPreview').implement({
  description: 'What `recoverResourceHubFile` would currently do with the same input.',
  fields: (t) => ({
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the file would be recovered. False if it is not deleted or no ID was given.',
    }),
    state: t.exposeString('state', { nullable: true, description: stateDescription }),
  }),
});

addFile(Preview, 'The file in its current state, with the path to which it would return. Null if no ID was given.');

builder.queryField('previewFileRecover', (t) =>
  t.field({
    type: Preview,
    nullable: true,
    description:
      'Previews what `recoverResourceHubFile` would do with this input, without changing anything; a read-only token can run it. ' +
      'Requires edit access. Errors: NOT_FOUND, FORBIDDEN.',
    args: { input: t.arg({ type: RecoverResourceHubFileInput, required: true, description: 'The input to preview.' }) },
    resolve: (_root, { input }, context) => previewFileRecover(context, input),
  }),
);
