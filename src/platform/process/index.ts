export { listen } from './listening.js';
export { serveAsWorker } from './serveAsWorker.js';
export { exitInTime, untilStopped, untilUncaughtError } from './stopping.js';
export { Turns } from './turns.js';
export { WorkerFailed, Workers } from './workers.js';
