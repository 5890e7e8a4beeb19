export {
  /** Whether a cluster has been created in `dataDir`. */
  hasCluster,
} from './cluster.js';
export {
  /** Starts the embedded PostgreSQL, on 127.0.0.1 only. */
  startEmbedded,
} from './open.js';
