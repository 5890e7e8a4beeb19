/** Places these tables, all or none. Waits for the transactions that use them, and others wait for it. */

export type { Placement } from './distribution.js';
export { distribute, plannedPlacements } from './distribution.js';
export type { InspectedReplica, InspectedServer } from './inspect.js';
/** Asks every replica whether it follows the primary, at once. `milliseconds` is how long one may take to respond. */
/** Asks every server that the URL names, at once, on a connection like those of the gateway. */
/** The names of the migrations that a primary has not had yet. Throws a DatabaseError if they do not fit this version. */
/** Why this role cannot write to a primary; undefined if it can. Nothing is changed. */
export { inspectReplicas, inspectServers, pendingOn, writeRefusal } from './inspect.js';
/**
 * Applies the pending migrations of `directory`, one after the other, and returns their names. Several processes may call
 * it at once, while gateways serve. Throws a DatabaseError; a migration that fails is rolled back.
 */
/** The names of the migrations that `applyMigrations` would apply. Throws the same errors. */
export { applyMigrations, migrationsDirectory, pendingMigrations } from './migrations.js';
export type { PurgedFile } from './purges.js';
/**
 * Removes for good the files deleted more than that many milliseconds ago, with everything that belongs to them, and returns their
 * number. Goes company by company, and calls `onPurged` for each batch once it is committed. Skips a file that another
 * transaction has locked.
 */
/**
 * Runs the purges one by one, now and every ten minutes. Returns a function that stops
 * and waits for a running one, but no more than two seconds.
 */
/**
 * Deletes old rows, company by company and in batches, the oldest first, except those that another transaction has
 * locked. Returns their number.
 */
/** The files deleted more than that many milliseconds ago, the longest deleted first. */
export { purgeableFiles, purgeFiles, purgeRegularly, purgeRows } from './purges.js';
/** Runs that SQL in the database at `url`. Throws a DatabaseError, and changes nothing then. */
/** What the role of the URL lacks or has too much of. The database must be migrated. */
/**
 * SQL that makes both roles and gives them what they need, in the database in which it runs, also for the tables of later
 * migrations. It may run again. A password is in it as its SCRAM verifier only.
 */
export { createRoles, privilegesAt, rolesSql } from './roles.js';
