import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { defaults } from '../../defaults.js';
import { failure, tooManyOfOne } from '../../errors/failures.js';
import { shortened } from '../../errors/quoted.js';
import type { Callers } from '../../http/limits/callers.js';
import { clientAddress } from '../../http/limits/clientAddress.js';
import { headOf, type RequestHead } from '../../http/requestHead.js';
import type { HttpResponse } from '../../http/response.js';
import type { Handler, RequestContext } from '../../http/route.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { identify } from '../../telemetry/requestId.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import type { Overload } from '../admission/overload.js';
import { RefusalPace } from '../admission/refusalPace.js';
import { Slot } from '../admission/slot.js';
import { Connections } from './connections.js';
import { InvalidRequests } from './invalidRequests.js';
import { closeGently, lingerAfter } from './lingeringClose.js';
import { type RefusalOptions, refusal } from './refusal.js';
import { readTarget } from './requestTarget.js';
import { send } from './send.js';
import { sendLive } from './sendLive.js';
import { type SendingLimits, UnsentResponses } from './unsentResponses.js';
import { whenSent } from './whenSent.js';

/** Longer than proxies keep a connection without a request (60 s), so that none sends one on a connection that just ends. */
const keepAliveTimeout = 65_000;

/** Long enough for a body of the usual limit over a slow line, in milliseconds. Meanwhile it takes memory. */
const defaultRequestTimeout = 30_000;

/** Milliseconds for which a request keeps its slot while its response is being sent. */
const longestSlot = 250;

interface NodeServerOptions extends RefusalOptions, Partial<SendingLimits> {
  app: {
    answer: Handler;
    /** How a request fails before it gets a place, if that is known already. */
    refusal?: (head: RequestHead, context: RequestContext) => GraphQLError | undefined;
    callers: Pick<Callers, 'clientOf' | 'callerOf'>;
  };
  logger: Logger;
  /** If omitted, nothing is counted. */
  metrics?: Metrics | undefined;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  trustedProxies?: number;
  /** Whether the log has the addresses of clients; true if omitted. */
  logClient?: boolean;
  /** If omitted, every request is admitted. */
  overload?: Overload | undefined;
  /** Most open connections. Others are closed at once. */
  maxConnections?: number;
  /** Called when no new connection is taken any more. */
  onClosing?: () => void;
  /** Milliseconds in which a client must have sent its request; 30,000 if omitted. */
  requestTimeout?: number;
}

/** The slot of a request, until something else gives it back. */
interface HeldSlot {
  slot?: Slot | undefined;
}

interface Drain {
  /** How long running requests may take. */
  milliseconds: number;
  /** How long new connections are still taken, for a balancer to notice that this server stops. */
  delayMilliseconds: number;
}

/** Node's server in front of the gateway. Whatever comes over a socket gets an answer of the error catalogue. */
export class NodeServer {
  readonly server: Server;
  readonly #options: NodeServerOptions;
  readonly #telemetry: Telemetry;
  readonly #connections = new Connections();
  readonly #unsent: UnsentResponses;
  readonly #pace = new RefusalPace();
  #isStopping = false;
  /** Answers a request, also one of another server. */
  readonly answer = (req: IncomingMessage, res: ServerResponse): void => void this.#answer(req, res);

  constructor(options: NodeServerOptions) {
    this.#options = options;
    const { trustedProxies = 0, logClient = true } = options;
    const addressOf = ({ remoteAddress: peer }: Socket, headers: IncomingHttpHeaders) =>
      clientAddress({ peer, forwardedFor: String(headers['x-forwarded-for'] ?? '') }, trustedProxies);
    this.#telemetry = new Telemetry({ ...options, addressOf: logClient ? addressOf : undefined });
    const sending = { ...defaults, ...options };
    this.#unsent = new UnsentResponses(sending, () => options.overload?.countDrop());
    const broken = new InvalidRequests(this.#connections, this.#telemetry, options);
    const { requestTimeout = defaultRequestTimeout, maxConnections } = options;
    this.server = createServer({
      requestTimeout,
      headersTimeout: requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
      // Our own check answers with a problem.
      requireHostHeader: false,
    })
      .on('connection', (socket: Socket) => {
        closeGently(socket);
        this.#connections.add(socket);
      })
      .on('drop', () => options.overload?.countDrop())
      .on('request', this.answer)
      .on('checkContinue', (req, res) => void this.#answer(req, res, () => res.writeContinue()))
      // An expectation that no one knows may be ignored (RFC 9110).
      .on('checkExpectation', (req, res) => void this.#answer(req, res))
      .on('connect', (_req, socket) => broken.refuseTunnel(socket as Socket))
      .on('clientError', (error, socket) => broken.refuseUnreadable(error, socket as Socket))
      .setTimeout(sending.readTimeout, (socket: Socket) => {
        // Nothing was sent or read meanwhile. A request may run for longer.
        if (socket.writableLength > 0 || !this.#connections.lastOn(socket)) socket.destroy();
      });
    // Node would drop further headers silently. Their size is bounded.
    this.server.maxHeadersCount = 0;
    if (maxConnections) this.server.maxConnections = maxConnections;
  }

  /** Bytes of responses that clients have not read yet. */
  get unsentBytes(): number {
    return this.#unsent.bytes;
  }

  /**
   * Stops: from now on every answer ends its connection. After the delay, takes no new connections and closes those
   * without a running request. After the time given, cuts off what still runs. Returns how many requests that were.
   */
  async stop({ milliseconds, delayMilliseconds }: Drain): Promise<number> {
    this.#isStopping = true;
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

  async #answer(req: IncomingMessage, res: ServerResponse, continueBody?: () => void): Promise<void> {
    let isContinued = false;
    const askForBody = () => {
      if (!isContinued) continueBody?.();
      isContinued = true;
    };
    const identity = identify((name) => req.headers[name]);
    const record = this.#telemetry.begin(identity, { req, socket: req.socket });
    const { requestId } = record.identity;
    const context: RequestContext = { requestId, record, req, res, responseHeaders: {} };
    this.#connections.begin({ req, res, record, context }, (socket) => {
      if (this.#isStopping) socket.destroySoon();
    });
    const held: HeldSlot = {};
    try {
      const answer = await this.#telemetry.run(record, () => this.#answerTo(req, record, context, askForBody, held));
      if (!answer) return this.#telemetry.finish(record, undefined, context);
      const { live } = answer;
      if (record.isFinished) return live?.close();
      this.#telemetry.finish(record, answer.status, context);
      lingerAfter(req, res, continueBody !== undefined && !isContinued);
      if (this.#isStopping) res.shouldKeepAlive = false;
      const callerNow = () => (context.client ? this.#options.app.callers.callerOf(context.client).id : '');
      if (live) {
        const onWaiting = (bytes: number) => this.#unsent.beginPiece(res, callerNow(), bytes);
        void this.#telemetry.run(record, () => sendLive(live, answer, res, onWaiting));
        return;
      }
      const { slot } = held;
      send(answer, res, (bytes) => {
        held.slot = undefined;
        if (slot) whenSent(res, longestSlot, () => slot.leave());
        return this.#unsent.begin(res, callerNow(), bytes);
      });
    } finally {
      held.slot?.leave();
    }
  }

  /** Undefined if the client left while it waited for a slot: nobody would know of a change. */
  async #answerTo(
    req: IncomingMessage,
    record: RequestRecord,
    context: RequestContext,
    askForBody: () => void,
    held: HeldSlot,
  ): Promise<HttpResponse | undefined> {
    try {
      const { path, host } = readTarget(req);
      record.path = loggedPath(path);
      req.url = path;
      if (host !== undefined) req.headers.host = host;
    } catch (error) {
      return this.#refuse(error as GraphQLError, record, req);
    }
    const { app, logger, overload } = this.#options;
    try {
      const head = headOf(req);
      const client = app.callers.clientOf(head, req.socket.remoteAddress);
      context.client = client;
      const callerNow = () => app.callers.callerOf(client);
      const slot = overload && !overload.isExempt(req.url) ? new Slot(overload, record, callerNow) : undefined;
      held.slot = slot;
      const overLimit = app.refusal?.(head, context);
      if (overLimit) await this.#pace.pause(callerNow().id);
      const refused = overLimit ?? (await slot?.enter());
      if (req.socket.destroyed) return undefined;
      if (refused) return this.#refuseEarly(refused, record, context, req);
      if (slot && this.#unsent.isFullFor(callerNow().id)) {
        overload?.countRefusal(record);
        return this.#refuseEarly(tooManyOfOne(), record, context, req);
      }
      context.receiveBody = (read) => {
        askForBody();
        return slot ? slot.whileReceiving(req, read) : read();
      };
      return await app.answer(head, context);
    } catch (error) {
      logger.error({ err: error }, 'unexpected error');
      return this.#refuse(failure('INTERNAL_SERVER_ERROR'), record, req);
    }
  }

  /** The answer to a request that is refused before the gateway looks at it. */
  #refuseEarly(
    error: GraphQLError,
    record: RequestRecord,
    { responseHeaders }: RequestContext,
    req: IncomingMessage,
  ): HttpResponse {
    record.addErrors([error]);
    const answer = refusal(error, record.identity, req, this.#options);
    return { ...answer, headers: { ...answer.headers, ...responseHeaders } };
  }

  /** The answer to a request that never reached the gateway. */
  #refuse(error: GraphQLError, record: RequestRecord, req: IncomingMessage): HttpResponse {
    record.addProblem(error);
    return refusal(error, record.identity, req, this.#options);
  }
}

/** Without the query string, and without a token that somebody mistook for a path; a long one is cut. */
const loggedPath = (target: string) =>
  shortened(new URL(`http://localhost${target}`).pathname.replace(/gp_[\w-]{20,}/g, 'gp_…'));
