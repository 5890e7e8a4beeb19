import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestContext } from '../../http/route.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';

/** A request that has no response yet. */
export interface Running {
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
