import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { Database } from '../database/query/client.js';
import { Replicas } from '../database/servers/replicas/replicas.js';

/** Undefined if no replica is named. One that cannot be used is in the log; the gateway serves without it. */
export async function openReplicas(config: Config, db: Database, logger: Logger): Promise<Replicas | undefined> {
  if (config.replicaUrls.length === 0) return undefined;
  return Replicas.open({
    ...config,
    urls: config.replicaUrls,
    db,
    timeouts: config.databaseTimeouts,
    onUsed: (replica) => logger.info({ replica }, 'a replica answers queries'),
    onLeft: (replica, reason) => logger.warn({ replica, reason }, 'a replica is not used'),
  });
}
