import { apiRoot } from './apiRoot.js';
import { withFragments } from './fragments.js';
import { restorableVersions } from './restorableVersions.js';
import type { StoredMutation } from './storedMutation.js';

export const restoreDocumentVersion: StoredMutation = {
  path: `${apiRoot}/documents/restore_document_version`,
  title: 'Restore a document version',
  document: withFragments(`mutation restoreDocumentVersion($input: RestoreDocumentVersionInput!) {
    restoreDocumentVersion(input: $input) { document { ...DocumentFields } restoredVersion { ...VersionFields } }
  }`),
  example: {
    about: [
      'Adds a version equal to an earlier one.',
      'expectedCurrentVersion is the version you',
      'last read. If it is no longer current, the',
      'call fails with VERSION_CONFLICT.',
    ],
    input: { documentId: 'DOCUMENT_ID', versionNumber: 1, expectedCurrentVersion: 2 },
    choices: restorableVersions,
    selection: `document { id name currentVersion }
      restoredVersion { versionNumber restoredFromVersionNumber editor { fullName } }`,
    preview: `query PreviewDocumentRestore($documentId: ID!, $versionNumber: Int!) {
      preview: previewDocumentRestore(documentId: $documentId, versionNumber: $versionNumber) {
        changesNothing: isNoOp
        difference {
          title { changes { kind text } }
          content { changes { kind text } }
          isFormattingOnly
        }
      }
    }`,
    next: {
      label: 'Undo this restore',
      name: 'restoreDocumentVersion',
      from: { documentId: 'documentId', versionNumber: 'expectedCurrentVersion' },
    },
  },
};
