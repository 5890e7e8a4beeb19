import type { Config } from '../config/config.js';
import { createRoles, rolesSql } from '../database/admin/roles.js';
import { UsageError } from './usageError.js';
import { nameDatabase } from './withDatabase.js';

export interface RolesOptions {
  owner: string;
  gateway: string;
  ownerPassword?: string;
  gatewayPassword?: string;
  yes?: boolean;
}

/** Prints SQL that makes the roles of a database. With `yes`, runs it in the database of the settings. */
export async function createOrPrintRoles(options: RolesOptions, readConfig: () => Config): Promise<void> {
  const { owner, gateway, ownerPassword, gatewayPassword, yes = false } = options;
  if (owner === gateway) throw new UsageError('--owner and --gateway must be two roles');
  const roles = {
    owner: { name: owner, password: ownerPassword || undefined },
    gateway: { name: gateway, password: gatewayPassword || undefined },
  };
  if (!yes) {
    process.stdout.write(rolesSql(roles));
    return;
  }
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl === undefined)
    throw new UsageError('roles --yes needs DATABASE_URL, with a role that may make roles');
  nameDatabase(config);
  await createRoles(databaseUrl, roles);
  console.log(`${owner} owns the tables, and ${gateway} reads and writes rows.`);
}
