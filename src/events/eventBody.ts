import type { Event } from './event.js';
import { type EventSubject, eventFields, eventTypeOf } from './eventTypes.js';

/** An event as others get it. Below 2 kB: ids and what never changes, no names, texts or addresses. */
export interface EventBody {
  id: string;
  type: string;
  timestamp: string;
  sequence: number;
  company_id: string;
  data: { author_id: string } & EventSubject;
}

export function eventBody({ id, action, insertedAt, sequence, companyId, authorId, subject }: Event): EventBody {
  const members = eventFields[action].map((field) => [field, subject[field]]);
  return {
    id,
    type: eventTypeOf(action),
    timestamp: insertedAt.toISOString(),
    sequence,
    company_id: companyId,
    data: { author_id: authorId, ...Object.fromEntries(members) },
  };
}
