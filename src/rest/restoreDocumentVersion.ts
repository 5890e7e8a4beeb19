import { apiRoot, type StoredMutation } from './storedMutation.js';

export const restoreDocumentVersion: StoredMutation = {
  path: `${apiRoot}/documents/restore_document_version`,
  title: 'Restore a document version',
  document: `mutation restoreDocumentVersion($input: RestoreDocumentVersionInput!, $expectedState: String) {
    restoreDocumentVersion(input: $input, expectedState: $expectedState) { document { ...DocumentFields } restoredVersion { ...VersionFields } }
  }`,
};
