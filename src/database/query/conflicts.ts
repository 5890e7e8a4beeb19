import { setTimeout as sleep } from 'node:timers/promises';
import { wait } from './deadline.js';
import type { RequestScope } from './requestScope.js';
import { isConflict } from './unavailable.js';

const maximumAttempts = 10;
const longestPause = 300;

/**
 * Runs a statement or a whole transaction again when it fails because of another one (serialization failure, deadlock),
 * up to 10 times, with growing random pauses. What failed so has written nothing, so nothing happens twice.
 */
export const retryConflicts = <T>(run: () => Promise<T>, scope?: RequestScope): Promise<T> =>
  run().catch((error: unknown) => retryAfter(error, run, scope));

/** The same for what has failed with an error. */
export async function retryAfter<T>(error: unknown, run: () => Promise<T>, scope?: RequestScope): Promise<T> {
  let failure = error;
  for (let attempt = 1; attempt < maximumAttempts && isConflict(failure); attempt += 1) {
    scope?.observer?.countRepetition();
    const pause = Math.random() * Math.min(10 * 2 ** attempt, longestPause);
    await wait(scope, () => sleep(pause));
    try {
      return await run();
    } catch (again) {
      failure = again;
    }
  }
  throw failure;
}
