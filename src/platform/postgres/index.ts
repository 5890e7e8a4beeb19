/** Opens a client with its own connection pool. `$disconnect()` closes both. */

export type { Database, DatabaseOptions, Transaction } from './client.js';
export { openClient, warmUp } from './client.js';
export type { RequestObserver, RequestScope } from './deadline.js';
/** A database problem that the operator can solve. The message says how, and is shown without a stack. */
/**
 * Companies for which the database did not respond in time, as when the node that has their rows is lost. If all their
 * requests waited, they would hold the connections that others need.
 */
/**
 * Whether the statement or transaction lost to another one, or to a migration that changed what a prepared statement
 * returns. It wrote nothing, and may succeed if it is repeated.
 */
/** Whether the database took too long to execute a statement, which says nothing of the wait for a free connection. */
/** Whether the database cannot be reached, refuses to work, or did not respond in time. */
/** For a request whose waits for the database may take that many milliseconds in all. */
/** Sends a statement, which the request's observer is told about. */
/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout. Waits at the same
 * time count once. What belongs to no request waits as long as it takes. `onLate` gets what comes after the deadline.
 */
/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export {
  DatabaseError,
  isConflict,
  isTimeout,
  isUnavailable,
  newScope,
  report,
  StalledCompanies,
  wait,
  withShareOfDeadline,
} from './deadline.js';
export type { DatabaseTimeouts } from './pool.js';
/** What the start-up message of a connection says of the limits that the server keeps. */
/** Opens a pool of connections. It connects when it is used. */
export { limitsOf, openPool } from './pool.js';
export type { ConnectionUse, RowInSql } from './reader/reader.js';
/** Reads a `select` or `include` once for many calls. Throws Unsupported at anything it does not know for sure. */
export { keptSelection } from './reader/shape.js';
/** A UUIDv7 like the ids that the database generates. Ids sort in the order in which they were made. */
/** The ids of all rows of a SELECT: a new one that ends in the number of the row. */
/**
 * A list of texts in SQL, of whose length PostgreSQL learns only when it executes the statement. If it knew that when it
 * plans, it would plan a prepared statement for each execution, which takes longer than to execute most of them: a plan
 * for few values seems cheaper than one for the ten that it assumes.
 */
export { newId, newIds, textList } from './values.js';
