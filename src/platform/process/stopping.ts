import type { Logger } from 'pino';

const closeMilliseconds = 3_000;

/** Closes, and exits soon in any case: requests that were cut off may hold on to their connections to the database. */
export async function exitInTime(cutOff: number, close: () => Promise<unknown>): Promise<void> {
  if (cutOff > 0) setTimeout(() => process.exit(), closeMilliseconds);
  await close();
  // Not now: the command line still reports a failure and sets the exit code.
  if (cutOff > 0) setImmediate(() => process.exit());
  // What still keeps the process then is a log that nobody reads.
  setTimeout(() => process.exit(), closeMilliseconds).unref();
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, or when npm is gone. A second signal ends the process at once. */
export function untilStopped({ underNpm }: { underNpm: boolean }): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = (_signal: string, number: number) => {
      const now = performance.now();
      // Under npm, one Ctrl-C arrives twice: from the terminal and from npm.
      if (first !== undefined && now - first > (underNpm ? 500 : 0)) process.exit(128 + number);
      first ??= now;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
    // npm cannot forward SIGKILL. When it is killed, this process gets another parent.
    const parent = process.ppid;
    const orphaned = () => process.ppid !== parent && resolve();
    if (underNpm) setInterval(orphaned, 500).unref();
  });
}

const closingMilliseconds = 15_000;

/** Outlives a rejection that nobody awaits. Resolves after an uncaught exception: the state is unknown, so it must close. */
export function untilUncaughtError(logger: Logger): Promise<void> {
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  return new Promise((resolve) => {
    process.on('uncaughtException', (error) => {
      logger.fatal({ err: error }, 'uncaught exception; stopping');
      process.exitCode = 1;
      setTimeout(() => process.exit(), closingMilliseconds).unref();
      resolve();
    });
  });
}
