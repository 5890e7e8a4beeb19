export type { Placement, Tables } from './distribution.js';
export {
  /** Places these tables, all or none. */
  distribute,
  /** The tables that are not placed yet, each after those it refers to. */
  plannedPlacements,
} from './distribution.js';
export type { InspectedServer } from './inspect.js';
export {
  /** Asks every server that the URL names, at once, on a connection like those of the gateway. */
  inspectServers,
  /** The names of the migrations that a primary has not had yet. */
  pendingOn,
  /** Why this role cannot write to a primary; undefined if it can. */
  writeRefusal,
} from './inspect.js';
export {
  /** Applies the pending migrations of `directory`, one after the other, and returns their names. */
  applyMigrations,
  /** Where the migrations of this package are. */
  migrationsDirectory,
  /** The names of the migrations that `applyMigrations` would apply. */
  pendingMigrations,
} from './migrations.js';
export {
  /** Runs the purges one by one, now and every ten minutes. */
  purgeRegularly,
  /** Deletes old rows, company by company and in batches, the oldest first, except those that another transaction has locked. */
  purgeRows,
} from './purges.js';
export type { ApplicationTables } from './roles.js';
export {
  /** Runs that SQL in the database at `url`. */
  createRoles,
  /** Gives the role of the main application what it needs of the tables that there are now. */
  grantToApplication,
  /** What a role lacks or has too much of for its task. */
  privilegesAt,
  /** SQL that makes the roles and gives them what they need, in the database in which it runs. */
  rolesSql,
} from './roles.js';
