export { type Budget, TextWorker } from './textWorker.js';
