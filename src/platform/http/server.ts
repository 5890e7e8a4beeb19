import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { failure, shortened } from '../failures/index.js';
import { type Overload, Seat, tooManyOfOne } from '../fairness/index.js';
import { type Callers, clientAddress } from '../limits/index.js';
import { identify, type Metrics, type RequestRecord, Telemetry } from '../telemetry/index.js';
import { Connections, closeGently, limitConnections, lingerAfter, Pipelining } from './connections.js';
import { clientFailure, type RefusalOptions, refusal } from './refusal.js';
import { headOf, type RequestHead, readTarget } from './request.js';
import type { HttpResponse } from './response.js';
import type { Handler, RequestContext } from './router.js';
import { type SendingLimits, send, sendingDefaults, sendLive, UnsentResponses, whenSent } from './send.js';

/** What responds to a request once it is admitted. */
interface ResponderOptions extends RefusalOptions {
  app: {
    handle: Handler;
    /** How a request fails before it gets a seat, if that is known already. */
    refusal: (head: RequestHead, context: RequestContext) => GraphQLError | undefined;
    /** The response to a request that gets no seat. */
    reject: (error: GraphQLError, head: RequestHead, context: RequestContext) => HttpResponse;
    /** A path as the log may show it. */
    withoutSecrets: (path: string) => string;
    callers: Pick<Callers, 'clientOf' | 'callerOf'>;
  };
  logger: Logger;
  /** If omitted, every request is admitted. */
  overload?: Overload | undefined;
}

/** A request that has come over a socket. */
interface Received {
  req: IncomingMessage;
  record: RequestRecord;
  context: RequestContext;
  /** Asks a client that waits for that to send the body. */
  askForBody: () => void;
  /** Its seat, until something else gives it back. */
  seat?: Seat | undefined;
}

/**
 * The response to a request: the pipeline's once it has a seat, or a refusal, which comes later to a caller that is refused
 * again and again. Undefined if the client left meanwhile: nobody would know of a change.
 */
async function responseFor(
  received: Received,
  unsent: UnsentResponses,
  options: ResponderOptions,
): Promise<HttpResponse | undefined> {
  const { req, record, context } = received;
  const { app, overload } = options;
  const response = await respond(received, unsent, options);
  if (!response || !overload || !isPaced(response, record)) return response;
  const client = context.client ?? { ...app.callers.clientOf(headOf(req), req.socket.remoteAddress), token: undefined };
  const pause = overload.pace.pause(app.callers.callerOf(client).id);
  if (pause === undefined) return response;
  received.seat?.leave();
  received.seat = undefined;
  if (pause === 'too many') {
    overload.countDrop();
    req.socket.destroy();
  } else await pause;
  return req.socket.destroyed ? undefined : response;
}

/** Whether a response says that its caller asks for too much, or what is not valid HTTP: neither counts for a limit. */
const isPaced = ({ status }: HttpResponse, { codes }: RequestRecord): boolean =>
  status === 429 || codes.has('MALFORMED_REQUEST');

async function respond(
  received: Received,
  unsent: UnsentResponses,
  options: ResponderOptions,
): Promise<HttpResponse | undefined> {
  const { req, record, context, askForBody } = received;
  const { app, logger, overload } = options;
  try {
    const { path, host } = readTarget(req);
    record.path = shortened(app.withoutSecrets(new URL(`http://localhost${path}`).pathname));
    req.url = path;
    if (host !== undefined) req.headers.host = host;
  } catch (error) {
    return unreadable(error as GraphQLError, received, options);
  }
  try {
    const head = headOf(req);
    const client = app.callers.clientOf(head, req.socket.remoteAddress);
    context.client = client;
    const callerNow = () => app.callers.callerOf(client);
    const seat = overload && !overload.isExempt(req.url) ? new Seat(overload, record, callerNow) : undefined;
    received.seat = seat;
    const refused = app.refusal(head, context) ?? (await seat?.enter());
    if (req.socket.destroyed) return undefined;
    if (refused) return app.reject(refused, head, context);
    if (seat && unsent.isFullFor(callerNow().id)) {
      overload?.countRefusal(record);
      return app.reject(tooManyOfOne(), head, context);
    }
    // Not written where it is assigned: V8 puts a function that is assigned to a property into old space, where it keeps
    // the whole request until the next full collection.
    const receiveBody: RequestContext['receiveBody'] = (read) => {
      askForBody();
      return seat ? seat.whileReceiving(req, read) : read();
    };
    context.receiveBody = receiveBody;
    return await app.handle(head, context);
  } catch (error) {
    logger.error({ ...record.identity, err: error }, 'unexpected error');
    return unreadable(failure('INTERNAL_SERVER_ERROR'), received, options);
  }
}

/** The response to a request that never reached the pipeline, or that it could not respond to. */
function unreadable(error: GraphQLError, { req, record }: Received, options: RefusalOptions): HttpResponse {
  record.addProblem(error);
  return refusal(error, record.identity, req, options);
}

/** Milliseconds for which a request keeps its seat while its response is being sent. */
const longestSeat = 250;

/** Takes each request from its socket to its response: record, seat, pipeline, and what is sent. */
class RequestHandler {
  /** From then on every response ends its connection. */
  isStopping = false;

  constructor(
    private readonly options: ResponderOptions,
    private readonly telemetry: Telemetry,
    private readonly connections: Connections,
    private readonly unsent: UnsentResponses,
    private readonly pipelining: Pipelining,
  ) {}

  /** `continueBody` tells a client that waits for it to send the body. */
  async handle(req: IncomingMessage, res: ServerResponse, continueBody?: () => void): Promise<void> {
    let isContinued = false;
    const askForBody = () => {
      if (!isContinued) continueBody?.();
      isContinued = true;
    };
    const identity = identify((name) => req.headers[name]);
    const record = this.telemetry.begin(identity, { req, socket: req.socket });
    const { requestId } = record.identity;
    const context: RequestContext = { requestId, record, req, responseHeaders: {} };
    this.connections.begin({ req, res, record, context }, (socket) => {
      if (this.isStopping) socket.destroySoon();
    });
    const received: Received = { req, record, context, askForBody };
    try {
      const response = await this.telemetry.run(record, () => responseFor(received, this.unsent, this.options));
      if (!response) return this.telemetry.finish(record, undefined, context);
      const { live } = response;
      if (record.isFinished) return live?.close();
      this.telemetry.finish(record, response.status, context);
      this.pipelining.note(req, res, isPaced(response, record));
      lingerAfter(req, res, continueBody !== undefined && !isContinued);
      if (this.isStopping) res.shouldKeepAlive = false;
      const { callers } = this.options.app;
      const callerNow = () => (context.client ? callers.callerOf(context.client).id : '');
      if (live) {
        const onWaiting = (bytes: number) => this.unsent.beginPiece(res, callerNow(), bytes);
        void this.telemetry.run(record, () => sendLive(live, response, res, onWaiting));
        return;
      }
      const { seat } = received;
      send(response, res, (bytes) => {
        received.seat = undefined;
        if (seat) whenSent(res, longestSeat, () => seat.leave());
        return this.unsent.begin(res, callerNow(), bytes);
      });
    } finally {
      received.seat?.leave();
    }
  }
}

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
  readonly #pipelining = new Pipelining();
  readonly #unsent: UnsentResponses;
  readonly #handler: RequestHandler;
  /** Handles a request, also one of another server. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => this.#handle(req, res);

  constructor(options: NodeServerOptions) {
    this.#options = options;
    const { trustedProxies = 0, logClient = true } = options;
    const addressOf = ({ remoteAddress: peer }: Socket, headers: IncomingMessage['headers']) =>
      clientAddress({ peer, forwardedFor: String(headers['x-forwarded-for'] ?? '') }, trustedProxies);
    this.#telemetry = new Telemetry({ ...options, addressOf: logClient ? addressOf : undefined });
    const sending = { ...sendingDefaults, ...options };
    this.#unsent = new UnsentResponses(sending, () => options.overload?.countDrop());
    this.#handler = new RequestHandler(options, this.#telemetry, this.#connections, this.#unsent, this.#pipelining);
    const invalid = new InvalidRequests(this.#connections, this.#pipelining, this.#telemetry, options);
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
        this.#pipelining.attach(socket);
      })
      .on('request', this.listener)
      .on('checkContinue', (req, res) => this.#handle(req, res, () => res.writeContinue()))
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', this.listener)
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

  #handle(req: IncomingMessage, res: ServerResponse, continueBody?: () => void): void {
    this.#pipelining.enter(req, res, () => void this.#handler.handle(req, res, continueBody));
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

interface InvalidOptions extends RefusalOptions {
  overload?: Pick<Overload, 'pace' | 'countDrop'> | undefined;
}

/** Responds to what never becomes a request: Node's parser cannot read it, or it does not come in time. */
class InvalidRequests {
  constructor(
    private readonly connections: Connections,
    private readonly pipelining: Pipelining,
    private readonly telemetry: Telemetry,
    private readonly options: InvalidOptions,
  ) {}

  /** What Node's parser cannot read, or what did not come in time. */
  refuseUnreadable(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    // It is being closed, within a bounded time, and the client may still be reading its response.
    if (socket.writableEnded) return;
    const running = this.connections.lastOn(socket);
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
    const waiting = this.pipelining.lastWaiting(socket);
    if (waiting) {
      // Those before it get their responses, and then the connection ends.
      waiting.res.shouldKeepAlive = false;
      if (!waiting.req.complete) waiting.start = () => this.#respond(failed, waiting.res, socket, waiting.req);
      return;
    }
    if (!running) {
      // The rest of a request that has its response gets no second response.
      if (this.connections.isReceivingOn(socket)) socket.destroySoon();
      else void this.#refuse(socket, failed);
      return;
    }
    const { req, res, record } = running;
    res.shouldKeepAlive = false;
    // An earlier request is complete and running. Its response comes, and then the connection ends.
    if (req.complete || record.isFinished) return;
    this.#endWith(failed, record, res, socket);
  }

  /** Responds on a socket that has no request: later to an address that sends such again and again. */
  async #refuse(socket: Socket, error: GraphQLError): Promise<void> {
    if (!this.connections.refuseOnce(socket)) return;
    const { overload } = this.options;
    const address = clientAddress({ peer: socket.remoteAddress, forwardedFor: undefined }, 0);
    const pause = overload?.pace.pause(address);
    if (pause === 'too many') {
      overload?.countDrop();
      socket.destroy();
    } else if (pause) await pause;
    if (socket.destroyed || !socket.writable) return;
    const res = new ServerResponse(new IncomingMessage(socket));
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    this.#respond(error, res, socket);
  }

  #respond(error: GraphQLError, res: ServerResponse, socket: Socket, req?: IncomingMessage): void {
    const record = this.telemetry.begin(
      identify((name) => req?.headers[name]),
      req ? { req, socket } : { socket },
    );
    this.#endWith(error, record, res, socket);
  }

  /** Responds with a failure, and ends the connection. */
  #endWith(error: GraphQLError, record: RequestRecord, res: ServerResponse, socket: Socket): void {
    res.once('finish', () => socket.destroySoon());
    record.addProblem(error);
    const response = refusal(error, record.identity, undefined, this.options);
    this.telemetry.finish(record, response.status);
    send(response, res);
  }
}
