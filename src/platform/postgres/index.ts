export { CircuitBreaker } from './circuitBreaker.js';
export {
  type ConnectionUse,
  type Database,
  /** What the generated class extends. @public */
  DatabaseHandle,
  type DatabaseOptions,
  type OwnDatabase,
  openClient,
  type Transaction,
} from './client.js';
export { DatabaseError } from './databaseError.js';
export {
  newScope,
  type Reads,
  type RequestObserver,
  type RequestScope,
  sendInTime,
  withShareOfDeadline,
} from './deadline.js';
export { isAbsent, isConflict, isLocked, isUnavailable } from './errors.js';
export { type DatabaseTimeouts, limitsOf, openPool } from './pool.js';
export { Prerequisite } from './prerequisite.js';
export { RequestPool } from './prismaClient.js';
export { Reader } from './reader/reader.js';
export type {
  Column,
  /** What the generated models are. @public */
  Models,
} from './reader/shape.js';
export {
  canNoticeGoneClients,
  encryptionOf,
  reasonOf,
  remedyOfEncoding,
  SessionClient,
  sessionSettings,
  withClient,
  withTimedClient,
} from './session.js';
export {
  emptySql,
  joinSql,
  KeptSelection,
  newId,
  newIds,
  type RowInSql,
  rawSql,
  type Sql,
  sql,
  textList,
  toStatement,
} from './values.js';
