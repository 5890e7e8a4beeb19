import { apiRoot, type StoredMutation, withFragments } from './storedMutation.js';

export const restoreDocumentVersion: StoredMutation = {
  path: `${apiRoot}/documents/restore_document_version`,
  title: 'Restore a document version',
  document: withFragments(`mutation restoreDocumentVersion($input: RestoreDocumentVersionInput!) {
    restoreDocumentVersion(input: $input) { document { ...DocumentFields } restoredVersion { ...VersionFields } }
  }`),
};
