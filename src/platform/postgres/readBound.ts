/** A request has read more than it may. */
export class ReadTooMuch extends Error {
  override readonly name = 'ReadTooMuch';

  constructor(
    readonly maximum: number,
    /** Whether a change of the request may have been committed. */
    readonly mayHaveChanged: boolean,
  ) {
    super(`the request has read more than ${maximum} characters`);
  }
}

/** From how many characters on a request reads alone. */
const readAlone = 1_000_000;

/** A request may read on when it is its turn. */
class ReadsTooEarly extends Error {
  override readonly name = 'ReadsTooEarly';
}

/** The place of a request that reads much, among those of others. Whoever made it gives it back. */
export interface LongRead {
  readonly isHeld: boolean;
  /** Takes it, or waits for it. */
  enter(): 'admitted' | Promise<unknown>;
}

/** The most characters of rows that a request reads. Of those that read many, one goes on at a time; others send again. */
export class ReadBound {
  #read = 0;
  #waiting: Promise<unknown> | undefined;
  #hasEnded = false;

  /** Without a place, as for a change, it does not wait for others. */
  constructor(
    readonly maximum: number,
    private readonly place?: LongRead,
  ) {}

  count(characters: number, mayHaveChanged: boolean): void {
    this.#read += characters;
    if (this.#read > this.maximum) throw new ReadTooMuch(this.maximum, mayHaveChanged);
    if (this.#read <= readAlone || !this.place || this.place.isHeld) return;
    // What arrives when all is over, since another part of the request has failed, takes no place that nobody would leave.
    if (this.#hasEnded || this.#waiting) throw new ReadsTooEarly();
    const place = this.place.enter();
    if (place === 'admitted') return;
    this.#waiting = place;
    throw new ReadsTooEarly();
  }

  /** Sends a statement, and again if it has come too early; `inTime` waits for a place as long as the request may. */
  async read<Result>(
    send: () => Promise<Result>,
    inTime: (place: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<Result> {
    const before = this.#read;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ReadsTooEarly) || this.#hasEnded) throw error;
    }
    // Another statement of the request may have waited for the same.
    const place = this.#waiting;
    if (place) await inTime(() => place);
    if (this.#hasEnded) throw new ReadsTooEarly();
    this.#waiting = undefined;
    this.#read = before;
    return send();
  }

  /** What its request reads after that is little, and counts from nothing. */
  end(): void {
    this.#waiting = undefined;
    this.#hasEnded = true;
    this.#read = 0;
  }
}
