import type { Config } from '../../config/config.js';
import { type InspectedServer, pendingOn, writeRefusal } from '../../database/admin/inspect.js';
import { privilegesAt } from '../../database/admin/privileges.js';
import { DatabaseError } from '../../database/error.js';
import { rateLimitPoolSize } from '../../http/limits/rateLimiters.js';
import { maintenancePoolSize } from '../../server/purgeWhileServing.js';
import { type Finding, fine, note, problem } from './finding.js';

/** Missing privileges that are named. */
const shownAtMost = 3;

/** Whether the primary is migrated, what the gateway's role may do there, and whether it has enough connections. */
export async function inspectPrimary(primary: InspectedServer, config: Config): Promise<Finding[]> {
  const migrated = await migrationsOf(primary, config);
  const role = migrated.isUsable ? await roleOf(primary, { isMigrated: !migrated.isPending }, config) : [];
  return [migrated.finding, ...role, connectionsOf(primary, config)];
}

/** Whether the role may do what the gateway needs, and no more. The embedded database has no other role. */
async function roleOf(
  primary: InspectedServer,
  { isMigrated }: { isMigrated: boolean },
  { databaseUrl, databaseTimeouts }: Config,
): Promise<Finding[]> {
  const refusal = await writeRefusal(primary, { isMigrated }, databaseTimeouts.connect);
  if (refusal !== undefined) return [problem(`this role cannot write: ${refusal}`)];
  const writable = fine('this role may write');
  if (!isMigrated || databaseUrl === undefined) return [writable];
  const { missing, excessive } = await privilegesAt(primary.url, databaseTimeouts.connect);
  const { length } = missing;
  const others = length > shownAtMost ? `, and ${length - shownAtMost} more` : '';
  const lacking = `this role lacks ${missing.slice(0, shownAtMost).join(', ')}${others}. npx goalpost roles prints the SQL`;
  const tooStrong = `this role may do more than a gateway needs: ${excessive.join(', ')}. npx goalpost roles prints SQL for one that may not`;
  return [length > 0 ? problem(lacking) : writable, ...(excessive.length > 0 ? [note(tooStrong)] : [])];
}

async function migrationsOf(primary: InspectedServer, { databaseUrl }: Config) {
  try {
    const pending = await pendingOn(primary);
    const isPending = pending.length > 0;
    if (!isPending) return { isPending, isUsable: true, finding: fine('it is migrated') };
    const finding = databaseUrl
      ? problem(
          `it is not migrated: ${pending.join(', ')}. Run npx goalpost migrate, or start the gateway, which migrates too`,
        )
      : fine('it is not migrated yet: the gateway and the commands do so themselves');
    return { isPending, isUsable: true, finding };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { isPending: true, isUsable: false, finding: problem(error.message) };
  }
}

function connectionsOf({ connections: { most, used } }: InspectedServer, config: Config): Finding {
  const { poolSize, rateLimit, workers } = config;
  const needed = poolSize + maintenancePoolSize + (rateLimit.store === 'postgres' ? rateLimitPoolSize * workers : 0);
  const text = `one gateway takes up to ${needed} connections; the server allows ${most}, and has ${used} now`;
  return needed > most ? problem(`${text}. Lower DATABASE_POOL_SIZE, or raise max_connections`) : fine(text);
}
