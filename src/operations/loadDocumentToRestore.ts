import type { Context } from '../context.js';
import { notFound } from '../errors/failures.js';
import { callersAccess } from '../policies/access.js';
import { existingDocument } from '../policies/visibility.js';
import type { DocumentText } from '../text/documentText.js';
import { permitEdit } from './permit.js';

export interface EarlierVersion extends DocumentText {
  id: string;
}

/** Loads a document with its current version and the one to restore, if that exists. Throws 404 or 403. */
export async function loadDocumentToRestore({ db, actor }: Context, documentId: string, versionNumber: number) {
  const document = await db.resourceHubDocument.findFirst({
    where: { id: documentId, ...existingDocument(actor) },
    select: {
      name: true,
      content: true,
      current: {
        select: { id: true, versionNumber: true, insertedAt: true, editor: { select: { id: true, fullName: true } } },
      },
      versions: {
        where: { companyId: actor.companyId, versionNumber },
        select: { id: true, title: true, content: true },
      },
      resourceHub: { select: callersAccess(actor) },
    },
  });
  permitEdit('document', documentId, document?.resourceHub);
  const current = document?.current;
  if (!current) throw noVersion(documentId, versionNumber);
  return { document: { title: document.name, content: document.content }, current, source: document.versions[0] };
}

export const noVersion = (documentId: string, versionNumber: number) =>
  notFound(`version ${versionNumber} of document`, documentId);

/** Whether restoring the version would change nothing. */
export const isEqual = (source: EarlierVersion, document: DocumentText) =>
  source.title === document.title && source.content === document.content;
