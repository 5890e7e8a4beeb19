import { restoreDocumentVersion } from '../../operations/restoreDocumentVersion.js';
import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { changes } from '../changes.js';
import { addActivity } from '../fields/payloadActivity.js';
import { keyColumns } from '../keyColumns.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { DocumentVersion } from '../types/DocumentVersion.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';

/** The numbers that a version can have. */
export const versionNumbers = { minimum: 1, maximum: 2_147_483_647 };

const RestoreDocumentVersionInput = builder.inputType('RestoreDocumentVersionInput', {
  description: 'The input of `restoreDocumentVersion`.',
  fields: (t) => ({
    documentId: t.id({ required: true, description: 'The ID of the document.' }),
    versionNumber: t.int({
      required: true,
      description: 'The number of the version to restore, starting at 1.',
      extensions: versionNumbers,
    }),
    expectedCurrentVersion: t.int({
      required: true,
      description:
        'The number of the version that the caller expects to be current. If another version is current, the request fails with VERSION_CONFLICT.',
      extensions: versionNumbers,
    }),
  }),
});

// A variant of the current version, so that one query loads both the document and the version.
const RestoreDocumentVersionPayload = builder.prismaObject('DocumentVersion', {
  select: keyColumns,
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

builder.mutationField('restoreDocumentVersion', (t) =>
  t.field({
    type: RestoreDocumentVersionPayload,
    description:
      'Restores an earlier version of a document by adding a new version with its title and content, unless the document ' +
      'already equals it. Subscribes the people whom that version mentions; nobody is notified. Requires edit access. ' +
      'Errors: BAD_USER_INPUT, NOT_FOUND, FORBIDDEN, VERSION_CONFLICT.',
    extensions: {
      ...changes<typeof RestoreDocumentVersionInput.$inferInput>('document', ({ documentId }) => documentId),
      errors: ['VERSION_CONFLICT'],
    },
    args: {
      input: t.arg({
        type: RestoreDocumentVersionInput,
        required: true,
        description: 'The document, and the version to restore.',
      }),
    },
    resolve: async (_root, { input }, context, info) => {
      const { versionId, activityId } = await restoreDocumentVersion(context, input);
      const where = keyOf(context.actor, versionId);
      // Only now, because a failure needs no plan.
      const query = plannedQuery(context, info, { select: keyColumns });
      const version = await context.db.documentVersion.findUniqueOrThrow({ ...query, where });
      return { ...version, activityId };
    },
  }),
);
