export { Cache, lazy } from './cache.js';
