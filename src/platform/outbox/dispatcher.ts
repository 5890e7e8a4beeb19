import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CircuitBreaker, type Database, type DatabaseTimeouts, isConflict, openClient } from '../postgres/index.js';
import { DatabaseOutage, Outage } from '../telemetry/index.js';
import { allCompanies, numberEvents, type PollPart, poll, waitingCompanies } from './sequence.js';
import type { EventSource } from './source.js';

const pollMilliseconds = 1_000;
const longestPause = 5_000;

/** How long after numbering a company it is not numbered again, and at most if somebody else holds it. */
const pauses = { least: 20, most: 1_000 };

/** Is told a company and the sequence of its last event, after each look at what waits there. Must not throw. */
type NumberedListener = (companyId: string, lastSequence: number) => void;

/** What is being done for one company. */
interface Turn {
  isDue: boolean;
}

/**
 * Numbers what this process has changed as soon as it is told, and by a poll once a second, less often while the database
 * does not respond, what others wrote. If numbering fails, the next poll tries again.
 */
export class Dispatcher {
  readonly #outage: Outage;
  readonly #stalled = new CircuitBreaker();
  readonly #turns = new Map<string, Turn>();
  readonly #listeners = new Set<NumberedListener>();
  readonly #parts = new Set<PollPart>();
  /** Companies that no poll could ask, as when the node that has their rows is lost. The one to try next is first. */
  readonly #failing = new Set<string>();
  /** How many polls in a row. */
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly db: Database,
    private readonly source: EventSource,
    logger: Logger,
    private readonly database = new DatabaseOutage(logger),
  ) {
    const words = { begins: 'cannot number events, will try again', ends: 'events are numbered again' };
    this.#outage = new Outage(logger, words, database);
    this.onPoll({
      select: waitingCompanies(source),
      onFound: (rows) => rows.forEach(({ companyId }) => void this.changed(companyId)),
    });
  }

  /** Whether the last poll got its answer. */
  get isDatabaseUp(): boolean {
    return this.#failures === 0;
  }

  /** Polls now and then once a second. */
  start(): void {
    void this.#poll();
  }

  /** Waits for nothing: a statement that runs ends by itself, or with its connection. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  onNumbered(listener: NumberedListener): void {
    this.#listeners.add(listener);
  }

  /** Makes this a part of each poll, in the same statement. */
  onPoll(part: PollPart): void {
    this.#parts.add(part);
  }

  async #poll(): Promise<void> {
    try {
      await poll(this.db, [...this.#parts]);
      this.#failing.clear();
      const afterFailure = this.#failures > 0;
      this.#failures = 0;
      this.database.onSuccess({ afterFailure });
      this.#outage.onSuccess({ afterFailure });
    } catch (error) {
      this.#failures += 1;
      if (!this.#isStopped) this.#outage.onFailure(error);
      await this.#pollEach().catch(() => {});
    }
    if (this.#isStopped) return;
    const pause = Math.min(pollMilliseconds * 2 ** this.#failures, longestPause);
    this.#timer = setTimeout(() => void this.#poll(), pause).unref();
  }

  /** Goes company by company, because a lost node fails every statement over all of them. */
  async #pollEach(): Promise<void> {
    const companies = await allCompanies(this.db, this.source);
    const [next] = this.#failing;
    const responding = companies.filter((id) => !this.#failing.has(id));
    for (const companyId of next === undefined ? responding : [...responding, next]) {
      if (this.#isStopped) return;
      this.#failing.delete(companyId);
      await poll(this.db, [...this.#parts], companyId).catch(() => this.#failing.add(companyId));
    }
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
        const result = await this.#stalled.ask(companyId, () => numberEvents(this.db, this.source, companyId));
        if (result === 'refused') return;
        for (const listener of this.#listeners) listener(companyId, result.lastSequence);
        if (result.hasMore || result.isBusy) turn.isDue = true;
        pause = result.isBusy ? Math.min(2 * pause, pauses.most) : pauses.least;
        if (!result.hasMore) await sleep(pause, undefined, { ref: false });
      }
    } catch (error) {
      if (!this.#isStopped && !isConflict(error)) this.#outage.onFailure(error);
    } finally {
      this.#turns.delete(companyId);
    }
  }
}

/** Connections of a process for its events: none of a request, and few enough that nobody notices. */
const eventConnections = 3;

interface EventsOptions {
  url: string;
  source: EventSource;
  preparedStatements: boolean;
  timeouts: DatabaseTimeouts;
  onError?: (error: Error) => void;
}

/** Opens what numbers and delivers events while this process serves. It connects when it is started. */
export function openEvents(options: EventsOptions, logger: Logger) {
  // For everything that events need outside of requests.
  const db: Database = openClient({ ...options, poolSize: eventConnections });
  const outage = new DatabaseOutage(logger);
  const dispatcher = new Dispatcher(db, options.source, logger, outage);
  const close = async () => {
    dispatcher.stop();
    await db.$disconnect();
  };
  return { db, source: options.source, dispatcher, outage, close };
}
