import type { Context } from '../context.js';
import type { DocumentText } from '../text/documentText.js';
import { isEqual, loadDocumentToRestore, noVersion } from './loadDocumentToRestore.js';

export interface DocumentRestorePreview {
  sourceId: string;
  before: DocumentText;
  after: DocumentText;
  isNoOp: boolean;
  expectedCurrentVersion: number;
}

/** What restoreDocumentVersion would do now. Makes the same checks and writes nothing. Throws 404 or 403. */
export async function previewDocumentRestore(
  context: Context,
  { documentId, versionNumber }: { documentId: string; versionNumber: number },
): Promise<DocumentRestorePreview> {
  const { document, current, source } = await loadDocumentToRestore(context, documentId, versionNumber);
  if (!source) throw noVersion(documentId, versionNumber);
  return {
    sourceId: source.id,
    before: document,
    after: source,
    isNoOp: isEqual(source, document),
    expectedCurrentVersion: current.versionNumber,
  };
}
