import { restoreDocumentVersion } from '../../operations/restoreDocumentVersion.js';
import { builder } from '../builder.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';

/** The numbers that a version can have. */
export const versionNumbers = { minimum: 1, maximum: 2_147_483_647 };

const RestoreDocumentVersionInput = builder.inputType('RestoreDocumentVersionInput', {
  description: 'Which version of which document to restore.',
  fields: (t) => ({
    documentId: t.id({ required: true, description: 'Id of the document.' }),
    versionNumber: t.int({
      required: true,
      description: 'Number of the version to restore, from 1.',
      extensions: versionNumbers,
    }),
    expectedCurrentVersion: t.int({
      required: true,
      description: 'Number of the version the caller believes is current, from 1. A different one is VERSION_CONFLICT.',
      extensions: versionNumbers,
    }),
  }),
});

// A view of the version that is current now, so that the document and the version are one query.
const RestoreDocumentVersionPayload = builder.prismaObject('DocumentVersion', {
  variant: 'RestoreDocumentVersionPayload',
  description: 'The outcome of `restoreDocumentVersion`.',
  fields: (t) => ({
    document: t.relation('document', { type: ResourceHubDocument, description: 'The document as it is now.' }),
    restoredVersion: t.variant(DocumentVersion, {
      isNull: (version: object) => 'restored' in version && version.restored === false,
      description: 'The version that was added; null when the document equals the version already.',
    }),
  }),
});

builder.mutationField('restoreDocumentVersion', (t) =>
  t.prismaField({
    type: RestoreDocumentVersionPayload,
    description:
      'Makes an earlier version of a document current by adding a version equal to it; changes nothing when it is equal ' +
      'already. Needs edit access. Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, VERSION_CONFLICT.',
    extensions: { errors: ['VERSION_CONFLICT'] },
    args: {
      input: t.arg({ type: RestoreDocumentVersionInput, required: true, description: 'The document and the version.' }),
    },
    resolve: async (query, _root, { input }, context) => {
      const { versionId, restored } = await restoreDocumentVersion(context, input);
      const version = await context.db.documentVersion.findUniqueOrThrow({ ...query, where: { id: versionId } });
      return { ...version, restored };
    },
  }),
);
