import type { ServerResponse } from 'node:http';
import type { HttpResponse, LiveBody } from './response.js';

export interface SendingLimits {
  /** The most bytes of all responses of a process that their clients have not read yet. */
  unsentBytes: number;
  /** Milliseconds in which a client must have read a response, and as many more as it takes at this rate, in bytes a second. */
  readTimeout: number;
  leastReadingRate: number;
}

export const sendingDefaults: SendingLimits = {
  unsentBytes: 128 * 1024 ** 2,
  readTimeout: 60_000,
  // A poor mobile connection has that.
  leastReadingRate: 32_768,
};

/** So many responses of one caller may wait for being read. It gets no further one before. */
const mostOfCaller = 8;

/**
 * The responses that connections have not taken at once. A client that does not read its response in time is
 * disconnected, and so is the one that has waited longest when all of them together are too many.
 */
export class UnsentResponses {
  readonly #limits: SendingLimits;
  readonly #onDrop: () => void;
  /** What ends each of them, the oldest first, with its response. */
  readonly #waiting = new Map<() => void, ServerResponse>();
  readonly #ofCaller = new Map<string, number>();
  #bytes = 0;

  /** `onDrop` is called for each connection that is closed because the responses are too many. */
  constructor(limits: SendingLimits, onDrop: () => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a caller reads too few of its responses. */
  isFullFor(caller: string): boolean {
    return (this.#ofCaller.get(caller) ?? 0) >= mostOfCaller;
  }

  /** Counts a response, unless its connection has taken it, until that closes. */
  begin(res: ServerResponse, bytes: number, caller: string): void {
    if (res.destroyed || res.socket?.writableLength === 0) return;
    this.#ofCaller.set(caller, (this.#ofCaller.get(caller) ?? 0) + 1);
    res.once('close', () => {
      const left = (this.#ofCaller.get(caller) ?? 0) - 1;
      if (left > 0) this.#ofCaller.set(caller, left);
      else this.#ofCaller.delete(caller);
    });
    this.count(res, bytes);
  }

  /** Counts bytes of a response, unless its connection has taken them, until that closes or what this returns is called. */
  count(res: ServerResponse, bytes: number): () => void {
    // The socket has something of this response, or is that of one before it.
    if (res.destroyed || res.socket?.writableLength === 0) return () => {};
    const { unsentBytes, readTimeout, leastReadingRate } = this.#limits;
    const timer = setTimeout(() => res.destroy(), readTimeout + (bytes / leastReadingRate) * 1_000).unref();
    const end = () => {
      if (!this.#waiting.delete(end)) return;
      this.#bytes -= bytes;
      clearTimeout(timer);
      res.off('close', end);
    };
    res.once('close', end);
    this.#waiting.set(end, res);
    this.#bytes += bytes;
    for (const [endOldest, oldest] of this.#waiting) {
      if (this.#bytes <= unsentBytes) break;
      endOldest();
      oldest.destroy();
      this.#onDrop();
    }
    return end;
  }
}

/** Sends a response with its length, unless one was sent. */
export function send(
  { status, headers, body }: HttpResponse,
  res: ServerResponse,
  onSent: (bytes: number) => void = () => {},
): void {
  if (res.headersSent || res.destroyed) return;
  try {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Length': length });
    res.end(body);
    onSent(length);
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}

/** Sends a body that goes on, one piece at a time: the next is made when the connection has taken the one before. */
export async function sendLive(
  live: LiveBody,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  res: ServerResponse,
  unsent: UnsentResponses,
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
      const end = unsent.count(res, Buffer.byteLength(piece));
      await sent;
      end();
    }
    res.end();
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}
