import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/query/client.js';
import { isUnavailable } from '../../database/query/unavailable.js';
import { StalledCompanies } from '../../database/stalledCompanies.js';

/** For how long what has been sent is worth recording: then the lease has ended, and others may have sent it again. */
const worthwhile = 15_000;
const pauseMilliseconds = 250;

/** Runs the statements of deliveries. Those of companies for which the database does not respond hold up no others. */
export class DeliveryStatements {
  readonly #db: Database;
  readonly #stopped: AbortSignal;
  readonly #stalled = new StalledCompanies();

  constructor(db: Database, stopped: AbortSignal) {
    this.#db = db;
    this.#stopped = stopped;
  }

  /** Runs a statement again while the database is unavailable, for as long as a lease may still hold. */
  async run<T>(companyId: string, statement: (db: Database) => Promise<T>): Promise<T> {
    const start = performance.now();
    for (;;) {
      const isLast = this.#stopped.aborted || performance.now() - start > worthwhile;
      const outcome = await this.#attempt(companyId, statement, isLast);
      if (outcome !== 'unavailable') return outcome.value;
      await sleep(pauseMilliseconds + Math.random() * pauseMilliseconds);
    }
  }

  async #attempt<T>(companyId: string, statement: (db: Database) => Promise<T>, isLast: boolean) {
    try {
      const value = await this.#stalled.ask(companyId, async () => ({ value: await statement(this.#db) }));
      if (value !== 'refused') return value;
      if (isLast) throw new Error('the database does not respond for this company');
      return 'unavailable';
    } catch (error) {
      if (isLast || !isUnavailable(error)) throw error;
      return 'unavailable';
    }
  }
}
