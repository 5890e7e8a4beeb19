import { type DocumentRestorePreview, previewDocumentRestore } from '../../operations/previewDocumentRestore.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { versionNumbers } from '../mutations/restoreDocumentVersion.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { DocumentDifference } from '../types/DocumentDifference.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { twoLongTexts } from '../weights.js';

const Preview = builder.objectRef<DocumentRestorePreview>('DocumentRestorePreview').implement({
  description: 'What `restoreDocumentVersion` would currently change.',
  fields: (t) => ({
    version: t.field({
      type: DocumentVersion,
      description: 'The version to restore.',
      resolve: ({ sourceId }, _args, context, info) =>
        context.db.documentVersion.findUniqueOrThrow({
          ...plannedQuery(context, info),
          where: keyOf(context.actor, sourceId),
        }),
    }),
    expectedCurrentVersion: t.exposeInt('expectedCurrentVersion', {
      description:
        'The number of the current version. Send it as `expectedCurrentVersion`, so that the restore does what this preview shows or fails.',
    }),
    isNoOp: t.exposeBoolean('isNoOp', {
      description: 'Whether the restore would change nothing because the document already equals the version.',
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

builder.queryField('previewDocumentRestore', (t) =>
  t.field({
    type: Preview,
    extensions: twoLongTexts,
    nullable: true,
    description:
      'Previews what `restoreDocumentVersion` would change, without changing anything; a read-only token can run it. ' +
      'Requires edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN.',
    args: {
      documentId: t.arg.id({ required: true, description: 'The ID of the document.' }),
      versionNumber: t.arg.int({
        required: true,
        description: 'The number of the version to restore, starting at 1.',
        extensions: versionNumbers,
      }),
    },
    resolve: (_root, args, context) => previewDocumentRestore(context, args),
  }),
);
