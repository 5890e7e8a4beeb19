import type { Logger } from 'pino';

const closingMilliseconds = 15_000;

/**
 * Keeps the process alive when a promise is rejected that nobody awaits. Resolves after an exception that nobody
 * caught, because the state is unknown then: the process has to close, and its exit code is 1.
 */
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
