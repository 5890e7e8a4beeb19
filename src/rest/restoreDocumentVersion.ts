import { hubItems } from './hubItems.js';
import { apiRoot, type Choice, type LookUp, type StoredMutation, withFragments } from './storedMutation.js';

const mostDocuments = 8;

interface Item {
  __typename: string;
  id: string;
  currentVersion?: number | null;
  permissions?: { canEditDocument: boolean };
}

interface Version {
  versionNumber: number;
  title: string;
  titleChanged: boolean;
  contentChanged: boolean;
  restoredFromVersionNumber: number | null;
}

interface Document {
  id: string;
  name: string;
  currentVersion: number;
  versions: { nodes: Version[] };
}

/** The versions that the caller may restore, of the documents that were found first. */
async function restorableVersions(lookUp: LookUp): Promise<Choice[]> {
  const items = await hubItems<Item>(
    lookUp,
    '... on ResourceHubDocument { currentVersion permissions { canEditDocument } }',
  );
  const documents = items
    .filter(({ currentVersion, permissions }) => permissions?.canEditDocument && (currentVersion ?? 0) > 1)
    .slice(0, mostDocuments);
  if (documents.length === 0) return [];
  const aliases = documents.map(
    ({ id }, index) => `document${index}: resourceHubDocument(id: ${JSON.stringify(id)}) { ...Versions }`,
  );
  const read = await lookUp<Record<string, Document | null>>(`{ ${aliases.join(' ')} }
    fragment Versions on ResourceHubDocument {
      id name currentVersion
      versions(first: 20) { nodes { versionNumber title titleChanged contentChanged restoredFromVersionNumber } }
    }`);
  return Object.values(read).flatMap((document) => (document ? choicesOf(document) : []));
}

/** The oldest first; before them those with another title, because restoring them is most visible. */
function choicesOf({ id, name, currentVersion, versions }: Document): Choice[] {
  const oldestFirst = versions.nodes.toReversed();
  const texts = textsOf(oldestFirst);
  const different = oldestFirst.filter(({ versionNumber }) => texts.get(versionNumber) !== texts.get(currentVersion));
  const isRetitled = ({ title }: Version) => title !== name;
  return [...different.filter(isRetitled), ...different.filter((version) => !isRetitled(version))].map((version) => ({
    label: `${name}: version ${version.versionNumber} of ${currentVersion}${isRetitled(version) ? `, “${version.title}”` : ''}`,
    input: { documentId: id, versionNumber: version.versionNumber, expectedCurrentVersion: currentVersion },
  }));
}

/** For each version, the number of the first version with the same text, without reading the texts. */
function textsOf(oldestFirst: Version[]): Map<number, number> {
  const texts = new Map<number, number>();
  for (const { versionNumber, titleChanged, contentChanged, restoredFromVersionNumber: restored } of oldestFirst) {
    const isSame = !titleChanged && !contentChanged;
    const source = restored ?? (isSame ? versionNumber - 1 : versionNumber);
    texts.set(versionNumber, texts.get(source) ?? source);
  }
  return texts;
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
