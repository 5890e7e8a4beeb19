import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestContext } from '../../http/route.js';
import { identify } from '../../telemetry/requestId.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { Connections } from './connections.js';
import { lingerAfter } from './lingeringClose.js';
import { type Received, type ResponderOptions, responseFor } from './responseFor.js';
import { send } from './send.js';
import { sendLive } from './sendLive.js';
import type { UnsentResponses } from './unsentResponses.js';
import { whenSent } from './whenSent.js';

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
