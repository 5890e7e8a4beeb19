import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../errors/failures.js';

const maximumAttempts = 10;

/**
 * Runs an attempt until it has an outcome. An attempt that loses a race returns undefined, so that the next one reads
 * and decides again, after a growing random pause. Fails with 503 after ten lost races in a row.
 */
export async function retry<Outcome>(attempt: () => Promise<Outcome | undefined>): Promise<Outcome> {
  for (let attempts = 0; attempts < maximumAttempts; attempts += 1) {
    if (attempts > 1) await sleep(Math.random() * 10 * attempts);
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw failure('SERVICE_UNAVAILABLE');
}
