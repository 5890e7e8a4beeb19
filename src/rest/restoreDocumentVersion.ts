import { apiRoot } from './apiRoot.js';
import { withFragments } from './fragments.js';
import { deepestFirst, type HubItems, hubItems } from './hubItems.js';
import type { StoredMutation } from './storedMutation.js';

interface Item {
  id: string;
  name: string;
  content?: string;
  currentVersion?: number;
  versions?: { nodes: { versionNumber: number; title: string; content: string }[] };
  permissions?: { canEditDocument: boolean };
}

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
      'answer is VERSION_CONFLICT.',
    ],
    lookUp: hubItems(`name ... on ResourceHubDocument {
      content currentVersion permissions { canEditDocument } versions(last: 20) { nodes { versionNumber title content } }
    }`),
    input(found: HubItems<Item>) {
      const documents = deepestFirst(found).filter(({ permissions }) => permissions?.canEditDocument);
      const [restorable] = documents.flatMap((document) => {
        const version = versionToRestore(document);
        return version === undefined ? [] : [{ ...document, version }];
      });
      return {
        documentId: restorable?.id ?? 'DOCUMENT_ID',
        versionNumber: restorable?.version ?? 1,
        expectedCurrentVersion: restorable?.currentVersion ?? 2,
      };
    },
    selection: `document { id name currentVersion }
      restoredVersion { versionNumber restoredFromVersionNumber editor { fullName } }`,
  },
};

/**
 * The oldest version that differs from the document, if possible in title and content, so that restoring it is visible.
 */
function versionToRestore({ name, content, versions }: Item): number | undefined {
  const oldestFirst = (versions?.nodes ?? []).toReversed();
  const different = oldestFirst.filter((version) => version.title !== name || version.content !== content);
  return (different.find((version) => version.title !== name && version.content !== content) ?? different[0])
    ?.versionNumber;
}
