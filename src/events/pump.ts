import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../database/query/client.js';
import { isConflict } from '../database/query/unavailable.js';
import { StalledCompanies } from '../database/stalledCompanies.js';
import { numberEvents } from './numberEvents.js';
import { type SweepPart, waitingCompanies } from './sweep.js';
import { Sweeper } from './sweeper.js';
import { Trouble } from './trouble.js';

/** How long after numbering a company it is not numbered again, and at most if somebody else holds it. */
const pauses = { least: 20, most: 1_000 };

/** Is told a company and the sequence of its last event, after each look at what waits there. */
export type NumberedListener = (companyId: string, lastSequence: number) => void;

/** What is being done for one company. */
interface Turn {
  isDue: boolean;
}

/**
 * Numbers what this process has changed as soon as it is told, and what others wrote within a second. If it fails, the
 * next sweep tries again.
 */
export class Pump {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #trouble: Trouble;
  readonly #sweeper: Sweeper;
  readonly #stalled = new StalledCompanies();
  readonly #turns = new Map<string, Turn>();
  readonly #listeners = new Set<NumberedListener>();
  #isStopped = false;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
    this.#trouble = new Trouble(logger, {
      begins: 'cannot number events, will try again',
      ends: 'events are numbered again',
    });
    this.#sweeper = new Sweeper(db, this.#trouble);
    this.onSweep({
      select: waitingCompanies,
      onFound: (rows) => rows.forEach(({ companyId }) => void this.changed(companyId)),
    });
  }

  /** Sweeps now and then once a second. */
  start(): void {
    this.#sweeper.start();
  }

  /** Waits for nothing: a statement that runs ends by itself, or with its connection. */
  stop(): void {
    this.#isStopped = true;
    this.#sweeper.stop();
  }

  onNumbered(listener: NumberedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Makes this a part of each sweep, in the same statement. */
  onSweep(part: SweepPart): () => void {
    return this.#sweeper.add(part);
  }

  /** Numbers what waits in the company. */
  readonly changed = (companyId: string): void => {
    const turn = this.#turns.get(companyId);
    if (turn) {
      turn.isDue = true;
      return;
    }
    const begun = { isDue: true };
    this.#turns.set(companyId, begun);
    void this.#take(companyId, begun);
  };

  async #take(companyId: string, turn: Turn): Promise<void> {
    let pause = pauses.least;
    try {
      while (turn.isDue && !this.#isStopped) {
        turn.isDue = false;
        const result = await this.#stalled.ask(companyId, () => numberEvents(this.#db, companyId));
        if (result === 'refused') return;
        this.#tell(companyId, result.lastSequence);
        if (result.hasMore || result.isBusy) turn.isDue = true;
        pause = result.isBusy ? Math.min(2 * pause, pauses.most) : pauses.least;
        if (!result.hasMore) await sleep(pause, undefined, { ref: false });
      }
    } catch (error) {
      if (!this.#isStopped && !isConflict(error)) this.#trouble.onFailure(error);
    } finally {
      this.#turns.delete(companyId);
    }
  }

  #tell(companyId: string, lastSequence: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(companyId, lastSequence);
      } catch (error) {
        this.#logger.error({ err: error }, 'a listener to events has failed');
      }
    }
  }
}
