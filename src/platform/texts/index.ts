export { type Budget, type TextLimits, TextWorker } from './textWorker.js';
