import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { failure } from '../errors/failures.js';
import { Admitted } from './admitted.js';
import { clientFailure, noProxy } from './clientFailure.js';
import { lingerAfter } from './lingeringClose.js';
import type { Overload } from './overload.js';
import type { CompleteAnswer } from './problem.js';
import { refusal } from './refusal.js';
import { identify } from './requestId.js';
import { readTarget } from './requestTarget.js';
import type { RequestContext } from './route.js';
import { send } from './send.js';
import type { Metrics } from './telemetry/metrics.js';
import type { RequestRecord } from './telemetry/requestRecord.js';
import { Telemetry } from './telemetry/telemetry.js';

/** Longer than proxies keep a connection without a request (60 s), so that none sends one on a connection that just ends. */
const keepAliveTimeout = 65_000;

/** Made once, because an error with its stack costs more than the rest of a refusal. */
const overloaded = failure('SERVICE_UNAVAILABLE', { overloaded: true });

interface NodeServerOptions {
  app: Pick<YogaServerInstance<RequestContext, object>, 'handleNodeRequestAndResponse'>;
  logger: Logger;
  /** If omitted, nothing is counted. */
  metrics?: Metrics | undefined;
  publicUrl?: string | undefined;
  corsOrigins?: readonly string[];
  /** If omitted, every request is admitted. */
  overload?: Overload | undefined;
  /** Most open connections. Others are closed at once. */
  maxConnections?: number;
  /** Milliseconds in which a client must have sent its request. */
  requestTimeout?: number;
}

interface Drain {
  /** How long running requests may take. */
  milliseconds: number;
  /** How long new connections are still taken, for a balancer to notice that this server stops. */
  delayMilliseconds: number;
}

interface Running {
  res: ServerResponse;
  record: RequestRecord;
  context: Partial<RequestContext>;
}

/** Node's server in front of the gateway. Whatever comes over a socket gets an answer of the error catalogue. */
export class NodeServer {
  readonly server: Server;
  readonly #options: NodeServerOptions;
  readonly #telemetry: Telemetry;
  /** Every connection, with the requests on it that are not answered yet. */
  readonly #connections = new Map<Socket, Map<IncomingMessage, Running>>();
  readonly #refused = new WeakSet<Socket>();
  /** The last request of which each connection has sent the headers. */
  readonly #latest = new WeakMap<Socket, IncomingMessage>();
  #isStopping = false;
  /** Answers a request, also one of another server. */
  readonly answer = (req: IncomingMessage, res: ServerResponse): void => void this.#answer(req, res);

  constructor(options: NodeServerOptions) {
    this.#options = options;
    this.#telemetry = new Telemetry(options);
    const { requestTimeout, maxConnections } = options;
    const timeouts = requestTimeout ? { requestTimeout, headersTimeout: requestTimeout } : {};
    const connectionsCheckingInterval = Math.min(requestTimeout ?? 5_000, 5_000);
    // Our own check answers with a problem.
    this.server = createServer({ ...timeouts, keepAliveTimeout, connectionsCheckingInterval, requireHostHeader: false })
      .on('connection', (socket: Socket) => this.#track(socket))
      .on('drop', () => options.overload?.countDrop())
      .on('request', this.answer)
      .on('checkContinue', (req, res) => void this.#answer(req, res, () => res.writeContinue()))
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', (req, res) => void this.#answer(req, res))
      .on('connect', (_req, socket) => this.#refuseTunnel(socket as Socket))
      .on('clientError', (error, socket) => this.#clientError(error, socket as Socket));
    if (maxConnections) this.server.maxConnections = maxConnections;
  }

  /**
   * Stops: from now on every answer ends its connection. After the delay, takes no new connections and closes those
   * without a running request. After the time given, cuts off what still runs. Returns how many requests that were.
   */
  async stop({ milliseconds, delayMilliseconds }: Drain): Promise<number> {
    this.#isStopping = true;
    for (const running of this.#connections.values()) {
      for (const { res } of running.values()) if (!res.headersSent) res.shouldKeepAlive = false;
    }
    if (delayMilliseconds > 0) await setTimeout(delayMilliseconds);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const [socket, running] of this.#connections) {
      if (running.size === 0) socket.destroySoon();
    }
    await Promise.race([closed, setTimeout(milliseconds, undefined, { ref: false })]);
    const cut = [...this.#connections.values()].flatMap((running) => [...running.values()]);
    for (const { record, context } of cut) this.#telemetry.finish(record, undefined, context);
    this.server.closeAllConnections();
    await closed;
    return cut.length;
  }

  #track(socket: Socket): void {
    this.#connections.set(socket, new Map());
    socket.once('close', () => this.#connections.delete(socket));
  }

  async #answer(req: IncomingMessage, res: ServerResponse, continueBody?: () => void): Promise<void> {
    const { socket } = req;
    const running = this.#connections.get(socket);
    this.#latest.set(socket, req);
    res.once('close', () => {
      running?.delete(req);
      if (this.#isStopping && running?.size === 0) socket.destroySoon();
    });
    let isContinued = false;
    const askForBody = () => {
      if (!isContinued) continueBody?.();
      isContinued = true;
    };
    const context: Partial<RequestContext> = { req };
    const record = this.#telemetry.begin(
      identify((name) => req.headers[name]),
      req,
    );
    running?.set(req, { res, record, context });
    const answer = await this.#telemetry.run(record, () => this.#answerTo(req, res, record, context, askForBody));
    if (record.isFinished) return;
    this.#telemetry.finish(record, answer, context);
    lingerAfter(req, res, continueBody !== undefined && !isContinued);
    if (this.#isStopping) res.shouldKeepAlive = false;
    await send(answer, res).catch(() => socket.destroy());
  }

  async #answerTo(
    req: IncomingMessage,
    res: ServerResponse,
    record: RequestRecord,
    context: Partial<RequestContext>,
    askForBody: () => void,
  ): Promise<Response | CompleteAnswer> {
    try {
      const { path, host } = readTarget(req);
      record.path = loggedPath(path);
      req.url = path;
      if (host !== undefined) req.headers.host = host;
    } catch (error) {
      return this.#refusalOf(error as GraphQLError, record, req);
    }
    const { overload } = this.#options;
    const admission = overload?.isExempt(req.url) ? undefined : overload?.admission;
    if (admission && !(await admission.enter())) return this.#overloaded(record, req);
    const admitted = admission && new Admitted(admission);
    context.receiveBody = (read) => {
      askForBody();
      return admitted ? admitted.whileReceiving(req, read) : read();
    };
    try {
      return await this.#options.app.handleNodeRequestAndResponse(req, res, context);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'unexpected error');
      return this.#refusalOf(failure('INTERNAL_SERVER_ERROR'), record, req);
    } finally {
      admitted?.leave();
    }
  }

  /** The answer to a request that is refused before the gateway looks at it. The log only says how many there were. */
  #overloaded(record: RequestRecord, req: IncomingMessage): CompleteAnswer {
    this.#options.overload?.countRefusal();
    record.isLogged = false;
    record.addErrors([overloaded]);
    return refusal(overloaded, record.identity, req, this.#options);
  }

  /** The answer to a request that never reached the gateway. */
  #refusalOf(error: GraphQLError, record: RequestRecord, req?: IncomingMessage): CompleteAnswer {
    record.problem = error.message;
    record.addErrors([error]);
    return refusal(error, record.identity, req, this.#options);
  }

  /** Answers on a socket that has no request which could be answered. */
  #refuse(socket: Socket, error: GraphQLError): void {
    // Node reports what follows on a broken connection again.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    // After CONNECT, Node leaves the errors of the socket to us.
    socket.on('error', () => socket.destroy());
    const res = new ServerResponse(new IncomingMessage(socket));
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    this.#endWith(error, this.#telemetry.begin(identify(() => undefined)), res, socket);
  }

  /** Answers with a failure, and ends the connection. */
  #endWith(error: GraphQLError, record: RequestRecord, res: ServerResponse, socket: Socket): void {
    res.once('finish', () => socket.destroySoon());
    const answer = this.#refusalOf(error, record);
    this.#telemetry.finish(record, answer);
    void send(answer, res).catch(() => socket.destroy());
  }

  /** After CONNECT, Node reads no more from the socket, and leaves its errors to us. */
  #refuseTunnel(socket: Socket): void {
    const [running] = [...(this.#connections.get(socket)?.values() ?? [])].slice(-1);
    if (!running) {
      this.#refuse(socket, noProxy());
      return;
    }
    // The answers to the requests before it come first, and then the connection ends.
    socket.on('error', () => socket.destroy());
    running.res.shouldKeepAlive = false;
    running.res.once('close', () => socket.destroySoon());
  }

  /** What Node's parser cannot read, or what did not come in time. */
  #clientError(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    const [[req, running] = []] = [...(this.#connections.get(socket) ?? [])].slice(-1);
    if (!socket.writable || error.code === 'ECONNRESET' || running?.res.headersSent) {
      socket.destroy();
      return;
    }
    const failed = clientFailure(error);
    if (!req || !running) {
      // The rest of a request that is answered already gets no second answer.
      if (this.#latest.get(socket)?.complete === false) socket.destroySoon();
      else this.#refuse(socket, failed);
      return;
    }
    const { res, record } = running;
    res.shouldKeepAlive = false;
    // An earlier request is complete and running. Its answer comes, and then the connection ends.
    if (req.complete || record.isFinished) return;
    this.#endWith(failed, record, res, socket);
  }
}

/** Without the query string, and without a token that somebody mistook for a path. */
const loggedPath = (target: string) => new URL(`http://localhost${target}`).pathname.replace(/gp_[\w-]{20,}/g, 'gp_…');
