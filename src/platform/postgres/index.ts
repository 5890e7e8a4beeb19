export type { Database, DatabaseOptions, PrismaModels, Transaction } from './client.js';
export {
  /** Opens a client with its own connection pool. */
  openClient,
} from './client.js';
export type { ConnectionUse, Prerequisite } from './connections.js';
export {
  /** The prerequisite of one request: what must hold before anything that it does with the database counts. */
  PendingPrerequisite,
} from './connections.js';
export type { RequestObserver, RequestScope } from './deadline.js';
export {
  /** Companies for which the database did not respond in time, as when the node that has their rows is lost. */
  CircuitBreaker,
  /** Whether the statement or transaction lost to another one, or to a migration that changed what a prepared statement returns. */
  isConflict,
  /** Whether the database took too long to execute a statement, which says nothing of the wait for a free connection. */
  isTimeout,
  /** Whether the database cannot be reached, refuses to work, or did not respond in time. */
  isUnavailable,
  /** For a request whose waits for the database may take that many milliseconds in all. */
  newScope,
  /** Sends a statement within what a request may still wait, and tells its observer. */
  sendInTime,
  /** Runs a part of a request whose waits may take only this share of what the request may still wait. */
  withShareOfDeadline,
} from './deadline.js';
export type { RowInSql } from './engine.js';
export {
  /** A `select` or `include` of Prisma that is made once and serves many calls. */
  KeptSelection,
  /** The SQL of a statement as it is sent. */
  toStatement,
} from './engine.js';
export type { DatabaseTimeouts } from './pool.js';
export {
  /** The limits that the server enforces, as parameters of a connection's start-up message. */
  limitsOf,
  /** Opens a pool of connections. */
  openPool,
} from './pool.js';
export {
  /** Executes Prisma's reads, each as one prepared statement. */
  readerOf,
} from './reader/reader.js';
export type {
  /** What the generated models are. @public */
  Models,
} from './reader/shape.js';
export type { InspectedReplica, LogPosition, ReplicaState } from './replicas.js';
export {
  /** SQL for the primary's log position up to which every acknowledged change is covered; null on a standby. */
  flushedPosition,
  /** Asks every replica whether it follows the primary. */
  inspectReplicas,
  /** Standbys that answer queries in the primary's place. */
  Replicas,
  /** Reads what {@link flushedPosition} returns: the name of a log file, which starts with the timeline, and an LSN. */
  readPosition,
} from './replicas.js';
export type { Sql } from './values.js';
export {
  /** Parts of a statement, with a separator between them. */
  joinSql,
  /** A UUIDv7 like the ids that the database generates. */
  newId,
  /** The ids of all rows of a SELECT: a new one that ends in the number of the row. */
  newIds,
  /** SQL without parameters, as it is written. */
  rawSql,
  /** SQL as a template: what stands in `${}` is sent as a parameter, or is part of the statement if it is `Sql` itself. */
  sql,
  /** A list of texts in SQL whose length the planner does not see, so that one plan serves every length. */
  textList,
} from './values.js';
