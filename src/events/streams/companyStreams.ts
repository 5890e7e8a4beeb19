import type { Database } from '../../database/query/client.js';
import { newScope } from '../../database/query/requestScope.js';
import { failure } from '../../errors/failures.js';
import { eventCursor } from '../eventCursor.js';
import type { Trouble } from '../trouble.js';
import type { EventStream } from './eventStream.js';
import { readStreams, type StreamReading } from './readStreams.js';

export interface ReadingOptions {
  db: Database;
  /** How long a statement may take, in milliseconds. */
  timeout: number;
  now: () => number;
  trouble: Trouble;
}

/** After how long without an event the token is checked, and the client hears that the stream lives. */
const quietMilliseconds = 9_000;
/** The most streams that one statement reads for. */
const most = 500;

/** The streams of one company, for which one statement at a time reads. */
export class CompanyStreams {
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
    const { db, timeout, trouble } = this.#options;
    try {
      while (this.#due.size > 0) {
        const asked = [...this.#due].slice(0, most);
        const readings = await readStreams(db.within(newScope(timeout)), this.#companyId, asked);
        trouble.onSuccess();
        for (const [index, stream] of asked.entries()) this.#give(stream, readings[index]);
      }
    } catch (error) {
      trouble.onFailure(error);
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
      if (passed) stream.pass(passed.sequence, eventCursor(passed.sequence, passed.id));
      else stream.pass(lastSequence);
      if (this.#isQuiet(stream)) stream.yieldPosition();
      else this.wait(stream);
    }
  }

  #isQuiet({ isWaiting, yieldedAt }: EventStream): boolean {
    return isWaiting && yieldedAt < this.#options.now() - quietMilliseconds;
  }
}
