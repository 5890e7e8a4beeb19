import type { Sql, Transaction } from '../postgres/index.js';

/** A place among the events of a tenant. */
export interface Place {
  sequence: number;
  id: string;
}

/** An event as it is sent. */
export interface OutboxEvent {
  sequence: number;
  body: { readonly id: string; readonly type: string };
  /** Whether nobody outside hears of it, as of a draft. */
  isHidden: boolean;
  /** Why its body is not whole; undefined if it is. */
  problem?: string;
}

/** Which events a reader wants. */
export interface WantedEvents {
  /** Those of all kinds if null or undefined. */
  actions?: readonly string[] | null | undefined;
  /** Those of none of these origins. */
  exceptOrigins?: readonly string[] | null | undefined;
}

/** A row as the driver returns it. */
export type SourceRow = Record<string, unknown>;

/** What an event is read from: columns, with the joins that they need. */
interface Selected {
  columns: Sql;
  joins: Sql;
}

/**
 * What the product says of its events, so that the outbox names none of its tables. Expressions are over a row `a` of the
 * table of events.
 */
export interface EventSource {
  /** The table of events. Its columns: company_id, id, sequence (null until it is numbered), recorded_at. */
  readonly events: Sql;
  /** The table of tenants. Its columns: id, and last_sequence, the sequence of the last event. */
  readonly tenants: Sql;
  /** A table with a column company_id that names every tenant, and that every node of a distributed database has. */
  readonly tenantIds: Sql;
  /** What kind of event it is, of a type that can be cast to text: webhooks and streams choose by it. */
  readonly kind: Sql;
  /** Who wrote it, of the type of the elements of `webhooks.except_origins`: receivers leave origins out. */
  readonly origin: Sql;
  select(companyId: string): Selected;
  /** Never throws: what cannot be made has a problem. */
  eventOf(companyId: string, row: SourceRow): OutboxEvent;
  /** Whether the person may see the event. */
  isVisible(companyId: string, personId: Sql): Sql;
  /** A query that returns a row if the token is valid, and its person may use it. */
  validToken(companyId: string, tokenId: Sql): Sql;
  /** The most events that a read looks at for one that the person may see. */
  readonly mostLooked: number;
  /** The cursor of an event; of the beginning for the sequence 0. */
  cursorOf(place: Place): string;
  /** The sequence of a cursor that a request has in this field. Throws BAD_USER_INPUT if it is none of this tenant. */
  readCursor(db: Transaction, companyId: string, from: { cursor: string; field: string }): Promise<number>;
}
