import type { Agent, ClientRequest } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ForbiddenAddress, openAgents } from './agents.js';
import { failureReason } from './failureReason.js';
import type { OpenAddresses } from './openAddresses.js';
import { readResponse } from './readResponse.js';
import { nameResolver, type ResolveName } from './resolveName.js';
import { responseTo, StaleConnection } from './responseTo.js';
import { addressIn } from './urlProblem.js';

export interface Message {
  url: string;
  /** `again` is true if a connection broke before the response came, and it is sent on a new one. */
  headers: (again: boolean) => Record<string, string>;
  body: string;
}

/** What came of one request. */
export interface Delivery {
  isAcknowledged: boolean;
  status?: number;
  /** Why there is no response. */
  reason?: string;
  /** The beginning of the response to a failure. */
  response?: string;
  /** Seconds that the endpoint asks to wait. */
  retryAfter?: number;
  milliseconds: number;
}

export interface SenderOptions {
  open: OpenAddresses;
  resolve?: ResolveName;
  /** Makes connections in place of `node:net` and `node:tls`. */
  createConnection?: Agent['createConnection'];
  /** In milliseconds. */
  connectTimeout?: number;
  timeout?: number;
}

const late = (milliseconds: number) => `there was no response within ${milliseconds / 1000} s`;

/** Sends requests to endpoints. Never throws: whatever goes wrong is a failed delivery. */
export class Sender {
  readonly #options: Required<Pick<SenderOptions, 'open' | 'connectTimeout' | 'timeout'>>;
  readonly #agents: ReturnType<typeof openAgents>;

  constructor({ open, resolve, createConnection, connectTimeout = 5_000, timeout = 15_000 }: SenderOptions) {
    this.#options = { open, connectTimeout, timeout };
    this.#agents = openAgents(open, resolve ?? nameResolver({ withLocalNames: open.hasRanges }));
    if (createConnection) for (const agent of Object.values(this.#agents)) agent.createConnection = createConnection;
  }

  async send(message: Message, signal?: AbortSignal): Promise<Delivery> {
    const start = performance.now();
    const deadline = new AbortController();
    const abort = () => deadline.abort();
    const timer = setTimeout(abort, this.#options.timeout);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    let outcome: Omit<Delivery, 'milliseconds'>;
    try {
      outcome = await this.#attempt(message, false, deadline.signal).catch((error) => {
        if (error instanceof StaleConnection) return this.#attempt(message, true, deadline.signal);
        throw error;
      });
    } catch (error) {
      const isLate = deadline.signal.aborted && !signal?.aborted;
      outcome = { isAcknowledged: false, reason: isLate ? late(this.#options.timeout) : failureReason(error, signal) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    return { ...outcome, milliseconds: Math.round(performance.now() - start) };
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #attempt({ url: text, headers, body }: Message, again: boolean, signal: AbortSignal) {
    const url = new URL(text);
    const encrypted = url.protocol === 'https:';
    const address = addressIn(url);
    if (address !== undefined && !this.#options.open.isOpen(address, { encrypted }))
      throw new ForbiddenAddress(`the address ${address} is not open`);
    const options = {
      method: 'POST',
      agent: this.#agents[encrypted ? 'https:' : 'http:'],
      headers: { ...headers(again), 'content-length': Buffer.byteLength(body) },
      signal,
    };
    const request = (encrypted ? httpsRequest : httpRequest)(url, options);
    this.#limitConnecting(request);
    request.end(body);
    return responseTo(request, signal).then(readResponse);
  }

  #limitConnecting(request: ClientRequest): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => request.destroy(new Error(`there was no connection within ${this.#options.connectTimeout / 1000} s`)),
        this.#options.connectTimeout,
      );
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
  }
}
