import { type OpenDatabase, openDatabase } from '../database.js';
import { hasCluster } from '../platform/embedded/index.js';
import { shownText, unusedParameters } from '../platform/settings/index.js';
import type { Config } from '../settings.js';
import { UsageError } from './exitCode.js';
import { printError } from './print.js';

/** Names the database that a command uses on stderr, without a password, and what of its URL means nothing. */
export function nameDatabase({ databaseUrl, dataDir }: Config): void {
  const name =
    databaseUrl === undefined ? `the embedded PostgreSQL in ${dataDir}` : shownText('DATABASE_URL', databaseUrl);
  printError(`Database: ${name}`);
  const unused = unusedParameters(databaseUrl);
  if (unused) printError(unused);
}

/** Runs a command on its database, which it names, opens and closes. Only `serve` makes an embedded one. */
export async function withDatabase(
  config: Config,
  run: (opened: OpenDatabase) => Promise<void> | void,
  migrations: 'apply' | 'require' = 'require',
): Promise<void> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined && !(await hasCluster(dataDir))) {
    throw new UsageError(
      `there is no database: DATABASE_URL is not set, and there is no embedded PostgreSQL in ${dataDir}. ` +
        'Set DATABASE_URL. Example: DATABASE_URL=postgresql://goalpost:password@localhost:5432/goalpost',
    );
  }
  nameDatabase(config);
  const opened = await openDatabase(config, { migrations });
  try {
    await run(opened);
  } finally {
    await opened.close();
  }
}
