import { withFragments } from './fragments.js';
import type { StoredMutation } from './storedMutation.js';

export const restoreDocumentVersion: StoredMutation = {
  path: '/api/external/v1/documents/restore_document_version',
  document: withFragments(`mutation restoreDocumentVersion($input: RestoreDocumentVersionInput!) {
    restoreDocumentVersion(input: $input) { document { ...DocumentFields } restoredVersion { ...VersionFields } }
  }`),
};
