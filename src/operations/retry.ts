const maximumAttempts = 5;

/**
 * Runs an attempt until it has an outcome. An attempt answers undefined when another writer was faster, so that the next
 * one reads and decides afresh; five in a row is a bug.
 */
export async function retry<Outcome>(attempt: () => Promise<Outcome | undefined>): Promise<Outcome> {
  for (let attempts = 0; attempts < maximumAttempts; attempts += 1) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new Error(`the write was refused ${maximumAttempts} times, though what was read allows it`);
}
