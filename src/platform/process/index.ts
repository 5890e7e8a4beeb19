export {
  /** Listens, and returns the address. */
  listen,
} from './listening.js';
export {
  /** Serves until the primary process says stop, or ends. */
  serveAsWorker,
} from './serveAsWorker.js';
export {
  /** Closes, and exits soon in any case: requests that were cut off may hold on to their connections to the database. */
  exitInTime,
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP, or when npm is gone. */
  untilStopped,
  /** Keeps the process alive when a promise is rejected that nobody awaits. */
  untilUncaughtError,
} from './stopping.js';
export {
  /** Lets so many run at a time, in the order in which they came. */
  Turns,
} from './turns.js';
export {
  /** A worker could not start. */
  WorkerFailed,
  /** Processes that serve at one address. */
  Workers,
} from './workers.js';
