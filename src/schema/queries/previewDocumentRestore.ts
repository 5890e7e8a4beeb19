import { type DocumentRestorePreview, previewDocumentRestore } from '../../operations/previewDocumentRestore.js';
import { builder } from '../builder.js';
import { versionNumbers } from '../mutations/restoreDocumentVersion.js';
import { DocumentDifference } from '../types/DocumentDifference.js';
import { DocumentVersion } from '../types/DocumentVersion.js';

const Preview = builder.objectRef<DocumentRestorePreview>('DocumentRestorePreview').implement({
  description: 'What `restoreDocumentVersion` would do, as things stand.',
  fields: (t) => ({
    version: t.prismaField({
      type: DocumentVersion,
      description: 'The version that would be restored.',
      resolve: (query, { sourceId }, _args, { db }) =>
        db.documentVersion.findUniqueOrThrow({ ...query, where: { id: sourceId } }),
    }),
    expectedCurrentVersion: t.exposeInt('expectedCurrentVersion', {
      description: 'Number of the current version: what to send for the restore to be this one or to fail.',
    }),
    isNoOp: t.exposeBoolean('isNoOp', {
      description: 'Whether nothing would change, as the document equals the version already.',
    }),
    titleBefore: t.string({ description: 'The title as it is.', resolve: ({ before }) => before.title }),
    titleAfter: t.string({ description: 'The title as it would be.', resolve: ({ after }) => after.title }),
    contentBefore: t.string({
      description: 'The text as it is, plain or rich text (ProseMirror JSON).',
      resolve: ({ before }) => before.content,
    }),
    contentAfter: t.string({
      description: 'The text as it would be, plain or rich text (ProseMirror JSON).',
      resolve: ({ after }) => after.content,
    }),
    difference: t.field({
      type: DocumentDifference,
      description: 'From the document as it is to the document as it would be.',
      resolve: (preview) => preview,
    }),
  }),
});

builder.queryField('previewDocumentRestore', (t) =>
  t.field({
    type: Preview,
    nullable: true,
    description:
      'Tells what `restoreDocumentVersion` would change, and does nothing: a read-only token will do. ' +
      'Needs edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN.',
    args: {
      documentId: t.arg.id({ required: true, description: 'Id of the document.' }),
      versionNumber: t.arg.int({
        required: true,
        description: 'Number of the version to restore, from 1.',
        extensions: versionNumbers,
      }),
    },
    resolve: (_root, args, context) => previewDocumentRestore(context, args),
  }),
);
