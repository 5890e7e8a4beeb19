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
export async function retryConflicts<T>(run: () => Promise<T>, scope?: RequestScope): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maximumAttempts || !isConflict(error)) throw error;
      scope?.observer?.countRepetition();
      const pause = Math.random() * Math.min(10 * 2 ** attempt, longestPause);
      await wait(scope, () => sleep(pause));
    }
  }
}
