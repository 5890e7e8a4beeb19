import { setTimeout as sleep } from 'node:timers/promises';

/** When a request that finds the replica behind asks again, in milliseconds after the previous response. */
const polls = [0, 1, 2, 4];
/** The longest wait of a request, and for how long others do not wait after one has waited for nothing. */
const waiting = { most: 20, thenNotFor: { least: 50, most: 1_000 } };

/** How requests wait for a replica that is behind. After one has waited for nothing, others do not wait for a while. */
export class Lag {
  #until = 0;
  #milliseconds = 0;

  get isWorthWaiting(): boolean {
    return performance.now() >= this.#until;
  }

  /** Asks the replica again and again, until it has what is waited for, it is in use no more, or the time is over. */
  async wait<T>(ask: () => Promise<void>, found: () => T | undefined, isUsed: () => boolean): Promise<T | undefined> {
    const giveUp = performance.now() + waiting.most;
    for (const pause of polls) {
      if (pause > 0) await sleep(pause);
      const late = sleep(Math.max(0, giveUp - performance.now()), undefined, { ref: false });
      await Promise.race([ask(), late]);
      const result = found();
      if (result !== undefined) this.#milliseconds = 0;
      if (result !== undefined || performance.now() >= giveUp || !isUsed()) return result;
    }
    const { least, most } = waiting.thenNotFor;
    this.#milliseconds = Math.min(Math.max(2 * this.#milliseconds, least), most);
    this.#until = performance.now() + this.#milliseconds;
    return undefined;
  }
}
