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
 * once. Node's own limit would close just any.
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

/** What Node's parser gets at a time: it reads all requests in that before the first of them runs. */
const pieceBytes = 4_096;
/** What is kept of a connection's requests that are not parsed yet. More is left to the kernel, and so to the client. */
const mostHeld = 65_536;
/** So many refusals one after the other end the connection. */
const mostRefused = 20;

/** A request that waits for those before it on its connection. */
interface Waiting {
  req: IncomingMessage;
  res: ServerResponse;
  start: () => void;
}

/** The requests of one connection. */
interface Line {
  isRunning: boolean;
  waiting: Waiting[];
  /** Reads on where the parser has stopped. */
  readOn: () => void;
  /** How many have been refused since one was not. */
  refused: number;
}

/**
 * Lets the requests of a connection run one by one, however many a client sends without waiting for responses: those
 * that are not safe must not overtake each other (RFC 9112, 9.3.2), and what a caller costs does not depend on it. The
 * next ones are not even parsed meanwhile.
 */
export class Pipelining {
  readonly #lines = new WeakMap<Socket, Line>();

  /** Takes over what a connection reads, as its first request does on a server of somebody else. */
  attach(socket: Socket): void {
    this.#lineOf(socket);
  }

  /** Starts a request once those before it on its connection have their responses, unless it closes before. */
  enter(req: IncomingMessage, res: ServerResponse, start: () => void): void {
    const line = this.#lineOf(req.socket);
    const entered = { req, res, start };
    if (line.isRunning) {
      line.waiting.push(entered);
      line.readOn();
    } else this.#run(line, entered);
  }

  /** The last request on a connection that has not started yet. */
  lastWaiting(socket: Socket): Waiting | undefined {
    return this.#lines.get(socket)?.waiting.at(-1);
  }

  /** Notes whether a request was refused, and ends a connection on which nothing else happens. */
  note({ socket }: IncomingMessage, res: ServerResponse, isRefused: boolean): void {
    const line = this.#lineOf(socket);
    line.refused = isRefused ? line.refused + 1 : 0;
    if (line.refused >= mostRefused) res.shouldKeepAlive = false;
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known) return known;
    const line: Line = { isRunning: false, waiting: [], readOn: () => {}, refused: 0 };
    this.#lines.set(socket, line);
    feedInPieces(socket, line);
    return line;
  }

  #run(line: Line, { req, res, start }: Waiting): void {
    line.isRunning = true;
    // After what others have sent meanwhile: many short requests must not keep the process.
    const next = () => void setImmediate(() => this.#runNext(line, req.socket));
    if (res.closed) next();
    else res.once('close', next);
    start();
  }

  #runNext(line: Line, socket: Socket): void {
    line.isRunning = false;
    if (socket.destroyed || socket.writableEnded) {
      line.waiting = [];
      return;
    }
    const next = line.waiting.shift();
    if (next) this.#run(line, next);
    line.readOn();
  }
}

/** Has Node parse what a socket reads piece by piece, and only while no request waits: it would parse all that has come. */
function feedInPieces(socket: Socket, line: Line): void {
  const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  if (!parse) return;
  let held: Buffer = Buffer.alloc(0);
  const setPaused = pausing(socket);
  const onData = (chunk: Buffer) => {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    line.readOn();
  };
  line.readOn = () => {
    // It is closed as soon as the client has read its response.
    if (socket.writableEnded || socket.destroyed || !socket.listeners('data').includes(onData)) return;
    while (held.length > 0 && line.waiting.length === 0) {
      const piece = held.subarray(0, pieceBytes);
      held = held.subarray(pieceBytes);
      parse(piece);
    }
    setPaused(held.length >= mostHeld);
  };
  socket.off('data', parse).on('data', onData);
}

/** Pauses a socket, and resumes what it has paused. */
function pausing(socket: Socket): (isPaused: boolean) => void {
  let wasPaused = false;
  return (isPaused) => {
    // Node resumes a socket by itself when a request reads its body.
    if (isPaused ? !socket.isPaused() : wasPaused) socket[isPaused ? 'pause' : 'resume']();
    wasPaused = isPaused;
  };
}
