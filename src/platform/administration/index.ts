export { distribute, type Placement, plannedPlacements, type Tables } from './distribution.js';
export { type InspectedServer, inspectServer, pendingOn, spaceRefusal, writeRefusal } from './inspect.js';
export { applyMigrations, migrationsDirectory, pendingMigrations } from './migrations.js';
export { purgeRegularly, purgeRows } from './purges.js';
export {
  type ApplicationTables,
  createRoles,
  grantToApplication,
  type HistoryTables,
  privilegesAt,
  rolesSql,
} from './roles.js';
