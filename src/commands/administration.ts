import { databaseTables } from '../database.js';
import { type KeptFile, type PurgedFile, purgeableFiles, purgeFiles } from '../operations/purgeFiles.js';
import {
  createRoles,
  distribute,
  grantToApplication,
  type Placement,
  plannedPlacements,
  rolesSql,
} from '../platform/administration/index.js';
import { DatabaseError } from '../platform/postgres/index.js';
import { printable } from '../platform/telemetry/index.js';
import type { Config } from '../settings.js';
import { UsageError } from './exitCode.js';
import { print, printError } from './print.js';
import { readDuration } from './token.js';
import { nameDatabase, withDatabase } from './withDatabase.js';

/** Applies pending migrations and prints their names. The main application gets its privileges on new tables. */
export const migrate = (config: Config): Promise<void> =>
  withDatabase(
    config,
    async ({ applied, url }) => {
      for (const name of applied) print(`applied ${name}`);
      if (applied.length === 0) print('The database is up to date.');
      const { databaseUrl, applicationRole: role } = config;
      if (role === undefined || databaseUrl === undefined) return;
      if (await grantToApplication(url, role)) print(`${role} reads and writes rows of the main application.`);
    },
    'apply',
  );

export interface RolesOptions {
  owner: string;
  gateway: string;
  ownerPassword?: string;
  gatewayPassword?: string;
  application?: string;
  applicationPassword?: string;
  replacePasswords?: boolean;
  yes?: boolean;
}

/** Prints SQL that makes the roles of a database. With `yes`, runs it in the database of the settings. */
export async function createOrPrintRoles(options: RolesOptions, readConfig: () => Config): Promise<void> {
  const { owner, gateway, application, ownerPassword, gatewayPassword, applicationPassword } = options;
  if (owner === gateway) throw new UsageError('--owner and --gateway must be two roles');
  if (application === owner || application === gateway)
    throw new UsageError('--application must be a role of its own, not --owner or --gateway');
  const roles = {
    owner: { name: owner, password: ownerPassword },
    gateway: { name: gateway, password: gatewayPassword },
    application: application === undefined ? undefined : { name: application, password: applicationPassword },
    replacePasswords: options.replacePasswords,
  };
  if (!options.yes) {
    process.stdout.write(rolesSql(roles));
    return;
  }
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl === undefined)
    throw new UsageError('roles --yes needs DATABASE_URL, with a role that may make roles');
  nameDatabase(config);
  const password = options.replacePasswords ? 'has the password that was given' : 'keeps its password';
  for (const name of await createRoles(databaseUrl, roles))
    printError(`${name} exists on this server already, and ${password}`);
  print(`${owner} owns the tables, and ${gateway} reads and writes rows.`);
  if (application !== undefined) print(`${application} reads and writes rows of the main application.`);
}

/** Prints where each table goes on a Citus coordinator, one tab-separated line each. With `yes`, places them. */
export async function distributeTables(config: Config, { yes = false }: { yes?: boolean }): Promise<void> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) throw new UsageError('distribute needs DATABASE_URL, the URL of a Citus coordinator');
  nameDatabase(config);
  const placements = await plannedPlacements(databaseUrl, databaseTables);
  if (placements.length === 0) {
    printError('Every table is placed.');
    return;
  }
  print('table\tplaced');
  if (yes) {
    await distribute(databaseUrl, databaseTables, printPlacement);
    printError(`Placed ${placements.length} tables.`);
    return;
  }
  placements.forEach(printPlacement);
  printError(`${placements.length} tables would be placed. Nothing was changed: add --yes to place them.`);
}

const printPlacement = ({ table, by }: Placement) =>
  print(`${table}\t${by === 'copies' ? 'a copy on every node' : `by ${by.column}`}`);

/** Prints one tab-separated line for each file deleted long ago. With `yes`, removes these files for good. */
export async function purge(
  config: Config,
  { olderThan, yes = false }: { olderThan: string; yes?: boolean },
): Promise<void> {
  const milliseconds = readDuration('--older-than', olderThan);
  await withDatabase(config, async ({ db }) => {
    print(['id', 'deleted at', 'bytes', 'company', 'name', 'url'].join('\t'));
    if (yes) {
      let kept = 0;
      const onPurged = (files: PurgedFile[]) => files.forEach(printFile);
      const onKept = ({ id, companyId, reason }: KeptFile) => {
        kept += 1;
        printError(`Left ${printable(id)} of ${printable(companyId)}: ${printable(reason)}`);
      };
      const count = await purgeFiles(db, milliseconds, { onPurged, onKept });
      printError(`Removed ${countOf(count)} for good. The bytes are stored elsewhere: see the column url.`);
      if (kept > 0) throw new DatabaseError(`${countOf(kept)} cannot be removed, because other tables refer to them.`);
      return;
    }
    const files = await purgeableFiles(db, milliseconds);
    files.forEach(printFile);
    const them = files.length === 1 ? 'it' : 'them';
    printError(`${countOf(files.length)} would be removed for good. Nothing was removed: add --yes to remove ${them}.`);
  });
}

const countOf = (count: number) => (count === 1 ? '1 file' : `${count} files`);

const printFile = ({ id, deletedAt, size, companyId, name, url }: PurgedFile) =>
  print([id, deletedAt.toISOString(), String(size), companyId, name, url ?? ''].map(printable).join('\t'));
