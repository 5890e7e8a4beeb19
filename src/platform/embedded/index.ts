export { hasCluster } from './cluster.js';
export { startEmbedded } from './open.js';
