import type { Config } from '../config.js';
import { openDatabase } from '../database/open.js';

/** Applies pending migrations and prints their names. */
export async function migrate(config: Config): Promise<void> {
  const { applied, close } = await openDatabase(config, { migrations: 'apply', share: true });
  await close();
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log('The database is up to date.');
}
