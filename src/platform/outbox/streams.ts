import type { Logger } from 'pino';
import { failure } from '../failures/index.js';
import type { Principal } from '../limits/index.js';
import { type Database, newScope, sql, type Transaction } from '../postgres/index.js';
import { type DatabaseOutage, Outage } from '../telemetry/index.js';
import type { Dispatcher } from './dispatcher.js';
import { EventStream, readStart, readStreams, type StreamReading, type WantedStart } from './eventStream.js';
import type { EventSource, WantedEvents } from './source.js';

interface ReadingOptions {
  db: Database;
  source: EventSource;
  /** How long a statement may take, in milliseconds. */
  timeout: number;
  now: () => number;
  outage: Outage;
}

/** After how long without an event the token is checked, and the client gets a keep-alive. */
const quietMilliseconds = 9_000;
/** The most streams of one token, and of one company as a part of all. */
const ofToken = 20;
const ofCompany = 0.5;
/** The most streams that one statement reads for. */
const most = 500;

/** The streams of one company, for which one statement at a time reads. */
class CompanyStreams {
  readonly streams = new Set<EventStream>();
  /** Those that wait, and for which there may be something. */
  readonly #due = new Set<EventStream>();
  #lastSequence = 0;
  #isReading = false;

  constructor(
    private readonly companyId: string,
    private readonly options: ReadingOptions,
  ) {}

  /** The company has events up to this one. */
  note(lastSequence: number): void {
    if (lastSequence <= this.#lastSequence) return;
    this.#lastSequence = lastSequence;
    for (const stream of this.streams) this.wait(stream);
  }

  /** A stream waits for its next item. */
  wait(stream: EventStream): void {
    if (!stream.isWaiting || (!stream.isNew && stream.through >= this.#lastSequence)) return;
    this.#due.add(stream);
    this.#readSoon();
  }

  remove(stream: EventStream): void {
    this.streams.delete(stream);
    this.#due.delete(stream);
  }

  /** Has those checked that were not for a while, and tries again what has failed. */
  tick(): void {
    for (const stream of this.streams) if (this.#isQuiet(stream)) this.#due.add(stream);
    if (this.#due.size > 0) this.#readSoon();
  }

  #readSoon(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    // Whoever waits for the same event is read for together.
    setImmediate(() => void this.#read());
  }

  async #read(): Promise<void> {
    const { db, source, timeout, outage } = this.options;
    try {
      while (this.#due.size > 0) {
        const asked = [...this.#due].slice(0, most);
        const readings = await readStreams(db.within(newScope(timeout)), source, this.companyId, asked);
        outage.onSuccess();
        for (const [index, stream] of asked.entries()) this.#give(stream, readings[index]);
      }
    } catch (error) {
      outage.onFailure(error);
      // Clients hear that their streams live, also while the database does not respond.
      for (const stream of this.#due) if (this.#isQuiet(stream)) stream.yieldPosition();
    } finally {
      this.#isReading = false;
    }
  }

  #give(stream: EventStream, reading: StreamReading | undefined): void {
    this.#due.delete(stream);
    // Its client may have left meanwhile.
    if (!stream.isWaiting) return;
    // The database was set back to an earlier moment: the client learns it when it comes back.
    if (!reading || reading.lastSequence < stream.through) stream.end();
    else this.#follow(stream, reading);
  }

  #follow(stream: EventStream, { isValid, event, passed, lastSequence }: StreamReading): void {
    stream.isNew = false;
    this.note(lastSequence);
    if (!isValid) stream.refuse(failure('UNAUTHENTICATED'));
    else if (event) stream.yieldEvent(event);
    else {
      if (passed) stream.pass(passed.sequence, this.options.source.cursorOf(passed));
      else stream.pass(lastSequence);
      if (this.#isQuiet(stream)) stream.yieldPosition();
      else this.wait(stream);
    }
  }

  #isQuiet({ isWaiting, yieldedAt }: EventStream): boolean {
    return isWaiting && yieldedAt < this.options.now() - quietMilliseconds;
  }
}

interface StreamsOptions {
  db: Database;
  source: EventSource;
  dispatcher: Pick<Dispatcher, 'onNumbered' | 'onPoll'>;
  logger: Logger;
  /** The most open streams. */
  most: number;
  /** How long a statement may take, in milliseconds. */
  timeout: number;
  /** The time in milliseconds, from any moment. */
  now?: () => number;
  outage?: DatabaseOutage | undefined;
}

interface Wanted extends WantedStart {
  /** The database for the request that opens the stream. */
  db: Transaction;
  actor: Principal;
  events: WantedEvents;
}

const tickMilliseconds = 1_000;

/** The open streams of this process. */
export class Streams {
  readonly #options: StreamsOptions & Required<Pick<StreamsOptions, 'now'>>;
  readonly #companies = new Map<string, CompanyStreams>();
  readonly #outage: Outage;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamsOptions) {
    this.#options = { now: () => performance.now(), ...options };
    const words = { begins: 'streams cannot be read, will try again', ends: 'streams are read again' };
    this.#outage = new Outage(options.logger, words, options.outage);
    options.dispatcher.onNumbered((companyId, lastSequence) => this.#companies.get(companyId)?.note(lastSequence));
    options.dispatcher.onPoll({
      select: () => {
        const companies = [...this.#companies.keys()];
        if (companies.length === 0) return undefined;
        return sql`SELECT id AS company_id, last_sequence AS number FROM ${options.source.tenants} WHERE id = ANY (${companies})`;
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

  /** Throws RATE_LIMITED if the token or its company has as many as it may, and SERVICE_UNAVAILABLE if all are open. */
  #requireRoom({ companyId, tokenId }: Principal): void {
    const { most } = this.#options;
    const streams = [...(this.#companies.get(companyId)?.streams ?? [])];
    const isOver =
      streams.length >= Math.max(1, most * ofCompany) ||
      streams.filter(({ actor }) => actor.tokenId === tokenId).length >= ofToken;
    if (isOver) throw failure('RATE_LIMITED', { limit: 'streams', retryAfter: 10 });
    if (this.#open >= most) throw failure('SERVICE_UNAVAILABLE', { streams: true });
  }

  /**
   * Opens a stream, which misses nothing from now on. Throws RATE_LIMITED or SERVICE_UNAVAILABLE if there are too many,
   * and BAD_USER_INPUT if it cannot begin there.
   */
  async subscribe({ db, actor, events, ...start }: Wanted): Promise<EventStream> {
    // A refusal costs no statement, and others may have come meanwhile.
    this.#requireRoom(actor);
    const { sequence, cursor } = await readStart(db, this.#options.source, actor.companyId, start);
    this.#requireRoom(actor);
    const stream = new EventStream({
      actor,
      events,
      now: this.#options.now,
      cursorOf: this.#options.source.cursorOf,
      onWaiting: (waiting) => company.wait(waiting),
      onEnd: (ended) => this.#remove(ended),
    });
    const company = this.#add(stream);
    stream.pass(sequence, cursor);
    return stream;
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
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
    return company;
  }

  #openCompany(companyId: string): CompanyStreams {
    const company = new CompanyStreams(companyId, { ...this.#options, outage: this.#outage });
    this.#companies.set(companyId, company);
    return company;
  }

  #remove(stream: EventStream): void {
    const { actor } = stream;
    const company = this.#companies.get(actor.companyId);
    company?.remove(stream);
    if (company?.streams.size === 0) this.#companies.delete(actor.companyId);
    this.#open -= 1;
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
