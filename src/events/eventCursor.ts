import { createHash } from 'node:crypto';
import type { Transaction } from '../database/query/client.js';
import { badInput } from '../errors/failures.js';
import type { CursorKind, Position } from '../lists/engine/list.js';
import { cursorOf } from '../lists/engine/slice.js';

const markLength = 12;

/** A cursor may be of an event that the caller cannot see, so it has a mark in place of its id. */
const markOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, markLength);

export const eventKind: CursorKind = { name: 'events', key: 'bigint', markOf };

/** The cursor that was read as this position. */
export const cursorAgain = (position: Position) => cursorOf({ ...eventKind, markOf: String }, position);

export const eventCursor = (sequence: number, id: string) => cursorOf(eventKind, { rank: 0, key: sequence, id });

/**
 * Throws 400 if the cursor is beyond the company's last event, or its event is another by now: then the database was set
 * back, and what came after the cursor is not what its reader has missed. A purged event is no such sign.
 */
export async function requireKnown(
  db: Transaction,
  { companyId, after, field, remedy }: { companyId: string; after: Position; field: string; remedy: string },
): Promise<void> {
  const [row] = await db.$queryRaw<{ last: bigint; id: string | null }[]>`
    SELECT c.last_sequence AS last,
      (SELECT a.id FROM activities a WHERE a.company_id = ${companyId} AND a.sequence = ${after.key}::bigint) AS id
    FROM companies c WHERE c.id = ${companyId}`;
  const { last = 0n, id = null } = row ?? {};
  if (Number(after.key) <= last && (id === null || markOf(id) === after.id)) return;
  throw badInput([{ field, code: 'invalid', message: `${unknown}. ${remedy}` }]);
}

const unknown = 'is not a cursor of an event that this company has: the database was set back to an earlier moment';
