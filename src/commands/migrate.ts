import type { Config } from '../config/config.js';
import { openForCommand } from './openForCommand.js';

/** Applies pending migrations and prints their names. */
export async function migrate(config: Config): Promise<void> {
  const { applied, close } = await openForCommand(config, 'apply');
  await close();
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log('The database is up to date.');
}
