export { distribute, type Placement, plannedPlacements, type Tables } from './distribution.js';
export { factsOf, losesNames, refusalOf } from './inspect.js';
export { applyMigrations, migrationsDirectory, pendingMigrations, schemaProblem } from './migrations.js';
export { purgeRegularly, purgeRows } from './purges.js';
export { createRoles, grantToApplication, type Privileges, privilegesOf, rolesSql } from './roles.js';
