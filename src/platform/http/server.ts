import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import { clientAddress } from '../limits/index.js';
import { identify, type Metrics, type RequestRecord, Telemetry } from '../telemetry/index.js';
import { Connections, closeGently, limitConnections } from './connections.js';
import { clientFailure, type RefusalOptions, refusal } from './refusal.js';
import { RequestHandler, type ResponderOptions } from './respond.js';
import { type SendingLimits, send, sendingDefaults, UnsentResponses } from './send.js';

/** Longer than proxies keep a connection without a request (60 s), so that none sends one on a connection that just ends. */
const keepAliveTimeout = 65_000;

/** Long enough for a body of the usual limit over a slow line, in milliseconds. Meanwhile it takes memory. */
const defaultRequestTimeout = 30_000;

const pollMilliseconds = 20;

interface NodeServerOptions extends ResponderOptions, Partial<SendingLimits> {
  /** If omitted, nothing is counted. */
  metrics?: Metrics | undefined;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  trustedProxies?: number;
  /** Whether the log has the addresses of clients; true if omitted. */
  logClient?: boolean;
  /** Most open connections. */
  maxConnections?: number;
  /** Called when no new connection is taken any more. */
  onClosing?: () => void;
  /** Milliseconds in which a client must have sent its request; 30,000 if omitted. */
  requestTimeout?: number;
}

interface Drain {
  /** How long running requests may take. */
  milliseconds: number;
  /** How long new connections are still taken, for a balancer to notice that this server stops. */
  delayMilliseconds: number;
}

/** Node's server in front of the gateway. Whatever comes over a socket gets a response of the error catalogue. */
export class NodeServer {
  readonly server: Server;
  readonly #options: NodeServerOptions;
  readonly #telemetry: Telemetry;
  readonly #connections = new Connections();
  readonly #unsent: UnsentResponses;
  readonly #handler: RequestHandler;
  /** Handles a request, also one of another server. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => void this.#handler.handle(req, res);

  constructor(options: NodeServerOptions) {
    this.#options = options;
    const { trustedProxies = 0, logClient = true } = options;
    const addressOf = ({ remoteAddress: peer }: Socket, headers: IncomingMessage['headers']) =>
      clientAddress({ peer, forwardedFor: String(headers['x-forwarded-for'] ?? '') }, trustedProxies);
    this.#telemetry = new Telemetry({ ...options, addressOf: logClient ? addressOf : undefined });
    const sending = { ...sendingDefaults, ...options };
    this.#unsent = new UnsentResponses(sending, () => options.overload?.countDrop());
    this.#handler = new RequestHandler(options, this.#telemetry, this.#connections, this.#unsent);
    const invalid = new InvalidRequests(this.#connections, this.#telemetry, options);
    const { requestTimeout = defaultRequestTimeout, maxConnections } = options;
    this.server = createServer({
      requestTimeout,
      headersTimeout: requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
      // Our own check responds with a problem.
      requireHostHeader: false,
    })
      .on('connection', (socket: Socket) => {
        closeGently(socket);
        this.#connections.add(socket);
      })
      .on('request', this.listener)
      .on('checkContinue', (req, res) => void this.#handler.handle(req, res, () => res.writeContinue()))
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', (req, res) => void this.#handler.handle(req, res))
      .on('clientError', (error, socket) => invalid.refuseUnreadable(error, socket as Socket))
      .setTimeout(sending.readTimeout, (socket: Socket) => {
        // Nothing was sent or read meanwhile. A request may run for longer.
        if (socket.writableLength > 0 || !this.#connections.lastOn(socket)) socket.destroy();
      });
    // Node would drop further headers silently. Their size is bounded.
    this.server.maxHeadersCount = 0;
    const { overload } = options;
    if (maxConnections)
      limitConnections(this.server, { most: maxConnections, connections: this.#connections, overload });
  }

  /** Bytes of responses that clients have not read yet. */
  get unsentBytes(): number {
    return this.#unsent.bytes;
  }

  /** Waits until no request is running, also of another server, but no longer than that. */
  async untilIdle(milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (this.#connections.running().length > 0 && performance.now() < deadline) await setTimeout(pollMilliseconds);
  }

  /**
   * Stops: from now on every response ends its connection. After the delay, takes no new connections and closes those
   * without a running request. After the time given, cuts off what still runs. Returns how many requests that were.
   */
  async stop({ milliseconds, delayMilliseconds }: Drain): Promise<number> {
    this.#handler.isStopping = true;
    for (const { res } of this.#connections.running()) if (!res.headersSent) res.shouldKeepAlive = false;
    if (delayMilliseconds > 0) await setTimeout(delayMilliseconds);
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.#options.onClosing?.();
    this.#connections.endIdle();
    await Promise.race([closed, setTimeout(milliseconds, undefined, { ref: false })]);
    const cut = this.#connections.running();
    for (const { record, context } of cut) this.#telemetry.finish(record, undefined, context);
    this.#connections.endAll();
    await closed;
    return cut.length;
  }
}

/** Responds to what never becomes a request: Node's parser cannot read it, or it does not come in time. */
class InvalidRequests {
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
