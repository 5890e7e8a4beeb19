import { previewRecoverResourceHubFile, recoverResourceHubFile } from '../../operations/recoverResourceHubFile.js';
import { type InputFields, nullWithoutId, operationField, previewField, recordToChange } from '../changes.js';
import { filePayload, filePreview, readFile } from './changedFile.js';
import { ResourceHubFile } from './filesAndDocuments.js';

const fileToRecover = (t: InputFields) => ({
  fileId: recordToChange(t, 'The ID of the deleted file to recover.', 'file'),
});

const Payload = filePayload('recoverResourceHubFile', `The recovered file. ${nullWithoutId}`);

operationField(
  'recoverResourceHubFile',
  {
    payload: Payload,
    about:
      'Recovers a deleted file of a resource hub, with its comments, reactions and subscriptions. A file that is ' +
      'not deleted stays unchanged. It is not part of the documented API.',
    fields: fileToRecover,
    input: 'The file to recover.',
    kind: 'file',
    idOf: ({ fileId }) => fileId,
  },
  (context, input, expectedState, info) =>
    recoverResourceHubFile(context, input, expectedState, readFile(context, info)),
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
