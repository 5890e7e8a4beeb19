import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { failure, shortened } from '../failures/index.js';
import type { Callers } from '../limits/index.js';
import type { RequestScope } from '../postgres/index.js';
import { type Metrics, type RequestRecord, Telemetry } from '../telemetry/index.js';
import { type Overload, Seat } from './admission.js';
import { Connections, type Running } from './connections.js';
import { fetchFrom } from './fetch.js';
import { headOf, readTarget } from './request.js';
import type { RequestContext } from './requestContext.js';
import { corsHeaders, type HttpResponse, problemResponse, withCommonHeaders } from './response.js';
import type { Router } from './router.js';
import { type SendingLimits, send, sendingDefaults, sendLive, UnsentResponses } from './send.js';

/** The failure of what Node's parser could not read, or what did not come in time. */
function clientFailure({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): GraphQLError {
  if (code === 'HPE_INVALID_EOF_STATE')
    return failure('MALFORMED_REQUEST', { problem: 'it ends before it is complete' });
  if (code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT');
  return failure('MALFORMED_REQUEST', { problem: (reason ?? message).replace(/\.$/, '') });
}

interface RefusalOptions {
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
}

/** The response to what is no request, or could not be responded to, with everything that a response of the gateway has. */
function refusal(
  error: GraphQLError,
  record: RequestRecord,
  req: IncomingMessage | undefined,
  { publicUrl, corsOrigins = [] }: RefusalOptions,
): HttpResponse {
  const { requestId } = record.identity;
  record.addProblem(error);
  return withCommonHeaders(problemResponse(error, requestId, publicUrl), {
    requestId,
    responseHeaders: corsHeaders(corsOrigins, req?.headers.origin),
  });
}

/** What responds to a request once it is admitted. */
interface ResponderOptions extends RefusalOptions {
  app: Router & {
    withoutSecrets: (path: string) => string;
    callers: Pick<Callers, 'addressOf' | 'clientOf' | 'callerOf'>;
    newScope: (record: RequestRecord) => RequestScope;
  };
  logger: Logger;
  /** If omitted, every request is admitted. */
  overload?: Overload | undefined;
}

/** The response to a request: the pipeline's once it has a seat. Undefined if the client left meanwhile: nobody would know of a change. */
async function respond(
  context: RequestContext,
  seat: Seat | undefined,
  options: ResponderOptions,
): Promise<HttpResponse | undefined> {
  const { req, record, client } = context;
  const { app, logger, overload } = options;
  let malformed: GraphQLError | undefined;
  try {
    const { path, host } = readTarget(req);
    record.path = shortened(app.withoutSecrets(new URL(`http://localhost${path}`).pathname));
    req.url = path;
    if (host !== undefined) req.headers.host = host;
  } catch (error) {
    malformed = error as GraphQLError;
  }
  const isExempt = overload?.isExempt(req.url ?? '') ?? true;
  try {
    const head = headOf(req);
    if (overload && (malformed || !app.needsSeat(head, context))) {
      await overload.takeTurn(client.address, isExempt && !malformed);
      if (req.socket.destroyed) return undefined;
    }
    if (malformed) return refusal(malformed, record, req, options);
    const refused = app.refusal(head, context) ?? (isExempt ? undefined : await seat?.enter());
    if (req.socket.destroyed) return undefined;
    if (refused) return app.reject(refused, head, context);
    return await app.handle(head, context);
  } catch (error) {
    logger.error({ ...record.identity, err: error }, 'unexpected error');
    return refusal(failure('INTERNAL_SERVER_ERROR'), record, req, options);
  }
}

/** How long a client may take to read a refusal while it sends what nobody reads, in milliseconds. */
const lingerMilliseconds = 5_000;
/** So much of a body that is not needed is read, and the connection kept. */
const keptBytes = 65_536;

/** Whether the body is or may be longer. */
const isLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > keptBytes;

/** Reads the rest of a short body. A longer one ends its connection, a while after the response. Returns whether it is short. */
function dropBody(req: IncomingMessage, res: ServerResponse): boolean {
  const isShort = !isLong(req);
  if (!isShort) endAfter(res);
  let read = 0;
  const cutOff = setTimeout(() => req.socket.destroy(), lingerMilliseconds).unref();
  req.once('close', () => clearTimeout(cutOff));
  req.on('data', ({ length }: Buffer) => {
    read += length;
    if (read > keptBytes) req.pause();
  });
  req.resume();
  return isShort;
}

/** Ends the connection of a response after that. */
function endAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Longer than proxies keep a connection without a request (60 s), so that none sends one on a connection that just ends. */
const keepAliveTimeout = 65_000;

/** Long enough for a body of the usual limit over a slow line, in milliseconds. Meanwhile it takes memory. */
const defaultRequestTimeout = 30_000;

const pollMilliseconds = 20;
/** How long a server that takes no new connections waits for requests that are on their way on those it has. */
const lastRequestsMilliseconds = 200;
/** A balancer that has sent nothing for so long has noticed that this server stops. */
const quietMilliseconds = 500;

interface NodeServerOptions extends ResponderOptions, Partial<SendingLimits> {
  /** If omitted, nothing is counted. */
  metrics?: Metrics | undefined;
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
  readonly #telemetry: Telemetry;
  readonly #connections = new Connections();
  readonly #unsent: UnsentResponses;
  /** From then on each response says that it is the last one of its connection. */
  #isStopping = false;
  /** When a request came last, those of balancers and supervisors aside. */
  #askedAt = 0;
  /** Handles a request, also one of another server. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void =>
    this.#connections.enter({ req, res, start: (running) => void this.#handle(running) });
  /** The same for a Request of fetch. */
  readonly fetch = (request: Request): Promise<Response> => fetchFrom(this.server, request);

  constructor(private readonly options: NodeServerOptions) {
    const { app, requestTimeout = defaultRequestTimeout, maxConnections } = options;
    this.#telemetry = new Telemetry({ ...options, withoutSecrets: app.withoutSecrets });
    const onDrop = () => options.overload?.countDrop();
    this.#unsent = new UnsentResponses({ ...sendingDefaults, ...options }, onDrop);
    const invalid = new InvalidRequests(this.#connections, this.#telemetry, options);
    this.server = createServer({
      requestTimeout,
      headersTimeout: requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
      // Our own check responds with a problem.
      requireHostHeader: false,
    })
      .on('connection', (socket: Socket) => this.#connections.add(socket))
      .on('drop', onDrop)
      .on('request', this.listener)
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', this.listener)
      .on('clientError', (error, socket) => invalid.refuse(error, socket as Socket));
    // Node would drop further headers silently. Their size is bounded.
    this.server.maxHeadersCount = 0;
    if (maxConnections) this.server.maxConnections = maxConnections;
  }

  /** Takes a request from its socket to its response: record, seat, pipeline, and what is sent. */
  async #handle(running: Running): Promise<void> {
    const { req, res } = running;
    const { app, overload } = this.options;
    const client = app.callers.clientOf(req);
    const record = this.#telemetry.begin(client.address, req);
    const { requestId } = record.identity;
    const seat = overload && new Seat(overload, record, () => app.callers.callerOf(client));
    const context = { requestId, record, scope: app.newScope(record), req, client, seat, responseHeaders: {} };
    running.known = context;
    if (!overload?.isExempt(req.url ?? '')) this.#askedAt = performance.now();
    try {
      const response = await this.#telemetry.run(record, () => respond(context, seat, this.options));
      if (!response) return this.#telemetry.finish(record, undefined, context);
      const { live } = response;
      if (record.isFinished) return live?.close();
      this.#telemetry.finish(record, response.outcome ?? response.status, context);
      if (this.#isStopping) endAfter(res);
      const isUnread = !req.complete && !dropBody(req, res);
      if (live) void this.#telemetry.run(record, () => sendLive(live, response, res, this.#unsent));
      else send(response, res, { onSent: (bytes) => this.#unsent.count(res, bytes), isUnread });
    } finally {
      seat?.leave();
    }
  }

  /** Bytes of responses that clients have not read yet. */
  get unsentBytes(): number {
    return this.#unsent.bytes;
  }

  /** Waits until no request is running, also of another server, but no longer than that. */
  async untilIdle(milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (this.#connections.running().length > 0 && performance.now() < deadline) await sleep(pollMilliseconds);
  }

  /** While others still connect, closing the port would reset the connections that nobody has accepted yet. */
  async #untilQuiet(milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    const isQuiet = () => performance.now() - this.#askedAt > quietMilliseconds;
    while (!isQuiet() && performance.now() < deadline) await sleep(pollMilliseconds);
  }

  /** Takes no new connections after the delay, and cuts off what still runs after the time. Returns how many requests that were. */
  async stop({ milliseconds, delayMilliseconds }: Drain): Promise<number> {
    this.#isStopping = true;
    const deadline = performance.now() + delayMilliseconds + milliseconds;
    if (delayMilliseconds > 0) {
      await sleep(delayMilliseconds);
      await this.#untilQuiet(milliseconds / 2);
    }
    // That of node:http would also close connections on which a request may be on its way.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.server, resolve));
    this.options.onClosing?.();
    await Promise.race([closed, sleep(lastRequestsMilliseconds)]);
    this.#connections.endIdle();
    await Promise.race([closed, sleep(deadline - performance.now(), undefined, { ref: false })]);
    const cut = this.#connections.running();
    for (const { known } of cut) if (known) this.#telemetry.finish(known.record, undefined, known);
    this.#connections.endAll();
    await closed;
    return cut.length;
  }
}

/** Ends a connection, of which the client may still read this. */
function end(socket: Socket, text?: string): void {
  socket.end(text ?? '');
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

/** Responds to what never becomes a request: Node's parser cannot read it, or it does not come in time. */
class InvalidRequests {
  constructor(
    private readonly connections: Connections,
    private readonly telemetry: Telemetry,
    private readonly options: ResponderOptions,
  ) {}

  refuse(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    // It is being closed, within a bounded time, and the client may still be reading its response.
    if (socket.writableEnded) return;
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const last = this.connections.lastOn(socket);
    if (last) this.#refuseAfter(last, error);
    // The rest of a request that has its response gets no second response.
    else if (this.connections.isReceivingOn(socket)) end(socket);
    else void this.#respond(error, socket);
  }

  /** The requests before it on its connection get their responses, and then that ends. */
  #refuseAfter(last: Running, error: NodeJS.ErrnoException): void {
    const { req, res, known } = last;
    endAfter(res);
    if (res.headersSent) res.once('close', () => req.socket.end());
    // It is complete, and what came after it is no request.
    if (req.complete || known?.record.isFinished) return;
    const begin = () => this.#begin(req.socket, req);
    const refuse = (record: RequestRecord) => send(this.#refusal(error, record, req), res);
    if (known) refuse(known.record);
    else last.start = () => refuse(begin());
  }

  /** Responds on a socket that has no request. */
  async #respond(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    await this.options.overload?.takeTurn(this.options.app.callers.addressOf(socket), false);
    if (!socket.writable) return;
    const record = this.#begin(socket);
    const { status, headers, body = '' } = this.#refusal(error, record);
    const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    end(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  }

  #begin(socket: Socket, req?: IncomingMessage): RequestRecord {
    return this.telemetry.begin(this.options.app.callers.addressOf(socket, req?.headers), req);
  }

  #refusal(error: NodeJS.ErrnoException, record: RequestRecord, req?: IncomingMessage): HttpResponse {
    const response = refusal(clientFailure(error), record, req, this.options);
    this.telemetry.finish(record, response.status);
    return response;
  }
}
