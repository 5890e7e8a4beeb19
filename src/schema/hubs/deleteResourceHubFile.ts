import { deletionAudienceList, deletionCursor } from '../../lists/audiences.js';
import { deleteResourceHubFile, previewDeleteResourceHubFile } from '../../operations/deleteResourceHubFile.js';
import { builder, everybody } from '../builder.js';
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
import { addPeople } from '../people/people.js';
import { filePayload, filePreview, readFile } from './changedFile.js';
import { ResourceHubFile } from './filesAndDocuments.js';

const fileToDelete = (t: InputFields) => ({
  fileId: recordToChange(t, 'The ID of the file to delete.', 'file'),
});

const DeleteResourceHubFileInput = builder.inputType('DeleteResourceHubFileInput', {
  description: 'The input of `deleteResourceHubFile`.',
  fields: (t) => ({ ...fileToDelete(t), ...expectedState(t) }),
});

const DeleteResourceHubFilePayload = filePayload(
  'deleteResourceHubFile',
  `The deleted file, as it was when it was deleted. ${nullWithoutId}`,
);

builder.mutationField('deleteResourceHubFile', (t) =>
  t.field({
    type: DeleteResourceHubFilePayload,
    ...failsWith(
      ['NOT_FOUND', 'FORBIDDEN', 'STATE_CHANGED'],
      'Deletes a file of a resource hub and notifies the people who follow it; its bytes, comments, reactions and ' +
        'subscriptions are kept. Requires edit access.',
      changes<typeof DeleteResourceHubFileInput.$inferInput>('file', ({ fileId }) => fileId),
    ),
    args: {
      input: t.arg({ type: DeleteResourceHubFileInput, required: true, description: 'The file to delete.' }),
    },
    resolve: async (_root, { input: { expectedState, ...input } }, context, info) =>
      payloadOf(await deleteResourceHubFile(context, input, expectedState, readFile(context, info))),
  }),
);

const Preview = filePreview('deleteResourceHubFile', {
  wouldChange: 'Whether the file would be deleted. False if no ID was given.',
  file: 'The file in its current state. Null if no ID was given.',
});

addPeople(Preview, 'notified', 'The people who would be notified.', deletionCursor, ({ record }, actor) =>
  deletionAudienceList(actor, record?.id ?? null),
);

previewField(
  'deleteResourceHubFile',
  Preview,
  { record: ResourceHubFile, fields: fileToDelete, extensions: everybody },
  previewDeleteResourceHubFile,
);
