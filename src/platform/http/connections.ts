import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestContext } from './requestContext.js';

/** A request that has no response yet. */
export interface Running {
  req: IncomingMessage;
  res: ServerResponse;
  /** Undefined as long as it waits for those before it on its connection. */
  known?: RequestContext;
  start: (running: Running) => void;
}

interface Connection {
  /** The requests that have no response yet, of which only the first runs. */
  requests: Running[];
  /** Whether one has had its response in this turn of the event loop: the next one waits for what others have sent. */
  isResting: boolean;
  /** The last request of which the headers have come. */
  latest?: IncomingMessage;
}

/** So many requests may wait on a connection for the responses before them. A client that sends more is disconnected. */
const mostWaiting = 200;

/** The open connections. Requests on one run in order, however many a client pipelines (RFC 9112, 9.3.2). */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** Whether a connection ends with its last response, although its client was not told. */
  #isEnding = false;

  /** Keeps a new connection until it closes. */
  add(socket: Socket): Connection {
    const connection: Connection = { requests: [], isResting: false };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    return connection;
  }

  /** Starts a request once those before it on its connection have their responses, unless that closes before. */
  enter(running: Running): void {
    const { socket } = running.req;
    if (socket.destroyed) return;
    // The connections of another server are known from their first request on.
    const connection = this.#open.get(socket) ?? this.add(socket);
    connection.latest = running.req;
    connection.requests.push(running);
    if (connection.requests.length === 1 && !connection.isResting) this.#start(socket, connection, running);
    else if (connection.requests.length > mostWaiting) socket.destroy();
  }

  #start(socket: Socket, connection: Connection, running: Running): void {
    running.res.once('close', () => {
      connection.requests.shift();
      if (connection.requests.length === 0 && this.#isEnding) socket.end();
      // Many short requests must not keep the process: of those that come in one piece, Node's parser calls one after the other.
      connection.isResting = true;
      setImmediate(() => {
        connection.isResting = false;
        this.#startNext(socket, connection);
      });
    });
    running.start(running);
  }

  #startNext(socket: Socket, connection: Connection): void {
    const [next] = connection.requests;
    if (next && !socket.destroyed && !socket.writableEnded) this.#start(socket, connection, next);
  }

  running(): Running[] {
    return [...this.#open.values()].flatMap(({ requests }) => requests.slice(0, 1));
  }

  /** The last of the requests on a connection that have no response yet. */
  lastOn(socket: Socket): Running | undefined {
    return this.#open.get(socket)?.requests.at(-1);
  }

  /** Whether the rest of a request, with or without a response, is still to come. */
  isReceivingOn(socket: Socket): boolean {
    return this.#open.get(socket)?.latest?.complete === false;
  }

  /** Ends what has no request, and from then on each of the others with its last response. */
  endIdle(): void {
    this.#isEnding = true;
    for (const [socket, { requests }] of this.#open) if (requests.length === 0) socket.destroy();
  }

  endAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
