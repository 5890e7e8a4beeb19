import type { Context } from '../context.js';
import { Prisma } from '../generated/client/client.js';
import { failure, notFound } from '../platform/failures/index.js';
import { newId, newIds, textList } from '../platform/postgres/index.js';
import { callersAccess, level } from '../policies/access.js';
import { editableBy, existingDocument } from '../policies/visibility.js';
import type { DocumentText } from '../text/documentText.js';
import { mentionedIn } from '../text/mentions.js';
import {
  company,
  locked,
  type Outcome,
  permitEdit,
  type ReadRecord,
  retry,
  unchanged,
  validToken,
  write,
} from './operation.js';
import { isExpected, loadState, requireState } from './state.js';

interface EarlierVersion extends DocumentText {
  id: string;
}

/**
 * Loads a document with its current version and the one to restore, if that exists. Throws 404 or 403. Its content is
 * read only for who may edit it: a hidden document costs no more than an unknown one.
 */
async function loadDocumentToRestore(context: Context, documentId: string, versionNumber: number) {
  const document = await retry(context, () => loadEditable(context, documentId, versionNumber));
  const { name: title, content, parentFolderId, current, versions } = document;
  if (!current) throw noVersion(documentId, versionNumber);
  return { document: { title, content }, folderId: parentFolderId, current, source: versions[0] };
}

/** Undefined if the caller was given access meanwhile. */
async function loadEditable({ db, actor }: Context, documentId: string, versionNumber: number) {
  const existing = { id: documentId, ...existingDocument(actor) };
  const document = await db.resourceHubDocument.findFirst({
    where: { ...existing, resourceHub: editableBy(actor) },
    select: {
      name: true,
      content: true,
      parentFolderId: true,
      current: {
        select: { versionNumber: true, insertedAt: true, editor: { select: { id: true, fullName: true } } },
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

const noVersion = (documentId: string, versionNumber: number) =>
  notFound(`version ${versionNumber} of document`, documentId);

/** Whether restoring the version would change nothing. */
const isEqual = (source: EarlierVersion, document: DocumentText) =>
  source.title === document.title && source.content === document.content;

interface RestoreDocumentVersionInput {
  documentId: string;
  versionNumber: number;
  expectedCurrentVersion: number;
}

/** The key of a version. */
interface VersionKey {
  companyId: string;
  documentId: string;
  versionNumber: number;
}

/**
 * Restores an earlier version by adding a version equal to it, unless the document already equals it. Returns the version
 * that is now current. Throws 404, 403 or 409. Decisions: "Restore".
 */
export const restoreDocumentVersion = <Version>(
  context: Context,
  input: RestoreDocumentVersionInput,
  expectedState: string | null | undefined,
  read: ReadRecord<Version, VersionKey>,
): Promise<Outcome<Version>> => retry(context, () => attempt(context, input, expectedState, read));

async function attempt<Version>(
  context: Context,
  input: RestoreDocumentVersionInput,
  expectedState: string | null | undefined,
  read: ReadRecord<Version, VersionKey>,
): Promise<Outcome<Version> | undefined> {
  const { db, actor, surface } = context;
  const { companyId, personId } = actor;
  const { documentId, versionNumber, expectedCurrentVersion } = input;

  const { document, folderId, current, source } = await loadDocumentToRestore(context, documentId, versionNumber);
  if (current.versionNumber !== expectedCurrentVersion) {
    throw failure('VERSION_CONFLICT', {
      expectedCurrentVersion,
      currentVersion: current.versionNumber,
      currentVersionEditor: current.editor,
      currentVersionInsertedAt: current.insertedAt.toISOString(),
    });
  }
  if (!source) throw noVersion(documentId, versionNumber);
  await requireState(context, { kind: 'document', id: documentId }, expectedState);
  const keyOf = (number: number) => ({ companyId, documentId, versionNumber: number });
  if (isEqual(source, document)) return unchanged(await read(db, keyOf(current.versionNumber)));

  const activityId = newId();
  const statement = Prisma.sql`
    WITH ${company(actor)}, ${validToken(actor)}, source AS (
      SELECT title, content FROM document_versions
      WHERE company_id = ${companyId} AND document_id = ${documentId} AND version_number = ${versionNumber}
    ), ${locked(
      'before',
      Prisma.sql`
      SELECT d.outcome_activity_id FROM resource_hub_documents d
      WHERE d.company_id = ${companyId} AND d.id = ${documentId}
        AND d.current_version = ${expectedCurrentVersion} AND d.deleted_at IS NULL
        AND EXISTS (SELECT FROM token) AND ${isExpected('document', 'd', expectedState)}
        AND EXISTS (SELECT FROM resource_hub_access a
          WHERE a.company_id = ${companyId} AND a.resource_hub_id = d.resource_hub_id
            AND a.person_id = ${personId} AND a.level >= ${level.edit})`,
    )}, document AS (
      UPDATE resource_hub_documents d
      SET name = source.title, content = source.content, current_version = d.current_version + 1, updated_at = before.at,
        outcome_activity_id = ${activityId}
      FROM source, before WHERE d.company_id = ${companyId} AND d.id = ${documentId}
      RETURNING d.id, d.name, d.content, d.current_version, d.updated_at
    ), version AS (
      INSERT INTO document_versions AS v
        (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin,
          restored_from_version_number, inserted_at)
      SELECT company.id, ${newId()}, d.id, d.current_version, d.current_version - 1, d.name, d.content, ${personId},
        'restored', ${versionNumber}, d.updated_at
      FROM company, document d RETURNING v.id, v.document_id, v.title, v.inserted_at
    ), mentioned AS (
      SELECT id FROM people WHERE company_id = ${companyId} AND id = ANY(${textList(mentionedIn(source.content))})
    ), list AS (
      INSERT INTO subscription_lists AS l (company_id, id, document_id)
      SELECT company.id, ${newId()}, document.id FROM company, document WHERE EXISTS (SELECT FROM mentioned)
      ON CONFLICT (company_id, document_id) DO UPDATE SET document_id = excluded.document_id RETURNING l.id
    ), subscribed AS (
      INSERT INTO subscriptions (company_id, id, subscription_list_id, person_id, type, inserted_at)
      SELECT company.id, ${newIds()}, list.id, mentioned.id, 'mentioned', version.inserted_at
      FROM company, version, list, mentioned
      ON CONFLICT (company_id, subscription_list_id, person_id) DO NOTHING
    ), activity AS (
      INSERT INTO activities AS a (company_id, id, action, author_id, token_id, surface, document_id,
        document_version_id, name, origin, inserted_at, previous_outcome_id)
      SELECT company.id, ${activityId}, 'document_version_restored', ${personId}, token.id, ${surface},
        version.document_id, version.id, version.title, 'api', version.inserted_at, before.outcome_activity_id
      FROM company, token, version, before RETURNING a.id
    )
    SELECT id FROM activity`;
  return write(db, statement, (tx) => read(tx, keyOf(expectedCurrentVersion + 1), folderId));
}

export interface DocumentRestorePreview {
  sourceId: string;
  before: DocumentText;
  after: DocumentText;
  wouldChange: boolean;
  expectedCurrentVersion: number;
  /** What to expect when it is restored. */
  state: string | null;
}

/** What restoreDocumentVersion would do now. Makes the same checks and writes nothing. Throws 404 or 403. */
export async function previewDocumentRestore(
  context: Context,
  { documentId, versionNumber }: { documentId: string; versionNumber: number },
): Promise<DocumentRestorePreview> {
  const state = await loadState(context, { kind: 'document', id: documentId });
  const { document, current, source } = await loadDocumentToRestore(context, documentId, versionNumber);
  if (!source) throw noVersion(documentId, versionNumber);
  return {
    sourceId: source.id,
    before: document,
    after: source,
    wouldChange: !isEqual(source, document),
    expectedCurrentVersion: current.versionNumber,
    state,
  };
}
