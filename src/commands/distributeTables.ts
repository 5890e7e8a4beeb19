import type { Config } from '../config/config.js';
import { distribute, plannedPlacements } from '../database/admin/distribute.js';
import type { Placement } from '../database/admin/distribution/placements.js';
import { UsageError } from './usageError.js';
import { nameDatabase } from './withDatabase.js';

export interface DistributeOptions {
  yes?: boolean;
}

/** Prints where each table goes on a Citus coordinator, one tab-separated line each. With `yes`, places them. */
export async function distributeTables(config: Config, { yes = false }: DistributeOptions): Promise<void> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) throw new UsageError('distribute needs DATABASE_URL, the URL of a Citus coordinator');
  nameDatabase(config);
  const placements = await plannedPlacements(databaseUrl);
  if (placements.length === 0) {
    console.error('Every table is placed.');
    return;
  }
  console.log('table\tplaced');
  if (yes) {
    await distribute(databaseUrl, print);
    console.error(`Placed ${placements.length} tables.`);
    return;
  }
  placements.forEach(print);
  console.error(`${placements.length} tables would be placed. Nothing was changed: add --yes to place them.`);
}

const print = ({ table, by }: Placement) =>
  console.log(`${table}\t${by === 'copies' ? 'a copy on every node' : `by ${by.column}`}`);
