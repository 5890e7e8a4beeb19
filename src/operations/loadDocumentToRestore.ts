import type { Context } from '../context.js';
import { notFound } from '../errors/failures.js';
import { callersAccess } from '../policies/access.js';
import { editableBy, existingDocument } from '../policies/visibility.js';
import type { DocumentText } from '../text/documentText.js';
import { permitEdit } from './permit.js';
import { retry } from './retry.js';

export interface EarlierVersion extends DocumentText {
  id: string;
}

/**
 * Loads a document with its current version and the one to restore, if that exists. Throws 404 or 403. Its content is
 * read only for who may edit it: a hidden document costs no more than an unknown one.
 */
export async function loadDocumentToRestore(context: Context, documentId: string, versionNumber: number) {
  const document = await retry(() => loadEditable(context, documentId, versionNumber));
  const { name: title, content, current, versions } = document;
  if (!current) throw noVersion(documentId, versionNumber);
  return { document: { title, content }, current, source: versions[0] };
}

/** Undefined if the caller was given access meanwhile. */
async function loadEditable({ db, actor }: Context, documentId: string, versionNumber: number) {
  const existing = { id: documentId, ...existingDocument(actor) };
  const document = await db.resourceHubDocument.findFirst({
    where: { ...existing, resourceHub: editableBy(actor) },
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
    },
  });
  if (document) return document;
  const refused = await db.resourceHubDocument.findFirst({
    where: existing,
    select: { resourceHub: { select: callersAccess(actor) } },
  });
  permitEdit('document', documentId, refused?.resourceHub);
  return undefined;
}

export const noVersion = (documentId: string, versionNumber: number) =>
  notFound(`version ${versionNumber} of document`, documentId);

/** Whether restoring the version would change nothing. */
export const isEqual = (source: EarlierVersion, document: DocumentText) =>
  source.title === document.title && source.content === document.content;
