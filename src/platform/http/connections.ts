import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Overload } from '../fairness/index.js';
import { clientAddress } from '../limits/index.js';
import type { RequestRecord } from '../telemetry/index.js';
import type { RequestContext } from './router.js';

const lingerMilliseconds = 5_000;
const lingerBytes = 1_048_576;
const keptBytes = 65_536;

/** Lets a connection close gently: Node alone would reset it, and a client that is still sending would lose its response. */
export function closeGently(socket: Socket): void {
  socket.destroySoon = () => discard(socket);
}

/**
 * Bounds what is read after an response that did not need the whole body. The rest of a short body is read, and the
 * connection is kept. Otherwise the connection is closed.
 */
export function lingerAfter(req: IncomingMessage, res: ServerResponse, isExpectingContinue: boolean): void {
  if (req.complete) return;
  const { socket } = req;
  const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > keptBytes || isExpectingContinue) res.shouldKeepAlive = false;
  const cutOff = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  req.once('close', () => clearTimeout(cutOff));
  closeGently(socket);
}

/**
 * Ends our side after what is still to be sent, and reads a bounded amount of what the client still sends until it ends
 * its side too. Both may take a bounded time.
 */
function discard(socket: Socket): void {
  socket.destroySoon = () => {};
  const cutOff = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  let read = 0;
  socket.end();
  socket.once('close', () => clearTimeout(cutOff));
  socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
    read += chunk.length;
    // The client is held back from here on, and can still read its response.
    if (read > lingerBytes) socket.pause();
  });
  socket.resume();
}

/** A request that has no response yet. */
interface Running {
  req: IncomingMessage;
  res: ServerResponse;
  record: RequestRecord;
  context: RequestContext;
}

interface Connection {
  running: Set<Running>;
  /** The last request of which the headers have come. */
  latest?: IncomingMessage;
  /** Whether it got the response to what is no request: Node reports what follows again. */
  isRefused?: true;
}

/** Every open connection, with the requests on it that have no response yet. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();

  add(socket: Socket): Connection {
    const connection: Connection = { running: new Set() };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    return connection;
  }

  /** Keeps a request until its response is sent, or its connection is gone. */
  begin(running: Running, onLast: (socket: Socket) => void): void {
    const { socket } = running.req;
    const known = this.#open.get(socket);
    // Its client has left already, and nothing will say so again.
    if (running.res.closed || (!known && socket.destroyed)) return;
    // The connections of another server are known from their first request on.
    const connection = known ?? this.add(socket);
    connection.latest = running.req;
    const { running: others } = connection;
    others.add(running);
    running.res.once('close', () => {
      others.delete(running);
      if (others.size === 0) onLast(socket);
    });
  }

  /** Every request that has no response yet. */
  running(): Running[] {
    return [...this.#open.values()].flatMap(({ running }) => [...running]);
  }

  /** The last of the requests on a connection that have no response yet. */
  lastOn(socket: Socket): Running | undefined {
    return [...(this.#open.get(socket)?.running ?? [])].at(-1);
  }

  /** Whether the rest of a request, with or without a response, is still to come. */
  isReceivingOn(socket: Socket): boolean {
    return this.#open.get(socket)?.latest?.complete === false;
  }

  /** Whether nothing was refused on the connection before. */
  refuseOnce(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (!connection || connection.isRefused) return false;
    connection.isRefused = true;
    return true;
  }

  /** Ends the connections that have no request. */
  endIdle(): void {
    for (const [socket, { running }] of this.#open) {
      if (running.size === 0) socket.destroy();
    }
  }

  /** Ends every connection. */
  endAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}

interface LimitOptions {
  most: number;
  connections: Pick<Connections, 'lastOn'>;
  overload?: Pick<Overload, 'countDrop'> | undefined;
}

/**
 * Bounds the number of open connections. For one from an address that has fewer than another, the other's oldest without
 * a request is closed, so that nobody keeps others out by connections that do nothing. Any other new one is closed at
 * once. Node's own limit would close just any, and workers would hand connections on to each other, round and round.
 */
export function limitConnections(server: Server, { most, connections, overload }: LimitOptions): void {
  const open = new Map<string, Set<Socket>>();
  let count = 0;
  /** Those of the address that has most, or had when it last opened one. */
  let largest = new Set<Socket>();

  const firstIdle = () => {
    for (const socket of largest) if (!socket.destroyed && !connections.lastOn(socket)) return socket;
    return undefined;
  };
  const forget = (socket: Socket, address: string, own: Set<Socket>) => {
    if (own.delete(socket)) count -= 1;
    if (own.size === 0) open.delete(address);
  };

  server.prependListener('connection', (socket: Socket) => {
    const address = clientAddress({ peer: socket.remoteAddress, forwardedFor: undefined }, 0);
    const own = open.get(address) ?? new Set();
    if (count >= most) {
      const idle = own.size + 1 < largest.size ? firstIdle() : undefined;
      (idle ?? socket).destroy();
      overload?.countDrop();
      if (!idle) return;
    }
    open.set(address, own.add(socket));
    count += 1;
    if (own.size >= largest.size) largest = own;
    socket.once('close', () => forget(socket, address, own));
  });
}
