import type { Database } from './client.js';
import { purgeOutcomes } from './idempotencyKeys.js';

const purgeEvery = 10 * 60_000;

/** Removes expired rows now and every ten minutes; the answer stops it, and waits for a purge that runs. */
export function purgeRegularly(db: Database, onError: (error: unknown) => void): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const purge = () => {
    running = running.then(() => purgeOutcomes(db, new Date())).catch(onError);
  };
  purge();
  const timer = setInterval(purge, purgeEvery).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
