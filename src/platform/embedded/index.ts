export { hasCluster } from './cluster.js';
export { removeCluster, startEmbedded } from './open.js';
