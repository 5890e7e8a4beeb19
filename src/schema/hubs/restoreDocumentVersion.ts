import { restoreAudienceList, restoreCursor } from '../../lists/audiences.js';
import {
  previewRestoreDocumentVersion,
  type RestoreDocumentVersionPreview,
  restoreDocumentVersion,
} from '../../operations/restoreDocumentVersion.js';
import { builder, byKey, keyColumns, rowOf, twoLongTexts } from '../builder.js';
import { addActivity, type InputFields, operationField, previewField } from '../changes.js';
import { addPeople } from '../people/people.js';
import { plannedQuery } from '../plans.js';
import { ResourceHubDocument } from './filesAndDocuments.js';
import { readWithPath } from './nodes.js';
import { DocumentDifference, DocumentVersion } from './versions.js';

const versionNumbers = { minimum: 1, maximum: 2_147_483_647 };

const versionToRestore = (t: InputFields) => ({
  documentId: t.id({ required: true, description: 'The ID of the document.' }),
  versionNumber: t.int({
    required: true,
    description: 'The number of the version to restore, starting at 1.',
    extensions: versionNumbers,
  }),
});

const versionToRestoreNow = (t: InputFields) => ({
  ...versionToRestore(t),
  expectedCurrentVersion: t.int({
    required: true,
    description:
      'The number of the version that the caller expects to be current. If another version is current, the request fails with VERSION_CONFLICT.',
    extensions: versionNumbers,
  }),
});

// A variant of the current version, so that one query, which goes with the change, loads the document and the version.
const RestoreDocumentVersionPayload = builder.prismaObject('DocumentVersion', {
  ...byKey,
  variant: 'RestoreDocumentVersionPayload',
  description: 'The result of `restoreDocumentVersion`.',
  fields: (t) => ({
    document: t.relation('document', { type: ResourceHubDocument, description: 'The document after the restore.' }),
    restoredVersion: t.variant(DocumentVersion, {
      isNull: (version: object) => 'activityId' in version && version.activityId === null,
      description: 'The version that the restore added. Null if the document already equals the requested version.',
    }),
  }),
});

addActivity(RestoreDocumentVersionPayload);

/** The document of a version that was read with it, if it was selected. */
const documentOf = (version: object) => (version as { document?: object }).document ?? version;

const errors = ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN'] as const;

operationField(
  'restoreDocumentVersion',
  {
    payload: RestoreDocumentVersionPayload,
    about:
      'Restores an earlier version of a document by adding a new version with its title and content, unless the ' +
      'document already equals it. Subscribes the people whom that version mentions; nobody is notified.',
    fields: versionToRestoreNow,
    input: 'The document, and the version to restore.',
    errors: [...errors, 'VERSION_CONFLICT'],
    kind: 'document',
    idOf: ({ documentId }) => documentId,
  },
  (context, input, expectedState, info) =>
    restoreDocumentVersion(context, input, expectedState, (db, key, folderId) => {
      const where = { companyId_documentId_versionNumber: key };
      const query = { ...plannedQuery(context, info, { select: keyColumns }), where };
      const version = db.documentVersion.findUnique(query);
      return readWithPath(version, { db, actor: context.actor, info }, folderId, documentOf);
    }),
);

const Preview = builder.objectRef<RestoreDocumentVersionPreview>('RestoreDocumentVersionPreview').implement({
  description: 'What `restoreDocumentVersion` would currently change.',
  fields: (t) => ({
    version: t.field({
      type: DocumentVersion,
      description: 'The version to restore.',
      resolve: ({ sourceId }, _args, context, info) =>
        context.db.documentVersion.findUniqueOrThrow(rowOf(context, info, sourceId)),
    }),
    current: t.field({
      type: DocumentVersion,
      description: 'The current version.',
      resolve: ({ currentId }, _args, context, info) =>
        context.db.documentVersion.findUniqueOrThrow(rowOf(context, info, currentId)),
    }),
    expectedCurrentVersion: t.exposeInt('expectedCurrentVersion', {
      description:
        'The number of the current version. Send it as `expectedCurrentVersion`, so that the restore does what this preview shows or fails.',
    }),
    wouldChange: t.exposeBoolean('wouldChange', {
      description: 'Whether the restore would change anything. False if the document already equals the version.',
    }),
    titleBefore: t.string({ description: 'The title before the restore.', resolve: ({ before }) => before.title }),
    titleAfter: t.string({ description: 'The title after the restore.', resolve: ({ after }) => after.title }),
    contentBefore: t.string({
      description: 'The content before the restore: plain or rich text (ProseMirror JSON).',
      resolve: ({ before }) => before.content,
    }),
    contentAfter: t.string({
      description: 'The content after the restore: plain or rich text (ProseMirror JSON).',
      resolve: ({ after }) => after.content,
    }),
    difference: t.field({
      type: DocumentDifference,
      extensions: twoLongTexts,
      description: 'The difference between the document before and after the restore.',
      resolve: (preview) => preview,
    }),
  }),
});

addPeople(
  Preview,
  'subscribed',
  'The people whom the restore would subscribe to the document: those whom the version mentions, without those who are or were subscribed. Empty if the restore would change nothing.',
  restoreCursor,
  ({ audience }, actor) => restoreAudienceList(actor, audience),
);

previewField(
  'restoreDocumentVersion',
  Preview,
  {
    record: ResourceHubDocument,
    fields: versionToRestore,
    input: 'The document, and the version to preview the restore of.',
    errors,
    extensions: twoLongTexts,
  },
  previewRestoreDocumentVersion,
);
