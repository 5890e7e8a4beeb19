import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GraphQLError } from 'graphql';
import { identify } from '../../telemetry/requestId.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { clientFailure } from './clientFailure.js';
import type { Connections } from './connections.js';
import { type RefusalOptions, refusal } from './refusal.js';
import { send } from './send.js';

/** Responds to what never becomes a request: Node's parser cannot read it, or it does not come in time. */
export class InvalidRequests {
  readonly #connections: Connections;
  readonly #telemetry: Telemetry;
  readonly #options: RefusalOptions;

  constructor(connections: Connections, telemetry: Telemetry, options: RefusalOptions) {
    this.#connections = connections;
    this.#telemetry = telemetry;
    this.#options = options;
  }

  /** What Node's parser cannot read, or what did not come in time. */
  refuseUnreadable(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    // It is being closed, within a bounded time, and the client may still be reading its response.
    if (socket.writableEnded) return;
    const running = this.#connections.lastOn(socket);
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (running?.res.headersSent) {
      // The whole response is on its way. What came after it gets none.
      socket.destroySoon();
      return;
    }
    const failed = clientFailure(error);
    if (!running) {
      // The rest of a request that has its response gets no second response.
      if (this.#connections.isReceivingOn(socket)) socket.destroySoon();
      else this.#refuse(socket, failed);
      return;
    }
    const { req, res, record } = running;
    res.shouldKeepAlive = false;
    // An earlier request is complete and running. Its response comes, and then the connection ends.
    if (req.complete || record.isFinished) return;
    this.#endWith(failed, record, res, socket);
  }

  /** Responds on a socket that has no request. */
  #refuse(socket: Socket, error: GraphQLError): void {
    if (!this.#connections.refuseOnce(socket)) return;
    const res = new ServerResponse(new IncomingMessage(socket));
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    this.#endWith(
      error,
      this.#telemetry.begin(
        identify(() => undefined),
        { socket },
      ),
      res,
      socket,
    );
  }

  /** Responds with a failure, and ends the connection. */
  #endWith(error: GraphQLError, record: RequestRecord, res: ServerResponse, socket: Socket): void {
    res.once('finish', () => socket.destroySoon());
    record.addProblem(error);
    const response = refusal(error, record.identity, undefined, this.#options);
    this.#telemetry.finish(record, response.status);
    send(response, res);
  }
}
