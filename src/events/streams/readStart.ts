import type { Transaction } from '../../database/query/client.js';
import { badInput } from '../../errors/failures.js';
import { readCursor } from '../../lists/engine/slice.js';
import { eventCursor, eventKind, requireKnown } from '../eventCursor.js';

export interface WantedStart {
  /** The cursor behind which to begin; now if null. */
  after: string | null;
  /** Where the request has it, for its failure. */
  field: string;
}

interface Start {
  sequence: number;
  cursor: string;
}

/** Without a cursor a stream begins with the next event, so what was missed is to be read elsewhere. */
const remedy =
  'Read the query events from the beginning, skip what you have processed, and open the stream with its last endCursor';

/** Where a stream begins. Throws BAD_USER_INPUT if the company has no such place. */
export async function readStart(
  db: Transaction,
  companyId: string,
  { after: cursor, field }: WantedStart,
): Promise<Start> {
  if (cursor === null) return readNow(db, companyId);
  const after = readCursor(eventKind, cursor);
  if (!after)
    throw badInput([
      {
        field,
        code: 'invalid',
        message: 'is not a cursor of events: send the last id of a stream, or an endCursor of the query events',
      },
    ]);
  await requireKnown(db, { companyId, after, field, remedy });
  return { sequence: Number(after.key), cursor };
}

/** Behind the last event. */
async function readNow(db: Transaction, companyId: string): Promise<Start> {
  const [row] = await db.$queryRaw<{ sequence: bigint; id: string }[]>`
    SELECT a.sequence, a.id FROM activities a
    WHERE a.company_id = ${companyId} AND a.sequence <= (SELECT last_sequence FROM companies WHERE id = ${companyId})
    ORDER BY a.sequence DESC LIMIT 1`;
  const sequence = Number(row?.sequence ?? 0);
  return { sequence, cursor: eventCursor(sequence, row?.id ?? '') };
}
