import type { Context } from '../context.js';
import { failure, notFound } from '../platform/failures/index.js';
import { newId, newIds, type Sql, sql, textList } from '../platform/postgres/index.js';
import { editableBy, existingDocument, hubAccess, keyOf } from '../policies/access.js';
import type { RestoreAudience } from '../policies/recipients.js';
import type { DocumentText } from '../text/richText.js';
import { declare, type Undone } from './declaration.js';
import {
  loadState,
  lockedRecord,
  mentionsOf,
  type Outcome,
  type Preview,
  permitEdit,
  type ReadRecord,
  recorded,
  requireState,
  retry,
  unchanged,
  write,
} from './operation.js';

/**
 * Loads a document with its current version and the one to restore, if that exists; undefined if the caller was given
 * access meanwhile. Throws 404 or 403. Its content is read only for who may edit it, and if it is asked for: a hidden
 * document costs no more than an unknown one.
 */
async function loadDocumentToRestore(
  { db, actor }: Context,
  { documentId, versionNumber, content }: VersionToRestore & { content: boolean },
) {
  const { companyId } = actor;
  const existing = { id: documentId, ...existingDocument(actor) };
  const document = await db.resourceHubDocument.findFirst({
    where: { ...existing, resourceHub: editableBy(actor) },
    select: {
      name: true,
      content,
      parentFolderId: true,
      current: {
        select: { id: true, versionNumber: true, insertedAt: true, editor: { select: { id: true, fullName: true } } },
      },
      versions: {
        where: { companyId, versionNumber },
        select: { id: true, title: true, content: true, comparison: { select: { equalsDocument: true } } },
      },
    },
  });
  if (!document) {
    const refused = await db.resourceHubDocument.findFirst({
      where: existing,
      select: { resourceHub: { select: hubAccess(actor) } },
    });
    permitEdit('document', documentId, refused?.resourceHub);
    return undefined;
  }
  const { current, versions, ...found } = document;
  if (!current) throw noVersion(documentId, versionNumber);
  return { document: found, current, source: versions[0] };
}

const noVersion = (documentId: string, versionNumber: number) =>
  notFound(`version ${versionNumber} of document`, documentId);

interface VersionToRestore {
  documentId: string;
  versionNumber: number;
}

interface RestoreDocumentVersionInput extends VersionToRestore {
  expectedCurrentVersion: number;
}

interface VersionKey {
  companyId: string;
  documentId: string;
  versionNumber: number;
}

/**
 * Adds a version equal to an earlier one, unless the document equals it, which is compared in SQL: no content is read for
 * it. Throws 404, 403 or 409.
 */
export async function restoreDocumentVersion<Version>(
  context: Context,
  input: RestoreDocumentVersionInput,
  expectedState: string | null | undefined,
  read: ReadRecord<Version, VersionKey>,
): Promise<Outcome<Version>> {
  const { db, actor } = context;
  const { companyId, personId } = actor;
  const { documentId, versionNumber, expectedCurrentVersion } = input;
  const record = { kind: 'document', id: documentId } as const;
  const condition = sql`r.current_version = ${expectedCurrentVersion} AND r.deleted_at IS NULL`;
  return retry(context, async () => {
    const loaded = await loadDocumentToRestore(context, { ...input, content: false });
    if (!loaded) return undefined;
    const { document, current, source } = loaded;
    if (current.versionNumber !== expectedCurrentVersion) {
      throw failure('VERSION_CONFLICT', {
        expectedCurrentVersion,
        currentVersion: current.versionNumber,
        currentVersionEditor: current.editor,
        currentVersionInsertedAt: current.insertedAt.toISOString(),
      });
    }
    if (!source) throw noVersion(documentId, versionNumber);
    await requireState(context, record, expectedState);
    const versionKey = (number: number) => ({ companyId, documentId, versionNumber: number });
    if (source.comparison?.equalsDocument) return unchanged(await read(db, versionKey(current.versionNumber)));

    const mentioned = await mentionsOf(context, source.content);
    const activityId = newId();
    const statement = sql`
    WITH ${lockedRecord(actor, record, expectedState, { condition })}, source AS (
      SELECT title, content FROM document_versions
      WHERE company_id = ${companyId} AND document_id = ${documentId} AND version_number = ${versionNumber}
    ), document AS (
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
      FROM company, document d RETURNING v.id, v.inserted_at
    ), mentioned AS (
      SELECT id FROM people WHERE company_id = ${companyId} AND id = ANY(${textList(mentioned)})
    ), list AS (
      INSERT INTO subscription_lists AS l (company_id, id, document_id)
      SELECT company.id, ${newId()}, document.id FROM company, document WHERE EXISTS (SELECT FROM mentioned)
      ON CONFLICT (company_id, document_id) DO UPDATE SET document_id = excluded.document_id RETURNING l.id
    ), subscribed AS (
      INSERT INTO subscriptions (company_id, id, subscription_list_id, person_id, type, inserted_at)
      SELECT company.id, ${newIds()}, list.id, mentioned.id, 'mentioned', version.inserted_at
      FROM company, version, list, mentioned
      ON CONFLICT (company_id, subscription_list_id, person_id) DO NOTHING
    ), ${recorded(context, {
      id: activityId,
      action: 'document_version_restored',
      record: 'document',
      more: { columns: { document_version_id: 'version.id' }, from: 'version' },
    })}
    SELECT id FROM activity`;
    return write(context, statement, (tx) => read(tx, versionKey(expectedCurrentVersion + 1), document.parentFolderId));
  });
}

export interface RestoreDocumentVersionPreview extends Preview {
  sourceId: string;
  currentId: string;
  before: DocumentText;
  after: DocumentText;
  expectedCurrentVersion: number;
  audience: RestoreAudience;
}

/** What restoreDocumentVersion would do now. Makes the same checks and writes nothing. Throws 404 or 403. */
export async function previewRestoreDocumentVersion(
  context: Context,
  { documentId, versionNumber }: VersionToRestore,
): Promise<RestoreDocumentVersionPreview> {
  const record = { kind: 'document', id: documentId } as const;
  const state = await loadState(context, record);
  const { document, current, source } = await retry(context, () =>
    loadDocumentToRestore(context, { documentId, versionNumber, content: true }),
  );
  if (!source) throw noVersion(documentId, versionNumber);
  const wouldChange = !source.comparison?.equalsDocument;
  return {
    record,
    changes: { name: source.title, content: source.content },
    sourceId: source.id,
    currentId: current.id,
    before: { title: document.name, content: document.content },
    after: source,
    wouldChange,
    expectedCurrentVersion: current.versionNumber,
    state,
    audience: { documentId, mentioned: wouldChange ? await mentionsOf(context, source.content) : [] },
  };
}

/** Restores the version before the one that the activity made, as a new one. */
function restoreBefore({ companyId, authorId, subjectId, change }: Undone): Sql {
  const record = change(
    sql`name = source.title, content = source.content, current_version = r.current_version + 1, updated_at = before.at`,
    sql`before, source`,
    sql`, r.content, r.current_version, source.version_number`,
  );
  return sql`source AS (
      SELECT v.title, v.content, v.version_number FROM document_versions v
      JOIN document_versions mine ON mine.company_id = ${companyId} AND mine.document_id = v.document_id
        AND mine.id = (SELECT document_version_id FROM before)
      WHERE v.company_id = ${companyId} AND v.document_id = ${subjectId} AND v.version_number = mine.version_number - 1
    ), ${record}, version AS (
      INSERT INTO document_versions AS v
        (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin,
          restored_from_version_number, inserted_at)
      SELECT company.id, ${newId()}, r.id, r.current_version, r.current_version - 1, r.name, r.content, ${authorId},
        'restored', r.version_number, r.at
      FROM company, record r RETURNING v.id
    )`;
}

export const versionRestoring = declare({
  field: 'restoreDocumentVersion',
  title: 'Restore a document version',
  action: 'document_version_restored',
  actions: {
    document_version_restored: {
      description: 'An earlier version of a document was restored.',
      moreFields: ['version_id', 'version_number', 'restored_from_version_number'],
    },
  },
  undo: {
    action: 'document_version_restored',
    hasVersion: true,
    steps: restoreBefore,
    changes: async ({ db, actor }, activityId) => {
      const { documentVersion } = await db.activity.findUniqueOrThrow({
        where: keyOf(actor, activityId),
        select: { documentVersion: { select: { previous: { select: { title: true, content: true } } } } },
      });
      const before = documentVersion?.previous;
      return before ? { name: before.title, content: before.content } : {};
    },
  },
  reverses: ['resource_hub_document_edited', 'document_version_restored'],
  rest: {
    path: '/documents/restore_document_version',
    selection: 'document { ...DocumentFields } restoredVersion { ...VersionFields }',
    example: { document_id: 'doc-launch-plan', version_number: 4, expected_current_version: 5 },
  },
  tool: {
    isDestructive: true,
    selection: `document { id name currentVersion }
      restoredVersion { versionNumber title restoredFromVersionNumber }`,
  },
  preview: {
    unchanged: 'The document equals this version already.',
    sentence:
      'Restore version {version.version_number} of the document {title_before}, which has version {expected_current_version}',
    selection: `wouldChange state expectedCurrentVersion
      current { versionNumber insertedAt editor { ...PersonFields } }
      version { versionNumber title insertedAt editor { ...PersonFields } }
      titleBefore titleAfter difference { ...ChangeFields } subscribed(first: 20) { ...PeopleFields }`,
  },
});
