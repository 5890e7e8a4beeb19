import type { Database } from '../database/query/client.js';
import { companiesWithTokens, type SweepPart, sweep } from './sweep.js';

const sweepMilliseconds = 1_000;
const longestPause = 5_000;

interface SweeperEvents {
  onFailure: (error: unknown) => void;
  onSuccess: () => void;
}

/** Sweeps once a second, and less often while the database does not respond. */
export class Sweeper {
  readonly #db: Database;
  readonly #events: SweeperEvents;
  readonly #parts = new Set<SweepPart>();
  /** Companies that could not be asked, as when the node that has their rows is lost. The one to try next is first. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #failures = 0;

  constructor(db: Database, events: SweeperEvents) {
    this.#db = db;
    this.#events = events;
  }

  add(part: SweepPart): () => void {
    this.#parts.add(part);
    return () => void this.#parts.delete(part);
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    try {
      await sweep(this.#db, [...this.#parts]);
      this.#failing.clear();
      this.#failures = 0;
      this.#events.onSuccess();
    } catch (error) {
      this.#failures += 1;
      if (!this.#isStopped) this.#events.onFailure(error);
      await this.#sweepEach().catch(() => {});
    }
    if (this.#isStopped) return;
    const pause = Math.min(sweepMilliseconds * 2 ** this.#failures, longestPause);
    this.#timer = setTimeout(() => void this.#run(), pause).unref();
  }

  /** Goes company by company, because a lost node fails every statement over all of them. */
  async #sweepEach(): Promise<void> {
    const companies = await companiesWithTokens(this.#db);
    const [next] = this.#failing;
    const responding = companies.filter((id) => !this.#failing.has(id));
    for (const companyId of next === undefined ? responding : [...responding, next]) {
      if (this.#isStopped) return;
      this.#failing.delete(companyId);
      await sweep(this.#db, [...this.#parts], companyId).catch(() => this.#failing.add(companyId));
    }
  }
}
