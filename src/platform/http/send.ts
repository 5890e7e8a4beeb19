import type { ServerResponse } from 'node:http';
import type { HttpResponse, LiveBody } from './response.js';

export interface SendingLimits {
  /** The most bytes of all responses of a process that their clients have not read yet. */
  unsentBytes: number;
  /** Milliseconds in which a client must have read a response. */
  readTimeout: number;
}

export const sendingDefaults: SendingLimits = { unsentBytes: 128 * 1024 ** 2, readTimeout: 60_000 };

/** Responses that connections have not taken. One that waits too long is cut off, and the oldest if they are too many. */
export class UnsentResponses {
  /** What ends each of them, the oldest first, with its response. */
  readonly #waiting = new Map<() => void, ServerResponse>();
  #bytes = 0;

  /** `onDrop` is called for each connection that is closed because the responses are too many. */
  constructor(
    private readonly limits: SendingLimits,
    private readonly onDrop: () => void,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes of a response, unless its connection has taken them, until that closes or what this returns is called. */
  count(res: ServerResponse, bytes: number): () => void {
    // The socket has something of this response, or is that of one before it.
    if (res.destroyed || res.socket?.writableLength === 0) return () => {};
    const timer = setTimeout(() => res.destroy(), this.limits.readTimeout).unref();
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
      if (this.#bytes <= this.limits.unsentBytes) break;
      endOldest();
      oldest.destroy();
      this.onDrop();
    }
    return end;
  }
}

/** Above so many characters a text is made bytes of once: counting them is as much work. */
const encodedAtOnce = 100_000;

interface Sending {
  onSent?: (bytes: number) => void;
  /** Whether the client may still send, and nobody reads. */
  isUnread?: boolean;
}

/** Sends a response with its length, unless one was sent. */
export function send(
  { status, headers, body }: HttpResponse,
  res: ServerResponse,
  { onSent = () => {}, isUnread = false }: Sending = {},
): void {
  if (res.headersSent || res.destroyed) return;
  try {
    const bytes = typeof body === 'string' && body.length > encodedAtOnce ? Buffer.from(body) : body;
    const length = bytes === undefined ? 0 : Buffer.byteLength(bytes);
    res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Length': length });
    // `end` would close the connection at once, and with it what the client has not read yet is lost.
    if (isUnread && length > 0) res.write(bytes, () => res.socket?.end());
    else res.end(bytes);
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
