import { type RecoveredFile, recoverResourceHubFile } from '../../operations/recoverResourceHubFile.js';
import { builder } from '../builder.js';
import { changes } from '../changes.js';
import { addActivity } from '../events/payloadActivity.js';
import { addFile } from './deleteResourceHubFile.js';

const RecoverResourceHubFileInput = builder.inputType('RecoverResourceHubFileInput', {
  description: 'The input of `recoverResourceHubFile`.',
  fields: (t) => ({
    fileId: t.id({
      required: false,
      description: 'The ID of the deleted file to recover. If it is null or absent, nothing changes.',
    }),
  }),
});

const RecoverResourceHubFilePayload = builder.objectRef<RecoveredFile>('RecoverResourceHubFilePayload').implement({
  description: 'The result of `recoverResourceHubFile`.',
});

addFile(RecoverResourceHubFilePayload, 'The recovered file. Null if no ID was given.');
addActivity(RecoverResourceHubFilePayload);

builder.mutationField('recoverResourceHubFile', (t) =>
  t.field({
    type: RecoverResourceHubFilePayload,
    description:
      'Recovers a deleted file of a resource hub, with its comments, reactions and subscriptions. A file that is not ' +
      'deleted stays unchanged. Requires edit access. Errors: NOT_FOUND, FORBIDDEN.',
    extensions: changes<typeof RecoverResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
    args: { input: t.arg({ type: RecoverResourceHubFileInput, required: true, description: 'The file to recover.' }) },
    resolve: (_root, { input }, context) => recoverResourceHubFile(context, input),
  }),
);
