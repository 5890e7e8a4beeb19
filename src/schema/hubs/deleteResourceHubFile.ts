import { deletionAudienceList, deletionCursor } from '../../lists/audiences.js';
import { deleteResourceHubFile, previewDeleteResourceHubFile } from '../../operations/deleteResourceHubFile.js';
import { everybody } from '../builder.js';
import { type InputFields, nullWithoutId, operationField, previewField, recordToChange } from '../changes.js';
import { addPeople } from '../people/people.js';
import { filePayload, filePreview, readFile } from './changedFile.js';
import { ResourceHubFile } from './filesAndDocuments.js';

const fileToDelete = (t: InputFields) => ({
  fileId: recordToChange(t, 'The ID of the file to delete.', 'file'),
});

const Payload = filePayload(
  'deleteResourceHubFile',
  `The deleted file, as it was when it was deleted. ${nullWithoutId}`,
);

operationField(
  'deleteResourceHubFile',
  {
    payload: Payload,
    about:
      'Deletes a file of a resource hub and notifies the people who follow it; its bytes, comments, reactions and ' +
      'subscriptions are kept.',
    fields: fileToDelete,
    input: 'The file to delete.',
    kind: 'file',
    idOf: ({ fileId }) => fileId,
  },
  (context, input, expectedState, info) =>
    deleteResourceHubFile(context, input, expectedState, readFile(context, info)),
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
