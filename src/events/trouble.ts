import type { Logger } from 'pino';

/** How many sweeps without a failure end it: some failures are known only when a time limit has passed. */
const calmSweeps = 6;

/** Logs when something begins to fail, and when it works again: once each, however often it fails in between. */
export class Trouble {
  readonly #logger: Logger;
  readonly #words: { begins: string; ends: string };
  /** How many more sweeps it takes; 0 if nothing fails. */
  #left = 0;

  constructor(logger: Logger, words: { begins: string; ends: string }) {
    this.#logger = logger;
    this.#words = words;
  }

  onFailure(error: unknown): void {
    if (this.#left === 0) this.#logger.warn({ err: error }, this.#words.begins);
    this.#left = calmSweeps;
  }

  onSuccess(): void {
    if (this.#left === 0) return;
    this.#left -= 1;
    if (this.#left === 0) this.#logger.info(this.#words.ends);
  }
}
