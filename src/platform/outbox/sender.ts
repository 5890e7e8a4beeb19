import { lookup, Resolver } from 'node:dns/promises';
import {
  type Agent,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { addressIn, type OpenAddresses } from './addresses.js';
import { longestRetryAfter } from './lease.js';

type ResolveName = (name: string) => Promise<string[]>;

const milliseconds = 2_000;

/**
 * Resolves names without the threads of Node, of which it has four: names whose servers never respond would hold all of
 * them. Only names of this machine and, if local ranges are open, those that the DNS does not know are looked up as other
 * programs do.
 */
function nameResolver({ withLocalNames }: { withLocalNames: boolean }): ResolveName {
  const resolver = new Resolver({ timeout: milliseconds, tries: 2 });
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0 || !withLocalNames || !isUnknown(four)) return found;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  };
}

const isUnknown = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' && ['ENOTFOUND', 'ENODATA'].includes(result.reason?.code);

/** A name leads to an address that webhooks may not be sent to, or to none. */
class ForbiddenAddress extends Error {}

/** Shorter than the five seconds after which Node's own server closes an idle connection. */
const idleMilliseconds = 4_000;
const connections = { keepAlive: true, timeout: idleMilliseconds, maxFreeSockets: 8 };

/** Keeps connections for a moment, reads no proxy from the environment, and connects to open addresses only. */
function openAgents(open: OpenAddresses, resolve: ResolveName) {
  const lookup = (encrypted: boolean) => guardedLookup(resolve, (address) => open.isOpen(address, { encrypted }));
  return {
    'https:': new HttpsAgent({ ...connections, lookup: lookup(true), rejectUnauthorized: true }),
    'http:': new HttpAgent({ ...connections, lookup: lookup(false) }),
  };
}

/** Resolves a name at each connection, and refuses it if a single one of its addresses is not open. */
const guardedLookup =
  (resolve: ResolveName, isOpen: (address: string) => boolean): LookupFunction =>
  (name, { all, family }, callback) => {
    resolve(name).then(
      (addresses) => {
        const refused = addresses.find((address) => !isOpen(address));
        const found = addresses
          .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
          .filter((entry) => !family || entry.family === Number(String(family).replace('IPv', '')));
        const [first] = found;
        if (refused !== undefined) callback(new ForbiddenAddress(`${name} leads to ${refused}, which is not open`), []);
        else if (!first) callback(new ForbiddenAddress(`${name} leads to no address`), []);
        else if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      () => callback(new ForbiddenAddress(`${name} cannot be resolved`), []),
    );
  };

const longest = 200;

const ofNode: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'there was no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  HPE_HEADER_OVERFLOW: 'the headers of the response are too long',
};

/** Why there was no response, for the owner of the webhook to read. */
function failureReason(error: unknown, stopped: AbortSignal | undefined): string {
  if (stopped?.aborted) return 'the gateway stopped before a response came';
  if (error instanceof ForbiddenAddress) return error.message.slice(0, longest);
  const { code = '', message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (message === '' && errors?.[0]) return failureReason(errors[0], stopped);
  const known = ofNode[code];
  if (known) return known;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  const isCertificate = /CERT|SIGNED|ALTNAME|TLS|SSL|EPROTO/.test(code);
  return `${isCertificate ? 'TLS: ' : ''}${message || code || 'unknown'}`.slice(0, longest).toWellFormed();
}

/** The connection was kept from an earlier request, and broke before a response came. */
class StaleConnection extends Error {}

/** The head of the response to a request. */
const responseTo = (request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && !signal.aborted && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isStale ? new StaleConnection() : error);
    });
    request.once('close', () => reject(new Error('the connection was closed without a response')));
  });

/** Bytes of a response that are read, and characters of a failure that are kept. */
const mostRead = 16_384;
const mostKept = 1_000;
/** How long the rest of a response may take once its head has come. */
const bodyMilliseconds = 2_000;

/** What a response says. Its head decides; of its body so much is read that the connection can be kept. */
async function readResponse(response: IncomingMessage): Promise<Omit<Delivery, 'milliseconds'>> {
  const { statusCode: status = 0, headers } = response;
  const isAcknowledged = status >= 200 && status <= 299;
  const body = beginningOf(response);
  if (isAcknowledged) return { isAcknowledged, status };
  const retryAfter = [429, 503].includes(status) ? secondsIn(headers['retry-after']) : undefined;
  return { isAcknowledged, status, response: await body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** The beginning of the body, as soon as it has ended or enough of it was read. Never rejects. */
function beginningOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => response.destroy(), bodyMilliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString().slice(0, mostKept).toWellFormed().replaceAll('\0', '\uFFFD'));
    };
    response.on('data', (chunk: Buffer) => {
      if (length < mostKept * 4) chunks.push(chunk.subarray(0, mostKept * 4));
      length += chunk.length;
      if (length > mostRead) response.destroy();
    });
    response.on('error', end);
    response.once('close', end);
    response.once('end', end);
  });
}

/** The seconds of a `Retry-After`, which may be a date. */
function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(seconds, longestRetryAfter) : undefined;
}

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
