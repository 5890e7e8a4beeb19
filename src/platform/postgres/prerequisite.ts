import type { Statement, StatementResult } from './values.js';

/**
 * A condition of all that a request does with the database. Nothing of the request is sent before its statement; what is
 * sent with it, in one round trip, is executed only if that succeeds.
 */
export class Prerequisite {
  #refusal: Promise<Error | undefined> | undefined;
  /** Whether it could not be checked: what the request fails with says so. */
  hasFailed = false;

  constructor(
    /** PostgreSQL must refuse it unless the request may go on: an error skips the rest of its transaction. */
    readonly statement: Statement,
    /** Has it sent, by itself or with the first statement of the request. Returns why the request may not go on. */
    private readonly check: (send: () => Promise<StatementResult>) => Promise<Error | undefined>,
  ) {}

  /** Whether it has been sent, and has not failed. */
  get isUnderWay(): boolean {
    return this.#refusal !== undefined;
  }

  /** Waits for the check that is under way. Throws why the request may not go on; nothing if the check itself has failed. */
  async ended(): Promise<void> {
    const refusal = await this.#refusal?.catch(() => undefined);
    if (refusal) throw refusal;
  }

  /** Checks, and throws why the request may not go on. A check that has failed can be repeated. */
  async pass(send: () => Promise<StatementResult>): Promise<void> {
    this.#refusal = this.check(send);
    const refusal = await this.#refusal.catch((error) => {
      this.#refusal = undefined;
      this.hasFailed = true;
      throw error;
    });
    if (refusal) throw refusal;
  }
}
