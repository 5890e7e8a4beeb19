import { eventBody } from '../../events/eventBody.js';
import { builder } from '../builder.js';
import { Event } from '../types/Event.js';

const inHub = { select: { resourceHubId: true } } as const;

builder.prismaObjectField(Event, 'body', (t) =>
  t.string({
    description:
      'The event as webhooks send it: JSON with `id`, `type`, `timestamp`, `sequence`, `company_id` and `data`.',
    select: {
      companyId: true,
      action: true,
      sequence: true,
      insertedAt: true,
      authorId: true,
      goalId: true,
      fileId: true,
      documentId: true,
      documentVersionId: true,
      file: inHub,
      document: inHub,
      documentVersion: { select: { versionNumber: true, restoredFromVersionNumber: true } },
    },
    resolve: ({ goalId, fileId, documentId, documentVersionId, file, document, documentVersion, ...event }) => {
      const ids = { goal_id: goalId, file_id: fileId, document_id: documentId, version_id: documentVersionId };
      const hub = { resource_hub_id: (file ?? document)?.resourceHubId };
      const numbers = {
        version_number: documentVersion?.versionNumber,
        restored_from_version_number: documentVersion?.restoredFromVersionNumber,
      };
      const known = Object.entries({ ...ids, ...hub, ...numbers }).filter(([, value]) => value != null);
      const subject = Object.fromEntries(known);
      return JSON.stringify(eventBody({ ...event, sequence: Number(event.sequence), subject }));
    },
  }),
);
