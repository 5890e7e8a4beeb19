import { createHash } from 'node:crypto';
import type { ActivityAction, EventOrigin } from '../generated/client/enums.js';
import { type CursorKind, cursorOf, type Position } from '../lists/engine.js';
import { activityActions } from '../operations/index.js';
import { badInput } from '../platform/failures/index.js';
import type { Transaction } from '../platform/postgres/index.js';
import { type EventSubject, fieldsOfSubject, type SubjectField, subjectOf } from '../rules/activityActions.js';

/** The type of an event: its action with the last `_` as a dot, such as `goal.reopened`. */
export const eventTypeOf = (action: ActivityAction): string => action.replace(/_(?=[^_]*$)/, '.');

/** The members of `data`, besides `author_id`, in the events of an action. */
export const eventFields = (action: ActivityAction): readonly SubjectField[] => [
  ...fieldsOfSubject[subjectOf(action)],
  ...(activityActions[action].moreFields ?? []),
];

export interface Event {
  id: string;
  companyId: string;
  action: ActivityAction;
  /** Who wrote it. */
  origin: EventOrigin;
  sequence: number;
  insertedAt: Date;
  authorId: string;
  /** What is null is not said. */
  subject: { [Field in SubjectField]?: EventSubject[Field] | null };
}

const markLength = 12;

/** A cursor may be of an event that the caller cannot see, so it has a mark in place of its id. */
const markOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, markLength);

const mark = new RegExp(`^[\\w-]{${markLength}}$`);

export const eventKind: CursorKind = { name: 'events', key: 'bigint', markOf, mark };

export const eventCursor = (sequence: number, id: string) => cursorOf(eventKind, { rank: 0, key: sequence, id });

/**
 * Whether the company has the event of a cursor. It has not if the cursor is beyond its last event, or the event is another
 * by now: then the database was set back, and what came after the cursor is not what its reader has missed. A purged event
 * is no such sign.
 */
export async function isKnownEvent(
  db: Pick<Transaction, '$queryRaw'>,
  companyId: string,
  { key, id: mark }: Position,
): Promise<boolean> {
  const [row] = await db.$queryRaw<{ last: bigint; id: string | null }[]>`
    SELECT c.last_sequence AS last,
      (SELECT a.id FROM activities a WHERE a.company_id = ${companyId} AND a.sequence = ${key}::bigint) AS id
    FROM companies c WHERE c.id = ${companyId}`;
  const { last = 0n, id = null } = row ?? {};
  return Number(key) <= last && (id === null || markOf(id) === mark);
}

/** Throws 400 if the company does not have the event of a cursor. */
export async function requireKnown(
  db: Transaction,
  { companyId, after, field, remedy }: { companyId: string; after: Position; field: string; remedy: string },
): Promise<void> {
  if (!(await isKnownEvent(db, companyId, after)))
    throw badInput([{ field, code: 'invalid', message: `${unknown}. ${remedy}` }]);
}

const unknown = 'is not a cursor of an event that this company has: the database was set back to an earlier moment';

/** An event as others get it. Below 2 kB: ids and what never changes, no names, texts or addresses. */
export interface EventBody {
  id: string;
  type: string;
  timestamp: string;
  sequence: number;
  company_id: string;
  origin: EventOrigin;
  data: { author_id: string } & EventSubject;
}

export function eventBody({
  id,
  action,
  origin,
  insertedAt,
  sequence,
  companyId,
  authorId,
  subject,
}: Event): EventBody {
  const members = eventFields(action).map((field) => [field, subject[field] ?? undefined]);
  return {
    id,
    type: eventTypeOf(action),
    timestamp: insertedAt.toISOString(),
    sequence,
    company_id: companyId,
    origin,
    data: { author_id: authorId, ...Object.fromEntries(members) },
  };
}
