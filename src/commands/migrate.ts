import type { Config } from '../config/config.js';
import { withDatabase } from './withDatabase.js';

/** Applies pending migrations and prints their names. */
export const migrate = (config: Config): Promise<void> =>
  withDatabase(
    config,
    ({ applied }) => {
      for (const name of applied) console.log(`applied ${name}`);
      if (applied.length === 0) console.log('The database is up to date.');
    },
    'apply',
  );
