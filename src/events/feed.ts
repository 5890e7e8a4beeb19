import { Prisma } from '../database/generated/client/client.js';
import type { Transaction } from '../database/query/client.js';
import { textList } from '../database/query/textList.js';
import type { Position } from '../lists/engine/list.js';
import type { Page } from '../lists/engine/page.js';
import { cursorOf, type Slice } from '../lists/engine/slice.js';
import type { Actor } from '../policies/access.js';
import { cursorAgain, eventKind, requireKnown } from './eventCursor.js';
import { isVisible } from './visibleEvents.js';

/** The most events that a page looks at, seen or not. */
export const mostLooked = 1_000;

const remedy = 'Omit it to read the events from the beginning';

interface Row {
  id: string;
  sequence: bigint;
  /** For the last event that was looked at: how many were. Null for an event of the page. */
  looked: number | null;
}

type Actions = readonly string[] | null | undefined;

/** The events of the company that the caller may see, oldest first: all, or those of some actions. */
export const eventFeed = (actor: Actor, actions: Actions) => ({
  ...eventKind,
  readPage: async (db: Transaction, slice: Slice): Promise<Page> => {
    const { companyId } = actor;
    const { after } = slice;
    if (after) await requireKnown(db, { companyId, after, field: 'events.after', remedy });
    return pageOf(await read(db, actor, actions, slice), slice);
  },
});

/** One more than the page; and where the look ended, if that was not because the page is full. */
function read(db: Transaction, { companyId, personId }: Actor, actions: Actions, { size, after }: Slice) {
  const looked = (columns: Prisma.Sql) => Prisma.sql`
    SELECT ${columns} FROM activities
    WHERE company_id = ${companyId} AND sequence > ${after?.key ?? 0}::bigint
    ORDER BY sequence LIMIT ${Prisma.raw(String(mostLooked))}`;
  const wanted = actions ? Prisma.sql`a.action::text = ANY(${textList([...new Set(actions)])}) AND` : Prisma.empty;
  return db.$queryRaw<Row[]>(Prisma.sql`
    WITH shown AS MATERIALIZED (
      SELECT a.id, a.sequence FROM (${looked(Prisma.sql`id, sequence, action, goal_id, file_id, document_id`)}) a
      WHERE ${wanted} ${isVisible(companyId, Prisma.sql`${personId}`)}
      ORDER BY a.sequence LIMIT ${size + 1}::integer
    )
    SELECT id, sequence, NULL::integer AS looked FROM shown
    UNION ALL
    SELECT id, sequence, looked FROM (
      SELECT id, sequence, count(*) OVER ()::integer AS looked FROM (${looked(Prisma.sql`id, sequence`)}) a
      ORDER BY sequence DESC LIMIT 1
    ) last WHERE (SELECT count(*) FROM shown) <= ${size}::integer
    ORDER BY looked NULLS FIRST, sequence`);
}

function pageOf(rows: Row[], { size, after }: Slice): Page {
  const shown = rows.filter(({ looked }) => looked === null).map(positionOf);
  const positions = shown.slice(0, size);
  const last = rows.find(({ looked }) => looked !== null);
  const end = last ? positionOf(last) : positions.at(-1);
  return {
    positions,
    hasNextPage: shown.length > size || last?.looked === mostLooked,
    hasPreviousPage: after !== null,
    // The end of an empty page is where it began, so that whoever comes back goes on from there.
    endCursor: end ? cursorOf(eventKind, end) : after && cursorAgain(after),
  };
}

const positionOf = ({ id, sequence }: Row): Position => ({ rank: 0, key: Number(sequence), id });
