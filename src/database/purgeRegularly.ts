const purgeEvery = 10 * 60_000;

/** Runs the purges now and every ten minutes, one after the other. The answer stops it, and waits for a purge that runs. */
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
    await running;
  };
}
