import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { failure, shortened } from '../failures/index.js';
import { type Overload, Slot, tooManyOfOne } from '../fairness/index.js';
import type { Callers } from '../limits/index.js';
import { identify, type RequestRecord, type Telemetry } from '../telemetry/index.js';
import { type Connections, lingerAfter } from './connections.js';
import { type RefusalOptions, refusal } from './refusal.js';
import { headOf, type RequestHead, readTarget } from './request.js';
import type { HttpResponse } from './response.js';
import type { Handler, RequestContext } from './router.js';
import { send, sendLive, type UnsentResponses, whenSent } from './send.js';

/** What responds to a request once it is admitted. */
export interface ResponderOptions extends RefusalOptions {
  app: {
    handle: Handler;
    /** How a request fails before it gets a slot, if that is known already. */
    refusal?: (head: RequestHead, context: RequestContext) => GraphQLError | undefined;
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
  /** Its slot, until something else gives it back. */
  slot?: Slot | undefined;
}

/**
 * The response to a request: the pipeline's once it has a slot, or a refusal. Undefined if the client left while it
 * waited for a slot: nobody would know of a change.
 */
async function responseFor(
  received: Received,
  unsent: UnsentResponses,
  options: ResponderOptions,
): Promise<HttpResponse | undefined> {
  const { req, record, context, askForBody } = received;
  const { app, logger, overload } = options;
  try {
    const { path, host } = readTarget(req);
    record.path = loggedPath(path);
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
    const slot = overload && !overload.isExempt(req.url) ? new Slot(overload, record, callerNow) : undefined;
    received.slot = slot;
    const overLimit = app.refusal?.(head, context);
    if (overLimit) await overload?.pace.pause(callerNow().id);
    const refused = overLimit ?? (await slot?.enter());
    if (req.socket.destroyed) return undefined;
    if (refused) return notAdmitted(refused, received, options);
    if (slot && unsent.isFullFor(callerNow().id)) {
      overload?.countRefusal(record);
      return notAdmitted(tooManyOfOne(), received, options);
    }
    // Not written where it is assigned: V8 puts a function that is assigned to a property into old space, where it keeps
    // the whole request until the next full collection.
    const receiveBody: RequestContext['receiveBody'] = (read) => {
      askForBody();
      return slot ? slot.whileReceiving(req, read) : read();
    };
    context.receiveBody = receiveBody;
    return await app.handle(head, context);
  } catch (error) {
    logger.error({ ...record.identity, err: error }, 'unexpected error');
    return unreadable(failure('INTERNAL_SERVER_ERROR'), received, options);
  }
}

/** The response to a request that is refused before the pipeline looks at it. */
function notAdmitted(error: GraphQLError, { req, record, context }: Received, options: RefusalOptions): HttpResponse {
  record.addErrors([error]);
  const response = refusal(error, record.identity, req, options);
  return { ...response, headers: { ...response.headers, ...context.responseHeaders } };
}

/** The response to a request that never reached the pipeline, or that it could not respond to. */
function unreadable(error: GraphQLError, { req, record }: Received, options: RefusalOptions): HttpResponse {
  record.addProblem(error);
  return refusal(error, record.identity, req, options);
}

/** Without the query string, and without a token that somebody mistook for a path; a long one is cut. */
const loggedPath = (target: string) =>
  shortened(new URL(`http://localhost${target}`).pathname.replace(/gp_[\w-]{20,}/g, 'gp_…'));

/** Milliseconds for which a request keeps its slot while its response is being sent. */
const longestSlot = 250;

/** Takes each request from its socket to its response: record, slot, pipeline, and what is sent. */
export class RequestHandler {
  /** From then on every response ends its connection. */
  isStopping = false;
  readonly #options: ResponderOptions;
  readonly #telemetry: Telemetry;
  readonly #connections: Connections;
  readonly #unsent: UnsentResponses;

  constructor(options: ResponderOptions, telemetry: Telemetry, connections: Connections, unsent: UnsentResponses) {
    this.#options = options;
    this.#telemetry = telemetry;
    this.#connections = connections;
    this.#unsent = unsent;
  }

  /** `continueBody` tells a client that waits for it to send the body. */
  async handle(req: IncomingMessage, res: ServerResponse, continueBody?: () => void): Promise<void> {
    let isContinued = false;
    const askForBody = () => {
      if (!isContinued) continueBody?.();
      isContinued = true;
    };
    const identity = identify((name) => req.headers[name]);
    const record = this.#telemetry.begin(identity, { req, socket: req.socket });
    const { requestId } = record.identity;
    const context: RequestContext = { requestId, record, req, responseHeaders: {} };
    this.#connections.begin({ req, res, record, context }, (socket) => {
      if (this.isStopping) socket.destroySoon();
    });
    const received: Received = { req, record, context, askForBody };
    try {
      const response = await this.#telemetry.run(record, () => responseFor(received, this.#unsent, this.#options));
      if (!response) return this.#telemetry.finish(record, undefined, context);
      const { live } = response;
      if (record.isFinished) return live?.close();
      this.#telemetry.finish(record, response.status, context);
      lingerAfter(req, res, continueBody !== undefined && !isContinued);
      if (this.isStopping) res.shouldKeepAlive = false;
      const { callers } = this.#options.app;
      const callerNow = () => (context.client ? callers.callerOf(context.client).id : '');
      if (live) {
        const onWaiting = (bytes: number) => this.#unsent.beginPiece(res, callerNow(), bytes);
        void this.#telemetry.run(record, () => sendLive(live, response, res, onWaiting));
        return;
      }
      const { slot } = received;
      send(response, res, (bytes) => {
        received.slot = undefined;
        if (slot) whenSent(res, longestSlot, () => slot.leave());
        return this.#unsent.begin(res, callerNow(), bytes);
      });
    } finally {
      received.slot?.leave();
    }
  }
}
