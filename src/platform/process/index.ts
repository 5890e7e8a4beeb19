/** Listens, and returns the address. Throws a ConfigError that names the setting to change. */
export { listen } from './listening.js';
/** Serves until the primary process says stop, or ends. Signals are the primary's: a terminal sends them to both. */
export { serveAsWorker } from './serveAsWorker.js';
/** Closes, and exits soon in any case: requests that were cut off may hold on to their connections to the database. */
/** Resolves at the first SIGINT, SIGTERM or SIGHUP, or when npm is gone. A second signal ends the process at once. */
/**
 * Keeps the process alive when a promise is rejected that nobody awaits. Resolves after an exception that nobody
 * caught, because the state is unknown then: the process has to close, and its exit code is 1.
 */
export { exitInTime, untilStopped, untilUncaughtError } from './stopping.js';
/** Lets so many run at a time, in the order in which they came. */
export { Turns } from './turns.js';
export type { DemoTokens, Job } from './workers.js';
/** A worker could not start. It has said why itself. */
/** Processes that serve at one address. One that ends is started again. */
export { WorkerFailed, Workers } from './workers.js';
