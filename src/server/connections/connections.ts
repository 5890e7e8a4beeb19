import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestContext } from '../../http/route.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';

/** A request that is not answered yet. */
export interface Running {
  req: IncomingMessage;
  res: ServerResponse;
  record: RequestRecord;
  context: RequestContext;
}

/** Every open connection, with the requests on it that are not answered yet. */
export class Connections {
  readonly #running = new Map<Socket, Set<Running>>();
  /** The last request of which each connection has sent the headers. */
  readonly #latest = new WeakMap<Socket, IncomingMessage>();

  add(socket: Socket): void {
    this.#running.set(socket, new Set());
    socket.once('close', () => this.#running.delete(socket));
  }

  /** Keeps a request until it is answered, or its connection is gone. */
  begin(running: Running, onLast: (socket: Socket) => void): void {
    const { socket } = running.req;
    const others = this.#running.get(socket);
    this.#latest.set(socket, running.req);
    others?.add(running);
    running.res.once('close', () => {
      others?.delete(running);
      if (others?.size === 0) onLast(socket);
    });
  }

  /** Every request that is not answered yet. */
  running(): Running[] {
    return [...this.#running.values()].flatMap((running) => [...running]);
  }

  /** The last of the requests on a connection that are not answered yet. */
  lastOn(socket: Socket): Running | undefined {
    return [...(this.#running.get(socket) ?? [])].at(-1);
  }

  /** Whether the rest of a request, answered or not, is still to come. */
  isReceivingOn(socket: Socket): boolean {
    return this.#latest.get(socket)?.complete === false;
  }

  /** Ends the connections that have no request. */
  endIdle(): void {
    for (const [socket, running] of this.#running) {
      if (running.size === 0) socket.destroy();
    }
  }

  /** Ends every connection, also those that Node has forgotten: after CONNECT it leaves them to us. */
  endAll(): void {
    for (const socket of this.#running.keys()) socket.destroy();
  }
}
