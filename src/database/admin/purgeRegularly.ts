import { setTimeout as sleep } from 'node:timers/promises';

const purgeEvery = 10 * 60_000;
const stopMilliseconds = 2_000;

/**
 * Runs the purges one by one, now and every ten minutes. Returns a function that stops
 * and waits for a running one, but no more than two seconds.
 */
export function purgeRegularly(
  purges: readonly (() => Promise<unknown>)[],
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const start = () => {
    for (const purge of purges) running = running.then(purge).catch(onError);
  };
  start();
  const timer = setInterval(start, purgeEvery).unref();
  return async () => {
    clearInterval(timer);
    await Promise.race([running, sleep(stopMilliseconds, undefined, { ref: false })]);
  };
}
