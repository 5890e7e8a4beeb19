import { setTimeout as sleep } from 'node:timers/promises';

/** What runs aside, and may be waited for. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(work: Promise<void>): void {
    const kept = work.catch(this.#onError).finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  /** Resolves when none runs, or when the time has passed. */
  async untilNone(milliseconds: number): Promise<void> {
    const none = async () => {
      while (this.#running.size > 0) await Promise.all(this.#running);
    };
    await Promise.race([none(), sleep(milliseconds, undefined, { ref: false })]);
  }
}
