import type { GraphQLError } from 'graphql';
import type { Principal } from '../limits/index.js';
import { rawSql, sql, type Transaction } from '../postgres/index.js';
import type { EventSource, Place, WantedEvents } from './source.js';

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
  db: Transaction,
  source: EventSource,
  companyId: string,
  streams: readonly EventStream[],
): Promise<StreamReading[]> {
  const { events, tenants, kind, mostLooked } = source;
  const tokens = streams.map(({ actor }) => actor.tokenId);
  const people = streams.map(({ actor }) => actor.personId);
  const positions = streams.map(({ through }) => through);
  const actions = streams.map(({ events }) => events.actions?.join() ?? null);
  const exceptOrigins = streams.map(({ events }) => events.exceptOrigins?.join() ?? '');
  // OFFSET: looked up for each stream, whatever PostgreSQL knows of the size of the company.
  const next = sql`
    SELECT a.* FROM ${events} a WHERE a.company_id = ${companyId} AND a.sequence > s.after
    ORDER BY a.sequence LIMIT ${rawSql(String(mostLooked))}`;
  const rows = await db.$queryRaw<Row[]>(sql`
    SELECT t.id IS NOT NULL AS "isValid", e.sequence, e.id, p.sequence AS "passedSequence", p.id AS "passedId",
      c.last_sequence AS "lastSequence"
    FROM ${tenants} c
    CROSS JOIN unnest(${tokens}::text[], ${people}::text[], ${positions}::bigint[], ${actions}::text[],
        ${exceptOrigins}::text[])
      WITH ORDINALITY AS s(token_id, person_id, after, actions, except_origins, number)
    LEFT JOIN LATERAL (
      ${source.validToken(companyId, sql`s.token_id`)} OFFSET 0
    ) t ON TRUE
    LEFT JOIN LATERAL (
      SELECT a.sequence, a.id FROM (${next}) a
      WHERE (s.actions IS NULL OR ${kind}::text = ANY (string_to_array(s.actions, ',')))
        AND ${source.origin}::text <> ALL (string_to_array(s.except_origins, ','))
        AND ${source.isVisible(companyId, sql`s.person_id`)}
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

/** Where a stream begins. Throws BAD_USER_INPUT if the company has no such place. */
export async function readStart(
  db: Transaction,
  source: EventSource,
  companyId: string,
  { after: cursor, field }: WantedStart,
): Promise<Start> {
  if (cursor === null) return readNow(db, source, companyId);
  return { sequence: await source.readCursor(db, companyId, { cursor, field }), cursor };
}

/** Behind the last event. */
async function readNow(db: Transaction, source: EventSource, companyId: string): Promise<Start> {
  const last = sql`SELECT last_sequence FROM ${source.tenants} WHERE id = ${companyId}`;
  const [row] = await db.$queryRaw<{ sequence: bigint; id: string }[]>(sql`
    SELECT a.sequence, a.id FROM ${source.events} a
    WHERE a.company_id = ${companyId} AND a.sequence <= (${last}) ORDER BY a.sequence DESC LIMIT 1`);
  const sequence = Number(row?.sequence ?? 0);
  return { sequence, cursor: source.cursorOf({ sequence, id: row?.id ?? '' }) };
}

/** What a stream yields: an event, or only how far it has come, or why it may not go on. */
type StreamItem = { cursor: string; event?: { id: string } } | { failure: GraphQLError };

interface EventStreamOptions {
  actor: Principal;
  /** Which events it wants. */
  events: WantedEvents;
  /** The time in milliseconds, from any moment. */
  now: () => number;
  cursorOf: (place: Place) => string;
  /** Called when the next item is asked for. */
  onWaiting: (stream: EventStream) => void;
  onEnd: (stream: EventStream) => void;
}

/** Up to an hour: those that began together do not all come back together. */
const lifetime = () => (54 + 6 * Math.random()) * 60_000;

const end = { value: undefined, done: true } as const;

/** The events that one client gets. It holds none: each is read when the client has taken the one before. */
export class EventStream implements AsyncIterableIterator<StreamItem> {
  readonly actor: Principal;
  readonly events: WantedEvents;
  /** When its client has to come back. */
  readonly expiresAt: number;
  /** When it yielded its last item. */
  yieldedAt: number;
  /** What its client sends to come back. */
  #cursor = '';
  /** The sequence up to which there is nothing more for it. Beyond its cursor if what followed was purged. */
  through = 0;
  /** Whether nothing was read for it yet. */
  isNew = true;
  #resolve: ((result: IteratorResult<StreamItem>) => void) | undefined;
  #hasBegun = false;
  hasEnded = false;

  constructor(private readonly options: EventStreamOptions) {
    this.actor = options.actor;
    this.events = options.events;
    this.yieldedAt = options.now();
    this.expiresAt = this.yieldedAt + lifetime();
  }

  /** Whether the next item is asked for. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  /** It comes as far as this, without an event. */
  pass(through: number, cursor = this.#cursor): void {
    this.#cursor = cursor;
    this.through = through;
  }

  next(): Promise<IteratorResult<StreamItem>> {
    if (this.hasEnded) return Promise.resolve(end);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      // The first item says at once that it listens.
      if (!this.#hasBegun) this.yieldPosition();
      else this.options.onWaiting(this);
    });
  }

  /** The client is gone. */
  async return(): Promise<IteratorResult<StreamItem>> {
    this.end();
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  yieldEvent(place: Place): void {
    this.pass(place.sequence, this.options.cursorOf(place));
    this.#yield({ cursor: this.#cursor, event: { id: place.id } });
  }

  yieldPosition(): void {
    this.#yield({ cursor: this.#cursor });
  }

  refuse(failure: GraphQLError): void {
    this.#yield({ failure });
    this.end();
  }

  /** The client should come back. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.options.onEnd(this);
    this.#resolve?.(end);
    this.#resolve = undefined;
  }

  #yield(item: StreamItem): void {
    this.#hasBegun = true;
    this.yieldedAt = this.options.now();
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.({ value: item, done: false });
  }
}
