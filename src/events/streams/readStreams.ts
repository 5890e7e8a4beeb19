import { Prisma } from '../../database/generated/client/client.js';
import type { Database } from '../../database/query/client.js';
import { mostLooked } from '../feed.js';
import { isVisible } from '../visibleEvents.js';
import type { EventStream } from './eventStream.js';

/** A place among the events of a company. */
export interface Place {
  sequence: number;
  id: string;
}

/** What a stream gets. */
export interface StreamReading {
  /** Whether its token is valid and its person not suspended. */
  isValid: boolean;
  /** The next event that its person may see; undefined if there is none among those looked at. */
  event: Place | undefined;
  /** The last event looked at, if there is nothing to see; undefined if there was none to look at. */
  passed: Place | undefined;
  /** The sequence of the company's last event. */
  lastSequence: number;
}

interface Row {
  isValid: boolean;
  sequence: bigint | null;
  id: string | null;
  passedSequence: bigint | null;
  passedId: string | null;
  lastSequence: bigint;
}

/** Reads for each of the streams of a company, in one statement, whether it may go on, and its next event. */
export async function readStreams(
  db: Pick<Database, '$queryRaw'>,
  companyId: string,
  streams: readonly EventStream[],
): Promise<StreamReading[]> {
  const tokens = streams.map(({ actor }) => actor.tokenId);
  const people = streams.map(({ actor }) => actor.personId);
  const positions = streams.map(({ through }) => through);
  const actions = streams.map(({ actions: wanted }) => wanted?.join() ?? null);
  // OFFSET: looked up for each stream, whatever PostgreSQL knows of the size of the company.
  const next = Prisma.sql`
    SELECT a.* FROM activities a WHERE a.company_id = ${companyId} AND a.sequence > s.after
    ORDER BY a.sequence LIMIT ${Prisma.raw(String(mostLooked))}`;
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`
    SELECT t.id IS NOT NULL AS "isValid", e.sequence, e.id, p.sequence AS "passedSequence", p.id AS "passedId",
      c.last_sequence AS "lastSequence"
    FROM companies c
    CROSS JOIN unnest(${tokens}::text[], ${people}::text[], ${positions}::bigint[], ${actions}::text[])
      WITH ORDINALITY AS s(token_id, person_id, after, actions, number)
    LEFT JOIN LATERAL (
      SELECT t.id FROM api_tokens t JOIN people p ON p.company_id = ${companyId} AND p.id = t.person_id
      WHERE t.company_id = ${companyId} AND t.id = s.token_id
        AND t.revoked_at IS NULL AND p.suspended_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) OFFSET 0
    ) t ON TRUE
    LEFT JOIN LATERAL (
      SELECT a.sequence, a.id FROM (${next}) a
      WHERE (s.actions IS NULL OR a.action::text = ANY (string_to_array(s.actions, ',')))
        AND ${isVisible(companyId, Prisma.sql`s.person_id`)}
      ORDER BY a.sequence LIMIT 1
    ) e ON TRUE
    LEFT JOIN LATERAL (
      SELECT a.sequence, a.id FROM (${next}) a WHERE e.id IS NULL ORDER BY a.sequence DESC LIMIT 1
    ) p ON TRUE
    WHERE c.id = ${companyId} ORDER BY s.number`);
  return rows.map(({ isValid, sequence, id, passedSequence, passedId, lastSequence }) => ({
    isValid,
    event: placeOf(sequence, id),
    passed: placeOf(passedSequence, passedId),
    lastSequence: Number(lastSequence),
  }));
}

const placeOf = (sequence: bigint | null, id: string | null): Place | undefined =>
  sequence === null || id === null ? undefined : { sequence: Number(sequence), id };
