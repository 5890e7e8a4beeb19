export { type Database, type DatabaseOptions, openClient, type PrismaModels, type Transaction } from './client.js';
export { type ConnectionUse, PendingPrerequisite, type Prerequisite } from './connections.js';
export {
  CircuitBreaker,
  isConflict,
  isLocked,
  isTimeout,
  isUnavailable,
  newScope,
  ReadBound,
  ReadTooMuch,
  type RequestObserver,
  type RequestScope,
  sendInTime,
  withShareOfDeadline,
} from './deadline.js';
export { KeptSelection, type RowInSql, toStatement } from './engine.js';
export { type DatabaseTimeouts, limitsOf, openPool } from './pool.js';
export { readerOf } from './reader/reader.js';
export type {
  /** What the generated models are. @public */
  Models,
} from './reader/shape.js';
export {
  DatabaseError,
  type Encryption,
  encryptionOf,
  reasonOf,
  SessionClient,
  withClient,
  withTimedClient,
} from './session.js';
export { joinSql, newId, newIds, rawSql, type Sql, sql, textList } from './values.js';
