import { Prisma } from '../database/generated/client/client.js';
import type { ActivityAction } from '../database/generated/client/enums.js';
import type { EventSubject } from './eventTypes.js';

export interface Event {
  id: string;
  companyId: string;
  action: ActivityAction;
  sequence: number;
  insertedAt: Date;
  authorId: string;
  subject: EventSubject;
}

/** What {@link eventColumns} loads. */
export type EventRow = Omit<Event, 'companyId' | 'sequence' | 'subject'> & { sequence: bigint; isDraft: boolean } & {
  [Field in keyof Required<EventSubject>]: EventSubject[Field] | null;
};

/** What an event is read from, for activities `a` of one company. */
export const eventColumns = ({ companyId }: { companyId: string }) => ({
  columns: Prisma.sql`a.id, a.action::text AS action, a.sequence, a.inserted_at AS "insertedAt",
    a.author_id AS "authorId", a.goal_id, a.file_id, a.document_id,
    coalesce(f.resource_hub_id, d.resource_hub_id) AS resource_hub_id, a.document_version_id AS version_id,
    v.version_number, v.restored_from_version_number, coalesce(d.state = 'draft', false) AS "isDraft"`,
  // OFFSET: looked up for each, whatever PostgreSQL knows of the size of the company.
  joins: Prisma.sql`
    LEFT JOIN LATERAL (
      SELECT resource_hub_id FROM resource_hub_files WHERE company_id = ${companyId} AND id = a.file_id OFFSET 0
    ) f ON TRUE
    LEFT JOIN LATERAL (
      SELECT resource_hub_id, state FROM resource_hub_documents
      WHERE company_id = ${companyId} AND id = a.document_id OFFSET 0
    ) d ON TRUE
    LEFT JOIN LATERAL (
      SELECT version_number, restored_from_version_number FROM document_versions
      WHERE company_id = ${companyId} AND id = a.document_version_id OFFSET 0
    ) v ON TRUE`,
});

export function eventOf(companyId: string, row: EventRow): Event {
  const { id, action, sequence, insertedAt, authorId, isDraft: _, ...columns } = row;
  const present = Object.entries(columns).filter(([, value]) => value !== null);
  const subject: EventSubject = Object.fromEntries(present);
  return { id, companyId, action, sequence: Number(sequence), insertedAt, authorId, subject };
}
