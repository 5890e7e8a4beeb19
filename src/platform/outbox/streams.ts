import type { Logger } from 'pino';
import { failure } from '../failures/index.js';
import { mostOf, parameters } from '../fairness/index.js';
import type { Principal } from '../limits/index.js';
import { type Database, newScope, sql, type Transaction } from '../postgres/index.js';
import { type Dispatcher, Outage } from './dispatcher.js';
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
/** The most streams that one statement reads for. */
const most = 500;

/** The streams of one company, for which one statement at a time reads. */
class CompanyStreams {
  readonly streams = new Set<EventStream>();
  readonly #companyId: string;
  readonly #options: ReadingOptions;
  /** Those that wait, and for which there may be something. */
  readonly #due = new Set<EventStream>();
  #lastSequence = 0;
  #isReading = false;

  constructor(companyId: string, options: ReadingOptions) {
    this.#companyId = companyId;
    this.#options = options;
  }

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
    const { db, source, timeout, outage } = this.#options;
    try {
      while (this.#due.size > 0) {
        const asked = [...this.#due].slice(0, most);
        const readings = await readStreams(db.within(newScope(timeout)), source, this.#companyId, asked);
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
      if (passed) stream.pass(passed.sequence, this.#options.source.cursorOf(passed));
      else stream.pass(lastSequence);
      if (this.#isQuiet(stream)) stream.yieldPosition();
      else this.wait(stream);
    }
  }

  #isQuiet({ isWaiting, yieldedAt }: EventStream): boolean {
    return isWaiting && yieldedAt < this.#options.now() - quietMilliseconds;
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
  readonly #options: Required<StreamsOptions>;
  readonly #companies = new Map<string, CompanyStreams>();
  readonly #shares: StreamShares;
  readonly #outage: Outage;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamsOptions) {
    this.#options = { now: () => performance.now(), ...options };
    this.#shares = new StreamShares(options.most);
    this.#outage = new Outage(options.logger, {
      begins: 'streams cannot be read, will try again',
      ends: 'streams are read again',
    });
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
    return this.#shares.all;
  }

  /**
   * Opens a stream, which misses nothing from now on. Throws RATE_LIMITED or SERVICE_UNAVAILABLE if there are too many,
   * and BAD_USER_INPUT if it cannot begin there.
   */
  async subscribe({ db, actor, events, ...start }: Wanted): Promise<EventStream> {
    // A refusal costs no statement, and a stream that cannot begin ends no other.
    this.#shares.roomFor(actor);
    const { sequence, cursor } = await readStart(db, this.#options.source, actor.companyId, start);
    this.#shares.roomFor(actor)?.end();
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
    this.#shares.add(stream);
    company.streams.add(stream);
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
    this.#shares.remove(stream);
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

interface Share {
  /** How many streams the company has. */
  held: number;
  /** Its streams by token, each in the order in which they were opened. */
  tokens: Map<string, Set<EventStream>>;
}

/**
 * The open streams by company and token. Whoever is alone may have all. When all are open, a caller whose company has
 * fewer than another by two or more gets one of that other company, and so do the tokens within a company: however
 * many come, none has more than its part. It is the newest, so that whoever opens and closes streams takes the same
 * few again and again, and not those of everybody in turn.
 */
class StreamShares {
  readonly #most: number;
  readonly #companies = new Map<string, Share>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get all(): number {
    return this.#all;
  }

  /**
   * The stream that has to end before this caller may open one; undefined if there is room. Throws RATE_LIMITED if the
   * caller has its part, and SERVICE_UNAVAILABLE if there are more callers than streams.
   */
  roomFor({ companyId, tokenId }: Principal): EventStream | undefined {
    const own = this.#companies.get(companyId);
    const held = own?.tokens.get(tokenId)?.size ?? 0;
    if (held >= parameters.streams.ofToken) throw tooMany();
    if (this.#all < this.#most) return undefined;
    const largest = mostOf(newestFirst(this.#companies), (share) => share.held);
    const giver = largest && largest.held > (own?.held ?? 0) + 1 ? largest : own;
    const streams = giver && mostOf(newestFirst(giver.tokens), ({ size }) => size);
    if (streams && (giver !== own || streams.size > held + 1)) return [...streams].at(-1);
    throw held > 0 ? tooMany() : failure('SERVICE_UNAVAILABLE', { streams: true });
  }

  add(stream: EventStream): void {
    const { companyId, tokenId } = stream.actor;
    const share = this.#companies.get(companyId) ?? { held: 0, tokens: new Map<string, Set<EventStream>>() };
    const streams = share.tokens.get(tokenId) ?? new Set();
    this.#companies.set(companyId, share);
    share.tokens.set(tokenId, streams.add(stream));
    share.held += 1;
    this.#all += 1;
  }

  remove(stream: EventStream): void {
    const { companyId, tokenId } = stream.actor;
    const share = this.#companies.get(companyId);
    const streams = share?.tokens.get(tokenId);
    if (!share || !streams?.delete(stream)) return;
    if (streams.size === 0) share.tokens.delete(tokenId);
    share.held -= 1;
    if (share.held === 0) this.#companies.delete(companyId);
    this.#all -= 1;
  }
}

const newestFirst = <T>(map: ReadonlyMap<string, T>): T[] => [...map.values()].reverse();

const tooMany = () => failure('RATE_LIMITED', { limit: 'streams', retryAfter: 10 });
