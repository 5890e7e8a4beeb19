import { AsyncResource } from 'node:async_hooks';
import type { Logger } from 'pino';
import { Prisma } from '../../database/generated/client/client.js';
import type { Database } from '../../database/query/client.js';
import { failure } from '../../errors/failures.js';
import type { Actor } from '../../policies/access.js';
import type { Pump } from '../pump.js';
import { CompanyStreams } from './companyStreams.js';
import { EventStream } from './eventStream.js';
import { readStart, type WantedStart } from './readStart.js';

interface StreamsOptions {
  db: Database;
  pump: Pick<Pump, 'onNumbered' | 'onSweep'>;
  logger: Logger;
  /** The most open streams. */
  most: number;
  /** How long a statement may take, in milliseconds. */
  timeout: number;
  /** The time in milliseconds, from any moment. */
  now?: () => number;
}

interface Wanted extends WantedStart {
  actor: Actor;
  actions: readonly string[] | null;
}

const mostOfToken = 20;
const tickMilliseconds = 1_000;

const keyOf = ({ companyId, tokenId }: Actor) => `${companyId} ${tokenId}`;

/** The open streams of this process. */
export class Streams {
  readonly #options: Required<StreamsOptions>;
  readonly #companies = new Map<string, CompanyStreams>();
  readonly #ofTokens = new Map<string, number>();
  readonly #outside = new AsyncResource('streams');
  #open = 0;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: StreamsOptions) {
    this.#options = { now: () => performance.now(), ...options };
    options.pump.onNumbered((companyId, lastSequence) => this.#companies.get(companyId)?.note(lastSequence));
    options.pump.onSweep({
      select: () => {
        const companies = [...this.#companies.keys()];
        if (companies.length === 0) return undefined;
        return Prisma.sql`SELECT id AS company_id, last_sequence AS number FROM companies WHERE id = ANY (${companies})`;
      },
      onFound: (rows) => {
        for (const { companyId, number } of rows) this.#companies.get(companyId)?.note(number);
      },
    });
  }

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Opens a stream, which misses nothing from now on. Throws RATE_LIMITED or SERVICE_UNAVAILABLE if there are too many,
   * and BAD_USER_INPUT if it cannot begin there.
   */
  async subscribe({ actor, actions, ...start }: Wanted): Promise<EventStream> {
    const ofToken = this.#ofTokens.get(keyOf(actor)) ?? 0;
    if (ofToken >= mostOfToken) throw failure('RATE_LIMITED', { limit: 'streams', retryAfter: 10 });
    if (this.#open >= this.#options.most) throw failure('SERVICE_UNAVAILABLE', { streams: true });
    const stream = new EventStream({
      actor,
      actions,
      now: this.#options.now,
      onWaiting: (waiting) => company.wait(waiting),
      onEnd: (ended) => this.#remove(ended),
    });
    const company = this.#add(stream);
    try {
      const { sequence, cursor } = await readStart(this.#options.db, actor.companyId, start);
      stream.pass(sequence, cursor);
      return stream;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  /** Ends all of them: their clients come back, to another gateway. */
  end(): void {
    for (const { streams } of this.#companies.values()) for (const stream of [...streams]) stream.end();
  }

  #add(stream: EventStream): CompanyStreams {
    const { actor } = stream;
    const company = this.#companies.get(actor.companyId) ?? this.#openCompany(actor.companyId);
    company.streams.add(stream);
    this.#open += 1;
    this.#ofTokens.set(keyOf(actor), (this.#ofTokens.get(keyOf(actor)) ?? 0) + 1);
    this.#outside.runInAsyncScope(() => {
      this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
    });
    return company;
  }

  #openCompany(companyId: string): CompanyStreams {
    const company = new CompanyStreams(companyId, {
      ...this.#options,
      detached: (work) => this.#outside.runInAsyncScope(work),
      onFailure: (error) => this.#noteFailure(error),
      onSuccess: () => this.#noteSuccess(),
    });
    this.#companies.set(companyId, company);
    return company;
  }

  #remove(stream: EventStream): void {
    const { actor } = stream;
    const company = this.#companies.get(actor.companyId);
    company?.remove(stream);
    if (company?.streams.size === 0) this.#companies.delete(actor.companyId);
    this.#open -= 1;
    const ofToken = (this.#ofTokens.get(keyOf(actor)) ?? 0) - 1;
    if (ofToken > 0) this.#ofTokens.set(keyOf(actor), ofToken);
    else this.#ofTokens.delete(keyOf(actor));
    if (this.#open > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = this.#options.now();
    for (const company of this.#companies.values()) {
      for (const stream of [...company.streams]) if (stream.expiresAt < now) stream.end();
      company.tick();
    }
  }

  #noteFailure(error: unknown): void {
    if (!this.#isFailing) this.#options.logger.warn({ err: error }, 'streams cannot be read, will try again');
    this.#isFailing = true;
  }

  #noteSuccess(): void {
    if (this.#isFailing) this.#options.logger.info('streams are read again');
    this.#isFailing = false;
  }
}
