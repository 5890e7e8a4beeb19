import { lookup, Resolver } from 'node:dns/promises';
import {
  type Agent,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { addressIn, type OpenAddresses } from './addresses.js';

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

/** A name leads to an address that webhooks may not be sent to, or to none. Its message is for the tenant, the address is not. */
class ForbiddenAddress extends Error {
  readonly address: string | undefined;

  constructor(message: string, address?: string) {
    super(message);
    this.address = address;
  }
}

/** What the owner of a webhook may know of such an address. */
const notPublic = 'an address that is not public';

/** Shorter than the five seconds after which Node's own server closes an idle connection. */
const idleMilliseconds = 4_000;
const connections = { keepAlive: true, timeout: idleMilliseconds, maxFreeSockets: 8 };

/** Without finite fields, of which an endpoint chooses the size: one of 8,192 bits takes the processor for long. */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** Keeps connections for a moment, reads no proxy from the environment, and connects to open addresses only. */
function openAgents(open: OpenAddresses, resolve: ResolveName) {
  const lookup = (encrypted: boolean) => guardedLookup(resolve, (address) => open.isOpen(address, { encrypted }));
  return {
    'https:': new HttpsAgent({ ...connections, lookup: lookup(true), ciphers, rejectUnauthorized: true }),
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
        if (refused !== undefined) callback(new ForbiddenAddress(`${name} leads to ${notPublic}`, refused), []);
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
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
  HPE_HEADER_OVERFLOW: 'the headers of the response are too long',
};

/** Why there was no response, for the owner of the webhook to read. */
function failureReason(error: unknown, stopped: AbortSignal | undefined): string {
  if (stopped?.aborted) return 'the gateway stopped before a response came';
  if (error instanceof ForbiddenAddress) return error.message.slice(0, longest);
  const { code = '', message, syscall, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (message === '' && errors?.[0]) return failureReason(errors[0], stopped);
  const known = ofNode[code];
  if (known) return known;
  // The messages of system calls name the address, except those of TLS.
  if (syscall !== undefined && code !== 'EPROTO') return `the connection failed (${code})`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  const isCertificate = /CERT|SIGNED|ALTNAME|TLS|SSL|EPROTO/.test(code);
  return `${isCertificate ? 'TLS: ' : ''}${message || code || 'unknown'}`.slice(0, longest).toWellFormed();
}

/** The connection was kept from an earlier request, and broke before a response came. */
class StaleConnection extends Error {}

/** The most informational responses (100, 102, 103) before the final one. */
const mostInformational = 5;
/** The most bytes before the head of the final response has come, and of what comes then. */
const mostBytes = { head: 16_384, rest: 32_768 };
/** As many bytes as each piece counts beside its own: to read one takes time, however short it is. */
const bytesPerPiece = 128;

/**
 * The response to a request, as `read` makes it of its head. What an endpoint may send is bounded at every moment, also
 * after its response.
 */
const responseTo = <T>(
  request: ClientRequest,
  signal: AbortSignal,
  read: (response: IncomingMessage) => T,
): Promise<Awaited<T>> =>
  new Promise((resolve, reject) => {
    request.once('response', (response) => resolve(read(response) as Awaited<T>));
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(read(response) as Awaited<T>);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && !signal.aborted && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isStale ? new StaleConnection() : error);
    });
    request.once('close', () => reject(new Error('the connection was closed without a response')));
    boundResponse(request);
  });

function boundResponse(request: ClientRequest): void {
  let left = mostBytes.head;
  let informational = 0;
  let hasResponse = false;
  request.on('information', () => {
    informational += 1;
    if (informational > mostInformational && !request.destroyed)
      request.destroy(new Error('there were too many informational responses'));
  });
  request.once('response', () => {
    left = mostBytes.rest;
    hasResponse = true;
  });
  request.once('socket', (socket) => {
    // Behind the parser, so that it is known whether the response has come.
    const count = (piece: Buffer) => {
      left -= piece.length + bytesPerPiece;
      if (left >= 0 || request.destroyed) return;
      // The beginning of the body has yet to be read.
      if (hasResponse) setImmediate(() => socket.destroy());
      else request.destroy(new Error('the head of the response is too long'));
    };
    socket.off('data', refuseUnasked);
    socket.on('data', count);
    request.once('close', () => {
      socket.off('data', count);
      socket.on('data', refuseUnasked);
    });
  });
}

/** A connection that is kept is silent until the next request. */
function refuseUnasked(this: Socket): void {
  this.destroy();
}

/** Bytes of a response that are read, and bytes of a failure that are kept. */
const mostRead = 16_384;
const mostKept = 1_000;
/** How long the rest of a response may take once its head has come. */
const bodyMilliseconds = 2_000;

/** What a response says. Its head decides; of its body so much is read that the connection can be kept. */
async function readResponse(response: IncomingMessage): Promise<Omit<Delivery, 'milliseconds' | 'isSentAgain'>> {
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
      const text = Buffer.concat(chunks).toString().replaceAll('\0', '\uFFFD');
      resolve(text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(mostKept)).read));
    };
    response.on('data', (chunk: Buffer) => {
      if (length < mostKept) chunks.push(chunk.subarray(0, mostKept));
      length += chunk.length;
      if (length > mostRead) response.destroy();
    });
    response.on('error', end);
    response.once('close', end);
    response.once('end', end);
  });
}

/** The longest that a `Retry-After` is obeyed, in seconds. */
const longestRetryAfter = 3_600;

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
  /** An address that is not open, for the operator only. */
  address?: string;
  /** The beginning of the response to a failure. */
  response?: string;
  /** Seconds that the endpoint asks to wait. */
  retryAfter?: number;
  /** Whether it was sent again, because a kept connection broke before a response came. */
  isSentAgain?: boolean;
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

interface Attempting {
  /** Whether it may have been sent on a connection that broke. */
  again: boolean;
  signal: AbortSignal;
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
      outcome = await this.#attempt(message, { again: false, signal: deadline.signal }).catch((error) => {
        if (error instanceof StaleConnection) return this.#attempt(message, { again: true, signal: deadline.signal });
        throw error;
      });
    } catch (error) {
      const isLate = deadline.signal.aborted && !signal?.aborted;
      const address = error instanceof ForbiddenAddress ? error.address : undefined;
      const reason = isLate ? late(this.#options.timeout) : failureReason(error, signal);
      outcome = { isAcknowledged: false, reason, ...(address !== undefined && { address }) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    return { ...outcome, milliseconds: Math.round(performance.now() - start) };
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #attempt({ url: text, headers, body }: Message, { again, signal }: Attempting) {
    const url = new URL(text);
    const encrypted = url.protocol === 'https:';
    const address = addressIn(url);
    if (address !== undefined && !this.#options.open.isOpen(address, { encrypted }))
      throw new ForbiddenAddress(`the URL leads to ${notPublic}`, address);
    const options = {
      method: 'POST',
      agent: this.#agents[encrypted ? 'https:' : 'http:'],
      headers: { ...headers(again), 'content-length': Buffer.byteLength(body) },
      signal,
      maxHeaderSize: mostBytes.head,
    };
    const request = (encrypted ? httpsRequest : httpRequest)(url, options);
    this.#limitConnecting(request);
    request.end(body);
    return { ...(await responseTo(request, signal, readResponse)), isSentAgain: again };
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
