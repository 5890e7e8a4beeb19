import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { failure } from '../errors/failures.js';
import { lingerAfter } from './lingeringClose.js';
import { problemResponse } from './problem.js';
import { currentRequest, type Identity, identify } from './requestId.js';
import { readTarget } from './requestTarget.js';
import { alwaysSent } from './responseHeaders.js';
import type { RequestContext } from './route.js';

interface NodeServerOptions {
  app: Pick<YogaServerInstance<RequestContext, object>, 'handleNodeRequestAndResponse'>;
  logger: Logger;
  publicUrl?: string | undefined;
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
  identity: Identity;
  context: Pick<RequestContext, 'req' | 'continueBody' | 'wasRefused'>;
}

/** Node's server in front of the gateway. Whatever comes over a socket gets an answer of the error catalogue. */
export class NodeServer {
  readonly server: Server;
  readonly #options: NodeServerOptions;
  /** Every connection, with the requests on it that are not answered yet. */
  readonly #connections = new Map<Socket, Map<IncomingMessage, Running>>();
  readonly #refused = new WeakSet<Socket>();
  /** The last request of which each connection has sent the headers. */
  readonly #latest = new WeakMap<Socket, IncomingMessage>();
  #isStopping = false;

  constructor(options: NodeServerOptions) {
    this.#options = options;
    const { requestTimeout } = options;
    const timeouts = requestTimeout ? { requestTimeout, headersTimeout: requestTimeout } : {};
    const connectionsCheckingInterval = Math.min(requestTimeout ?? 5_000, 5_000);
    // Our own check answers with a problem.
    this.server = createServer({ ...timeouts, connectionsCheckingInterval, requireHostHeader: false })
      .on('connection', (socket: Socket) => this.#track(socket))
      .on('request', (req, res) => void this.#answer(req, res))
      .on('checkContinue', (req, res) => void this.#answer(req, res, () => res.writeContinue()))
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', (req, res) => void this.#answer(req, res))
      .on('connect', (_req, socket) => this.#refuse(socket as Socket, noProxy()))
      .on('clientError', (error, socket) => this.#clientError(error, socket as Socket));
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
    const cut = [...this.#connections.values()].reduce((sum, running) => sum + running.size, 0);
    this.server.closeAllConnections();
    await closed;
    return cut;
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
    const context: Running['context'] = {
      req,
      continueBody: () => {
        if (!isContinued) continueBody?.();
        isContinued = true;
      },
    };
    const identity = identify((name) => req.headers[name]);
    running?.set(req, { res, identity, context });
    const response = await currentRequest.run(identity, () => this.#responseTo(req, res, context));
    if (context.wasRefused) return;
    lingerAfter(req, res, continueBody !== undefined && !isContinued);
    if (this.#isStopping) res.shouldKeepAlive = false;
    await send(response, res).catch(() => socket.destroy());
  }

  async #responseTo(req: IncomingMessage, res: ServerResponse, context: object): Promise<Response> {
    try {
      const { path, host } = readTarget(req);
      req.url = path;
      if (host !== undefined) req.headers.host = host;
    } catch (error) {
      return this.#refusalOf(error as GraphQLError, req);
    }
    try {
      return await this.#options.app.handleNodeRequestAndResponse(req, res, context);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'unexpected error');
      return this.#refusalOf(failure('INTERNAL_SERVER_ERROR'), req);
    }
  }

  /** The answer to a request that never reached the gateway, and its line in the log. */
  #refusalOf(error: GraphQLError, req?: IncomingMessage): Response {
    const { logger, publicUrl } = this.#options;
    const requestId = currentRequest.getStore()?.requestId ?? '';
    const response = problemResponse(error, requestId, publicUrl);
    for (const [name, value] of Object.entries(alwaysSent)) response.headers.set(name, value);
    response.headers.set('X-Request-Id', requestId);
    const path = req?.url?.replace(/\?.*/s, '');
    logger.info({ method: req?.method, path, status: response.status, problem: error.message }, 'request');
    return response;
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
    res.once('finish', () => socket.destroySoon());
    const response = currentRequest.run(
      identify(() => undefined),
      () => this.#refusalOf(error),
    );
    void send(response, res).catch(() => socket.destroy());
  }

  /** What Node's parser cannot read, or what did not come in time. */
  #clientError(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    const [[req, running] = []] = [...(this.#connections.get(socket) ?? [])].slice(-1);
    if (!socket.writable || error.code === 'ECONNRESET' || running?.res.headersSent) {
      socket.destroy();
      return;
    }
    const refusal = failureOf(error);
    if (!req || !running) {
      // The rest of a request that is answered already gets no second answer.
      if (this.#latest.get(socket)?.complete === false) socket.destroySoon();
      else this.#refuse(socket, refusal);
      return;
    }
    const { res, identity, context } = running;
    res.shouldKeepAlive = false;
    // An earlier request is complete and running. Its answer comes, and then the connection ends.
    if (req.complete) return;
    context.wasRefused = true;
    res.once('finish', () => socket.destroySoon());
    const response = currentRequest.run(identity, () => this.#refusalOf(refusal, req));
    void send(response, res).catch(() => socket.destroy());
  }
}

const noProxy = () => failure('MALFORMED_REQUEST', { problem: 'this server is no proxy' });

function failureOf({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): GraphQLError {
  if (code === 'HPE_INVALID_EOF_STATE')
    return failure('MALFORMED_REQUEST', { problem: 'it ends before it is complete' });
  if (code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT');
  return failure('MALFORMED_REQUEST', { problem: (reason ?? message).replace(/\.$/, '') });
}

/** Our answers are short and complete, so they are sent at once and with their length. */
async function send(response: Response, res: ServerResponse): Promise<void> {
  const body = response.body ? Buffer.from(await response.arrayBuffer()) : undefined;
  if (res.headersSent || res.destroyed) return;
  res.setHeaders(response.headers);
  if (body) res.setHeader('Content-Length', body.length);
  res.writeHead(response.status, response.statusText);
  res.end(body);
}
