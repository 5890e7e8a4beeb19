import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpResponse, LiveBody } from './response.js';

/** Unless a setting says otherwise. */
export const sendingDefaults = {
  /** The most bytes of all responses of a process that their clients have not read yet. */
  unsentBytes: 128 * 1024 ** 2,
  /** Bytes a second that a client must read on average while a response waits for it. */
  leastReadingRate: 32_768,
  /** How far behind that a client may be, in milliseconds, as proxies allow. */
  readTimeout: 60_000,
} as const;

/** Calls back once the response is sent or its connection is closed, and at the latest after that time. */
export function whenSent(res: ServerResponse, milliseconds: number, callBack: () => void): void {
  const done = () => {
    clearTimeout(timer);
    res.off('close', done);
    callBack();
  };
  const timer = setTimeout(done, milliseconds).unref();
  res.once('close', done);
}

/** How much of a response is handed over at a time: how far a client has read is known to that. */
const pieceBytes = 65_536;

/** Called when a response is not taken at once, and returns what is called with each number of bytes that is taken. */
type OnWaiting = (bytes: number) => (taken: number) => void;

/** Sends a response with its length, unless one was sent. */
export function send({ status, headers, body }: HttpResponse, res: ServerResponse, onWaiting?: OnWaiting): void {
  if (res.headersSent || res.destroyed) return;
  try {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Length': length });
    if (body !== undefined && length > pieceBytes && onWaiting && res.req.method !== 'HEAD') {
      sendInPieces(typeof body === 'string' ? Buffer.from(body) : body, res, onWaiting(length));
      return;
    }
    res.end(body);
    if (isWaiting(res)) onWaiting?.(length);
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}

/** Whether the socket has not taken everything, or is another response's until that is sent. */
const isWaiting = ({ destroyed, socket }: ServerResponse) => !destroyed && socket?.writableLength !== 0;

function sendInPieces(body: Uint8Array, res: ServerResponse, onTaken: (bytes: number) => void, from = 0): void {
  const to = from + pieceBytes;
  if (to >= body.length) {
    res.end(body.subarray(from));
    return;
  }
  res.write(body.subarray(from, to), (error) => {
    if (error) return;
    onTaken(pieceBytes);
    if (!res.destroyed) sendInPieces(body, res, onTaken, to);
  });
}

/** Called when a piece is not taken at once, and returns what is called when it is. */
type OnPieceWaiting = (bytes: number) => () => void;

/** Sends a body that goes on, one piece at a time: the next is made when the connection has taken the one before. */
export async function sendLive(
  live: LiveBody,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  res: ServerResponse,
  onWaiting: OnPieceWaiting,
): Promise<void> {
  let release = () => {};
  if (res.headersSent || res.destroyed) return live.close();
  res.once('close', () => {
    live.close();
    release();
  });
  const send = (piece: string) =>
    new Promise<void>((resolve) => {
      release = resolve;
      res.write(piece, () => resolve());
    });
  try {
    res.writeHead(status, headers);
    for (let piece = await live.next(); piece !== undefined && !res.destroyed; piece = await live.next()) {
      const sent = send(piece);
      const onTaken = isWaiting(res) ? onWaiting(Buffer.byteLength(piece)) : undefined;
      await sent;
      onTaken?.();
    }
    res.end();
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}

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
