const maximumAttempts = 5;

/**
 * Runs an attempt until it has an outcome. An attempt that loses a race returns undefined, so that the next one reads
 * and decides again. Throws after five lost races in a row, which is a bug.
 */
export async function retry<Outcome>(attempt: () => Promise<Outcome | undefined>): Promise<Outcome> {
  for (let attempts = 0; attempts < maximumAttempts; attempts += 1) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new Error(`the write changed nothing ${maximumAttempts} times, though the checks allowed it`);
}
