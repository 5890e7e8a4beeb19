import type { Logger } from 'pino';
import { Prisma } from '../../database/generated/client/client.js';
import type { Database, Transaction } from '../../database/query/client.js';
import type { Actor } from '../../policies/access.js';
import type { Pump } from '../pump.js';
import { Trouble } from '../trouble.js';
import { CompanyStreams } from './companyStreams.js';
import { EventStream } from './eventStream.js';
import { readStart, type WantedStart } from './readStart.js';
import { StreamCounts } from './streamCounts.js';

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
  /** The database for the request that opens the stream. */
  db: Transaction;
  actor: Actor;
  actions: readonly string[] | null;
}

const tickMilliseconds = 1_000;

/** The open streams of this process. */
export class Streams {
  readonly #options: Required<StreamsOptions>;
  readonly #companies = new Map<string, CompanyStreams>();
  readonly #counts: StreamCounts;
  readonly #trouble: Trouble;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamsOptions) {
    this.#options = { now: () => performance.now(), ...options };
    this.#counts = new StreamCounts(options.most);
    this.#trouble = new Trouble(options.logger, {
      begins: 'streams cannot be read, will try again',
      ends: 'streams are read again',
    });
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
    return this.#counts.all;
  }

  /**
   * Opens a stream, which misses nothing from now on. Throws RATE_LIMITED or SERVICE_UNAVAILABLE if there are too many,
   * and BAD_USER_INPUT if it cannot begin there.
   */
  async subscribe({ db, actor, actions, ...start }: Wanted): Promise<EventStream> {
    this.#counts.add(actor);
    const stream = new EventStream({
      actor,
      actions,
      now: this.#options.now,
      onWaiting: (waiting) => company.wait(waiting),
      onEnd: (ended) => this.#remove(ended),
    });
    const company = this.#add(stream);
    try {
      const { sequence, cursor } = await readStart(db, actor.companyId, start);
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
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
    return company;
  }

  #openCompany(companyId: string): CompanyStreams {
    const company = new CompanyStreams(companyId, { ...this.#options, trouble: this.#trouble });
    this.#companies.set(companyId, company);
    return company;
  }

  #remove(stream: EventStream): void {
    const { actor } = stream;
    const company = this.#companies.get(actor.companyId);
    company?.remove(stream);
    if (company?.streams.size === 0) this.#companies.delete(actor.companyId);
    this.#counts.remove(actor);
    if (this.open > 0) return;
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
}
