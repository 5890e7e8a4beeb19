import {
  type CursorKind,
  cursorAgain,
  cursorOf,
  type Page,
  type Position,
  readCursor,
  type Slice,
} from '../lists/engine.js';
import { badInput } from '../platform/failures/index.js';
import type { EventSource, WantedEvents } from '../platform/outbox/index.js';
import { emptySql, rawSql, type Sql, sql, type Transaction, textList } from '../platform/postgres/index.js';
import { type Actor, isValidToken, level } from '../policies/access.js';
import { type Event, eventBody, eventCursor, eventKind, eventTypeOf, isKnownAction, requireKnown } from './event.js';

/** Whether a person may see the event of an activity `a`: `canViewNameOfSubject` in SQL, for one event at a time. */
function isVisible(companyId: string, person: Sql): Sql {
  const onHub = (hub: Sql) => sql`(
    SELECT v.level FROM resource_hub_access v
    WHERE v.company_id = ${companyId} AND v.person_id = ${person} AND v.resource_hub_id = (${hub}))`;
  return sql`CASE
    WHEN a.goal_id IS NOT NULL THEN (
      SELECT v.level FROM goal_access v
      WHERE v.company_id = ${companyId} AND v.person_id = ${person} AND v.goal_id = a.goal_id)
    WHEN a.file_id IS NOT NULL THEN ${onHub(sql`
      SELECT f.resource_hub_id FROM resource_hub_files f WHERE f.company_id = ${companyId} AND f.id = a.file_id
        AND f.removed_at IS NULL`)}
    ELSE ${onHub(sql`
      SELECT d.resource_hub_id FROM resource_hub_documents d
      WHERE d.company_id = ${companyId} AND d.id = a.document_id AND d.removed_at IS NULL
        AND (d.state = 'published' OR d.author_id = ${person})`)}
    END >= ${rawSql(String(level.view))}`;
}

/** The most events that a page looks at, seen or not. */
const mostLooked = 1_000;

/** Beyond every sequence. */
const last = Number.MAX_SAFE_INTEGER;

type Direction = 'asc' | 'desc';

interface Row {
  id: string;
  sequence: bigint;
  inserted_at: Date;
  /** For the last event that was looked at: how many were. Null for an event of the page. */
  looked: number | null;
}

interface Order {
  kind: CursorKind;
  columns: readonly string[];
  direction: Direction;
  beyond: (after: Position | null) => Sql;
  positionOf: (row: Row) => Position;
}

const byNumber = (direction: Direction): Order => ({
  kind: eventKind,
  columns: ['sequence'],
  direction,
  beyond: (after) =>
    direction === 'asc' ? sql`sequence > ${after?.key ?? 0}::bigint` : sql`sequence < ${after?.key ?? last}::bigint`,
  positionOf: ({ id, sequence }) => ({ rank: 0, key: Number(sequence), id }),
});

/** In a cursor, the number of an activity stands for its id: the caller may not see it. */
export const activityKind: CursorKind = {
  name: 'activities',
  key: 'timestamptz',
  markOf: (position) => position.replace(/ .*/, ''),
  mark: /^[1-9]\d{0,15}$/,
};

/** The id in a position of {@link activityFeed}. */
export const activityIdIn = ({ id }: Position) => id.replace(/^\d+ /, '');

const byTime: Order = {
  kind: activityKind,
  columns: ['inserted_at', 'sequence'],
  direction: 'desc',
  beyond: (after) =>
    after
      ? sql`sequence IS NOT NULL AND (inserted_at, sequence) < (${after.key}::timestamptz, ${after.id}::text::bigint)`
      : sql`sequence IS NOT NULL`,
  positionOf: ({ id, sequence, inserted_at: at }) => ({ rank: 0, key: at.toISOString(), id: `${sequence} ${id}` }),
};

/** The events of the company that the caller may see, oldest or newest first: all, or those that are wanted. */
export const eventFeed = (actor: Actor, events: WantedEvents, direction: Direction = 'asc') => ({
  ...eventKind,
  readPage: async (db: Transaction, slice: Slice): Promise<Page> => {
    const { companyId } = actor;
    const { after } = slice;
    if (after)
      await requireKnown(db, {
        companyId,
        after,
        field: 'after',
        remedy: 'Omit it to read the events from the beginning',
      });
    return readPage({ db, actor, events, order: byNumber(direction) }, slice);
  },
});

/** The activities that the caller may see, newest first by their time: all, or those since then. */
export const activityFeed = (actor: Actor, since: Date | null | undefined) => {
  const beyond: Order['beyond'] = (after) =>
    sql`${byTime.beyond(after)} ${since ? sql`AND inserted_at >= ${since}` : emptySql}`;
  return {
    ...activityKind,
    readPage: (db: Transaction, slice: Slice) =>
      readPage({ db, actor, events: {}, order: { ...byTime, beyond } }, slice),
  };
};

interface Reading {
  db: Transaction;
  actor: Actor;
  events: WantedEvents;
  order: Order;
}

/** Looks for one more than the page has. */
async function readPage(
  { db, actor, events: { actions, exceptOrigins }, order: { kind, columns, direction, beyond, positionOf } }: Reading,
  { size, after }: Slice,
): Promise<Page> {
  const { companyId, personId } = actor;
  const inOrder = (by: Direction) => rawSql(columns.map((column) => `${column} ${by}`).join(', '));
  const looked = (more: Sql) => sql`
    SELECT id, sequence, inserted_at ${more} FROM activities
    WHERE company_id = ${companyId} AND ${beyond(after)}
    ORDER BY ${inOrder(direction)} LIMIT ${rawSql(String(mostLooked))}`;
  const wanted = actions ? sql`a.action::text = ANY(${textList([...new Set(actions)])}) AND` : emptySql;
  const isHeard = exceptOrigins?.length
    ? sql`a.origin::text <> ALL(${textList([...new Set(exceptOrigins)])}) AND`
    : emptySql;
  // After the page, unless that is full, the last event that was looked at.
  const rows = await db.$queryRaw<Row[]>(sql`
    WITH shown AS MATERIALIZED (
      SELECT a.id, a.sequence, a.inserted_at
      FROM (${looked(sql`, action, origin, goal_id, file_id, document_id`)}) a
      WHERE ${wanted} ${isHeard} ${isVisible(companyId, sql`${personId}`)}
      ORDER BY ${inOrder(direction)} LIMIT ${size + 1}::integer
    )
    SELECT id, sequence, inserted_at, NULL::integer AS looked FROM shown
    UNION ALL
    SELECT id, sequence, inserted_at, looked FROM (
      SELECT id, sequence, inserted_at, count(*) OVER ()::integer AS looked FROM (${looked(emptySql)}) a
      ORDER BY ${inOrder(direction === 'asc' ? 'desc' : 'asc')} LIMIT 1
    ) last WHERE (SELECT count(*) FROM shown) <= ${size}::integer
    ORDER BY looked NULLS FIRST, ${inOrder(direction)}`);
  const shown = rows.filter((row) => row.looked === null).map(positionOf);
  const positions = shown.slice(0, size);
  const end = rows.find((row) => row.looked !== null);
  const endPosition = end ? positionOf(end) : positions.at(-1);
  return {
    positions,
    hasNextPage: shown.length > size || end?.looked === mostLooked,
    hasPreviousPage: after !== null,
    // The end of an empty page is where it began, so that whoever comes back goes on from there.
    endCursor: endPosition ? cursorOf(kind, endPosition) : after && cursorAgain(kind, after),
  };
}

/** What the columns of {@link eventSource} load. */
type EventRow = Omit<Event, 'companyId' | 'sequence' | 'subject'> &
  Required<Event['subject']> & { sequence: bigint; isHidden: boolean };

/** Without a cursor a stream begins with the next event, so what was missed is to be read elsewhere. */
const remedy =
  'Read the query events from the beginning, skip what you have processed, and open the stream with its last endCursor';

const noCursor = 'is not a cursor of events: send the last id of a stream, or an endCursor of the query events';

/** The record that an event `a` is about: webhooks get the events of one record in their order. */
export const recordOfEvent = sql`record_of(a.goal_id, a.file_id, a.document_id)`;

/** Activities as the events of the outbox. */
export const eventSource: EventSource = {
  events: sql`activities`,
  tenants: sql`companies`,
  tenantIds: sql`token_companies`,
  kind: sql`a.action`,
  origin: sql`a.origin`,
  select: (companyId) => ({
    columns: sql`a.id, a.action::text AS action, a.origin::text AS origin, a.sequence, a.inserted_at AS "insertedAt",
      a.author_id AS "authorId", a.goal_id, a.file_id, a.document_id,
      coalesce(f.resource_hub_id, d.resource_hub_id) AS resource_hub_id, a.document_version_id AS version_id,
      v.version_number, v.restored_from_version_number,
      (d.state = 'draft') IS TRUE
        OR coalesce(g.removed_at, f.removed_at, d.removed_at, h.removed_at) IS NOT NULL AS "isHidden"`,
    // OFFSET: looked up for each, whatever PostgreSQL knows of the size of the company.
    joins: sql`
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
    const { id, action, isHidden } = event;
    const sequence = Number(event.sequence);
    try {
      const problem = isKnownAction(action) ? {} : { problem: `a newer version wrote the action ${action}` };
      return { sequence, body: eventBody({ ...event, companyId, sequence, subject: event }), isHidden, ...problem };
    } catch (error) {
      return { sequence, body: { id, type: eventTypeOf(action) }, isHidden, problem: String(error) };
    }
  },
  isVisible,
  validToken: (companyId, tokenId) => sql`
    SELECT t.id FROM api_tokens t JOIN people p ON p.company_id = ${companyId} AND p.id = t.person_id
    WHERE t.company_id = ${companyId} AND t.id = ${tokenId}
      AND ${isValidToken}`,
  mostLooked,
  cursorOf: ({ sequence, id }) => eventCursor(sequence, id),
  readCursor: async (db, companyId, { cursor, field }) => {
    const after = readCursor(eventKind, cursor);
    if (!after) throw badInput([{ field, code: 'invalid', message: noCursor }]);
    await requireKnown(db, { companyId, after, field, remedy });
    return Number(after.key);
  },
};
