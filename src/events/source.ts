import { Prisma } from '../generated/client/client.js';
import { readCursor } from '../lists/engine.js';
import { badInput } from '../platform/failures/index.js';
import type { EventSource } from '../platform/outbox/index.js';
import { type Event, eventBody, eventCursor, eventKind, requireKnown } from './event.js';
import { isVisible, mostLooked } from './feed.js';

/** What the columns of {@link eventSource} load. */
type EventRow = Omit<Event, 'companyId' | 'sequence' | 'subject'> &
  Required<Event['subject']> & { sequence: bigint; isHidden: boolean };

/** Without a cursor a stream begins with the next event, so what was missed is to be read elsewhere. */
const remedy =
  'Read the query events from the beginning, skip what you have processed, and open the stream with its last endCursor';

const noCursor = 'is not a cursor of events: send the last id of a stream, or an endCursor of the query events';

/** Activities as the events of the outbox. */
export const eventSource: EventSource = {
  events: Prisma.sql`activities`,
  tenants: Prisma.sql`companies`,
  tenantIds: Prisma.sql`token_companies`,
  record: Prisma.sql`record_of(a.goal_id, a.file_id, a.document_id)`,
  kind: Prisma.sql`a.action`,
  origin: Prisma.sql`a.origin`,
  select: (companyId) => ({
    columns: Prisma.sql`a.id, a.action::text AS action, a.origin::text AS origin, a.sequence, a.inserted_at AS "insertedAt",
      a.author_id AS "authorId", a.goal_id, a.file_id, a.document_id,
      coalesce(f.resource_hub_id, d.resource_hub_id) AS resource_hub_id, a.document_version_id AS version_id,
      v.version_number, v.restored_from_version_number,
      (d.state = 'draft') IS TRUE
        OR coalesce(g.removed_at, f.removed_at, d.removed_at, h.removed_at) IS NOT NULL AS "isHidden"`,
    // OFFSET: looked up for each, whatever PostgreSQL knows of the size of the company.
    joins: Prisma.sql`
      LEFT JOIN LATERAL (
        SELECT resource_hub_id, removed_at FROM resource_hub_files WHERE company_id = ${companyId} AND id = a.file_id OFFSET 0
      ) f ON TRUE
      LEFT JOIN LATERAL (
        SELECT resource_hub_id, state, removed_at FROM resource_hub_documents
        WHERE company_id = ${companyId} AND id = a.document_id OFFSET 0
      ) d ON TRUE
      LEFT JOIN LATERAL (
        SELECT removed_at FROM goals WHERE company_id = ${companyId} AND id = a.goal_id OFFSET 0
      ) g ON TRUE
      LEFT JOIN LATERAL (
        SELECT removed_at FROM resource_hubs
        WHERE company_id = ${companyId} AND id = coalesce(f.resource_hub_id, d.resource_hub_id) OFFSET 0
      ) h ON TRUE
      LEFT JOIN LATERAL (
        SELECT version_number, restored_from_version_number FROM document_versions
        WHERE company_id = ${companyId} AND id = a.document_version_id OFFSET 0
      ) v ON TRUE`,
  }),
  eventOf: (companyId, row) => {
    const event = row as unknown as EventRow;
    const body = eventBody({ ...event, companyId, sequence: Number(event.sequence), subject: event });
    return { sequence: body.sequence, body, isHidden: event.isHidden };
  },
  isVisible,
  validToken: (companyId, tokenId) => Prisma.sql`
    SELECT t.id FROM api_tokens t JOIN people p ON p.company_id = ${companyId} AND p.id = t.person_id
    WHERE t.company_id = ${companyId} AND t.id = ${tokenId}
      AND t.revoked_at IS NULL AND p.suspended_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
  mostLooked,
  cursorOf: ({ sequence, id }) => eventCursor(sequence, id),
  readCursor: async (db, companyId, { cursor, field }) => {
    const after = readCursor(eventKind, cursor);
    if (!after) throw badInput([{ field, code: 'invalid', message: noCursor }]);
    await requireKnown(db, { companyId, after, field, remedy });
    return Number(after.key);
  },
};
