import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SendingLimits {
  /** The most bytes of all responses that their clients have not read yet. From half of it on, new requests may be refused. */
  unsentBytes: number;
  /** Bytes a second that a client must read on average, once its connection takes no more. */
  leastReadingRate: number;
  /** Milliseconds that a client may be behind that. */
  readTimeout: number;
}

/** A connection that has not taken all of its responses. */
interface Waiting {
  socket: Socket;
  /** Who gets the latest of the responses. */
  caller: string;
  bytes: number;
  /** When the client will have read too slowly, unless it reads on. */
  deadline: number;
  forget: () => void;
}

const longestInterval = 1_000;

/**
 * Bounds the memory of all responses of a gateway that are not sent yet, whatever their clients do. A client must read at
 * a least rate. When the responses are too many, the connection that reads the slowest is closed, of the caller that has
 * the most. Decisions: "Input and order of checks".
 */
export class UnsentResponses {
  readonly #limits: SendingLimits;
  readonly #onDrop: () => void;
  readonly #waiting = new Map<Socket, Waiting>();
  /** How many bytes each caller has. */
  readonly #shares = new Map<string, number>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onDrop` is called for each connection that is closed because the responses are too many. */
  constructor(limits: SendingLimits, onDrop: () => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the responses take half of what they may, and those of this caller more than its part. */
  isFullFor(caller: string): boolean {
    const most = this.#limits.unsentBytes / 2;
    if (this.#bytes < most) return false;
    return (this.#shares.get(caller) ?? 0) > most / this.#shares.size;
  }

  /** Counts a response until it is sent, or its connection is closed. Returns what is called as the connection takes it. */
  begin(res: ServerResponse, caller: string, bytes: number): (taken: number) => void {
    const waiting = this.#add(res.req.socket, caller, bytes);
    res.once('close', () => this.#end(waiting, bytes));
    this.#drop();
    const { leastReadingRate, readTimeout } = this.#limits;
    return (taken) => {
      const earned = (taken / leastReadingRate) * 1_000;
      waiting.deadline = Math.min(waiting.deadline + earned, performance.now() + readTimeout);
    };
  }

  /** Counts a piece of a response that goes on, until what this returns is called or its connection is closed. */
  beginPiece(res: ServerResponse, caller: string, bytes: number): () => void {
    const waiting = this.#add(res.req.socket, caller, bytes);
    this.#drop();
    return () => this.#end(waiting, bytes);
  }

  #add(socket: Socket, caller: string, bytes: number): Waiting {
    const waiting = this.#waiting.get(socket) ?? this.#wait(socket);
    this.#count(waiting, -waiting.bytes);
    waiting.caller = caller;
    waiting.bytes += bytes;
    this.#count(waiting, waiting.bytes);
    return waiting;
  }

  #wait(socket: Socket): Waiting {
    const forget = () => this.#forget(waiting);
    const deadline = performance.now() + this.#limits.readTimeout;
    const waiting: Waiting = { socket, caller: '', bytes: 0, deadline, forget };
    this.#waiting.set(socket, waiting);
    // A response that waits for another one on its connection is not told that this has closed.
    socket.once('close', forget);
    this.#timer ??= setInterval(
      () => this.#closeSlow(),
      Math.min(longestInterval, this.#limits.readTimeout / 4),
    ).unref();
    return waiting;
  }

  #end(waiting: Waiting, bytes: number): void {
    if (this.#waiting.get(waiting.socket) !== waiting) return;
    waiting.bytes -= bytes;
    this.#count(waiting, -bytes);
    if (waiting.bytes === 0) this.#forget(waiting);
  }

  #forget(waiting: Waiting): void {
    const { socket, bytes, forget } = waiting;
    if (this.#waiting.get(socket) !== waiting) return;
    this.#waiting.delete(socket);
    this.#count(waiting, -bytes);
    socket.off('close', forget);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #close(waiting: Waiting): void {
    this.#forget(waiting);
    waiting.socket.destroy();
  }

  #closeSlow(): void {
    const now = performance.now();
    for (const waiting of [...this.#waiting.values()]) if (waiting.deadline < now) this.#close(waiting);
  }

  #drop(): void {
    while (this.#bytes > this.#limits.unsentBytes) {
      const [heaviest] = [...this.#shares].reduce((one, other) => (other[1] > one[1] ? other : one));
      const slowest = [...this.#waiting.values()]
        .filter(({ caller }) => caller === heaviest)
        .reduce((one, other) => (other.deadline < one.deadline ? other : one));
      this.#close(slowest);
      this.#onDrop();
    }
  }

  #count({ caller }: Waiting, bytes: number): void {
    this.#bytes += bytes;
    const share = (this.#shares.get(caller) ?? 0) + bytes;
    if (share > 0) this.#shares.set(caller, share);
    else this.#shares.delete(caller);
  }
}
