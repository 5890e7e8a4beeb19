/** Whether a cluster has been created in `dataDir`. */
export { hasCluster } from './cluster.js';
/**
 * Starts the embedded PostgreSQL, on 127.0.0.1 only. It ends with `stop()`, or when this process ends, even by SIGKILL.
 * If it dies, it is started again. Throws a DatabaseError if it cannot run here or another server uses `dataDir`.
 */
export { startEmbedded } from './open.js';
