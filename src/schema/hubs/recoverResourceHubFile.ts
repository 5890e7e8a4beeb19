import { previewRecoverResourceHubFile, recoverResourceHubFile } from '../../operations/recoverResourceHubFile.js';
import { builder } from '../builder.js';
import {
  changes,
  expectedState,
  failsWith,
  type InputFields,
  nullWithoutId,
  payloadOf,
  previewField,
  recordToChange,
} from '../changes.js';
import { filePayload, filePreview, readFile } from './changedFile.js';
import { ResourceHubFile } from './filesAndDocuments.js';

const fileToRecover = (t: InputFields) => ({
  fileId: recordToChange(t, 'The ID of the deleted file to recover.', 'file'),
});

const RecoverResourceHubFileInput = builder.inputType('RecoverResourceHubFileInput', {
  description: 'The input of `recoverResourceHubFile`.',
  fields: (t) => ({ ...fileToRecover(t), ...expectedState(t) }),
});

const RecoverResourceHubFilePayload = filePayload('recoverResourceHubFile', `The recovered file. ${nullWithoutId}`);

builder.mutationField('recoverResourceHubFile', (t) =>
  t.field({
    type: RecoverResourceHubFilePayload,
    ...failsWith(
      ['NOT_FOUND', 'FORBIDDEN', 'STATE_CHANGED'],
      'Recovers a deleted file of a resource hub, with its comments, reactions and subscriptions. A file that is ' +
        'not deleted stays unchanged. It is not part of the documented API. Requires edit access.',
      changes<typeof RecoverResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
    ),
    args: {
      input: t.arg({ type: RecoverResourceHubFileInput, required: true, description: 'The file to recover.' }),
    },
    resolve: async (_root, { input: { expectedState, ...input } }, context, info) =>
      payloadOf(await recoverResourceHubFile(context, input, expectedState, readFile(context, info))),
  }),
);

const Preview = filePreview('recoverResourceHubFile', {
  wouldChange: 'Whether the file would be recovered. False if it is not deleted or no ID was given.',
  file: 'The file in its current state, with the path to which it would return. Null if no ID was given.',
});

previewField(
  'recoverResourceHubFile',
  Preview,
  { record: ResourceHubFile, fields: fileToRecover },
  previewRecoverResourceHubFile,
);
