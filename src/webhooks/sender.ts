import { lookup, Resolver } from 'node:dns/promises';
import {
  type Agent,
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { addressIn, type OpenAddresses } from './addresses.js';

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
  address?: string | undefined;
  /** The beginning of the response to a failure. */
  response?: string;
  /** Seconds that the endpoint asks to wait. */
  retryAfter?: number;
  /** Whether it could not be made, which says nothing of the endpoint. */
  isUnsent?: boolean;
  /** Whether it was sent again, because a kept connection broke before a response came. */
  isSentAgain?: boolean;
  milliseconds: number;
}

type Outcome = Omit<Delivery, 'milliseconds'>;
type ResolveName = (name: string) => Promise<string[]>;

export interface SenderOptions {
  open: OpenAddresses;
  resolve?: ResolveName;
  /** Makes connections in place of `node:net` and `node:tls`. */
  createConnection?: Agent['createConnection'];
  /** In milliseconds. */
  connectTimeout?: number;
  timeout?: number;
}

export type Sender = ReturnType<typeof openSender>;

/** Kept for less than the five seconds after which Node's own server closes an idle connection. */
const connections = { keepAlive: true, timeout: 4_000, maxFreeSockets: 8 };
/** Without finite fields, of which an endpoint chooses the size: one of 8,192 bits takes the processor for long. */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;
/** The most bytes of a response: of its head, of its body, of all that comes, and of a failure's body that is kept. */
const most = { head: 16_384, body: 16_384, all: 49_152, kept: 1_000 };

/** Keeps connections for a moment, reads no proxy from the environment, and connects to open addresses only. */
export function openSender(options: SenderOptions) {
  const { open, createConnection, connectTimeout = 5_000, timeout = 15_000 } = options;
  const resolve = options.resolve ?? resolverOf(open);
  const lookup = (encrypted: boolean) => guardedLookup(resolve, (address) => open.isOpen(address, { encrypted }));
  const agents = {
    'https:': new HttpsAgent({ ...connections, lookup: lookup(true), ciphers, rejectUnauthorized: true }),
    'http:': new HttpAgent({ ...connections, lookup: lookup(false) }),
  };
  if (createConnection) for (const agent of Object.values(agents)) agent.createConnection = createConnection;

  async function attempt(message: Message, signal: AbortSignal, again = false): Promise<Outcome> {
    const url = new URL(message.url);
    const encrypted = url.protocol === 'https:';
    const address = addressIn(url);
    if (address !== undefined && !open.isOpen(address, { encrypted }))
      throw forbidden(`the URL leads to ${notPublic}`, address);
    const request = (encrypted ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: agents[encrypted ? 'https:' : 'http:'],
      headers: { ...message.headers(again), 'content-length': Buffer.byteLength(message.body) },
      signal,
      maxHeaderSize: most.head,
    });
    request.once('socket', (socket) => {
      boundBytes(request, socket);
      if (!socket.connecting) return;
      const late = new Error(`there was no connection within ${connectTimeout / 1000} s`);
      const timer = setTimeout(() => request.destroy(late), connectTimeout);
      for (const event of [encrypted ? 'secureConnect' : 'connect', 'close'])
        socket.once(event, () => clearTimeout(timer));
    });
    request.end(message.body);
    try {
      return { ...(await readResponse(await headOf(request))), isSentAgain: again };
    } catch (error) {
      const isStale = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as Failure).code ?? '');
      if (!isStale || again || signal.aborted) throw Object.assign(error as Failure, { isSentAgain: again });
      return attempt(message, signal, true);
    }
  }

  /** Never throws: whatever goes wrong is a failed delivery. */
  async function send(message: Message, stopped = new AbortController().signal): Promise<Delivery> {
    const start = performance.now();
    const deadline = AbortSignal.timeout(timeout);
    const outcome = await attempt(message, AbortSignal.any([deadline, stopped])).catch((error: Failure): Outcome => {
      const isLate = deadline.aborted && !stopped.aborted;
      const reason = isLate ? `there was no response within ${timeout / 1000} s` : reasonOf(error, stopped);
      return { isAcknowledged: false, reason, address: error.closed, isSentAgain: error.isSentAgain === true };
    });
    return { ...outcome, milliseconds: Math.round(performance.now() - start) };
  }

  return { send, close: () => Object.values(agents).forEach((agent) => void agent.destroy()) };
}

/**
 * Resolves names without the threads of Node, of which it has four: names whose servers never respond would hold all of
 * them. Only names of this machine and, if local ranges are open, those that the DNS does not know are looked up as other
 * programs do.
 */
function resolverOf({ hasRanges }: OpenAddresses): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const isUnknown = four.status === 'rejected' && ['ENOTFOUND', 'ENODATA'].includes(four.reason?.code);
    if (found.length > 0 || !hasRanges || !isUnknown) return found;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  };
}

/** An address that webhooks may not be sent to, or none. The message is for the tenant, the address is not. */
const forbidden = (message: string, closed?: string) =>
  Object.assign(new Error(message), { code: 'FORBIDDEN', closed });

/** What the owner of a webhook may know of such an address. */
const notPublic = 'an address that is not public';

/** Resolves a name at each connection, and refuses it if a single one of its addresses is not open. */
const guardedLookup =
  (resolve: ResolveName, isOpen: (address: string) => boolean): LookupFunction =>
  (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const refused = addresses.find((address) => !isOpen(address));
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (refused !== undefined) callback(forbidden(`${name} leads to ${notPublic}`, refused), []);
        else if (!first) callback(forbidden(`${name} leads to no address`), []);
        else if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      () => callback(forbidden(`${name} cannot be resolved`), []),
    );
  };

/** Bounds what an endpoint may send, also after its response: a connection that is kept is silent until the next request. */
function boundBytes(request: ClientRequest, socket: Socket): void {
  let left = most.all;
  const count = ({ length }: Buffer) => {
    left -= length;
    if (left < 0) request.destroy(new Error('the response is too long'));
  };
  socket.off('data', refuse).on('data', count);
  request.once('close', () => socket.off('data', count).on('data', refuse));
}

function refuse(this: Socket): void {
  this.destroy();
}

/** The head of the response, which decides. */
const headOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.once('close', () => reject(new Error('the connection was closed without a response')));
  });

/** What a response says: its head decides, and may ask to wait for up to an hour. Its body is read so that the connection can be kept. */
async function readResponse(response: IncomingMessage): Promise<Outcome> {
  const { statusCode: status = 0, headers } = response;
  const isAcknowledged = status >= 200 && status <= 299;
  const beginning = beginningOf(response);
  if (isAcknowledged) return { isAcknowledged, status };
  const after = [429, 503].includes(status) ? (headers['retry-after'] ?? '') : '';
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  const retryAfter = seconds > 0 ? { retryAfter: Math.min(seconds, 3_600) } : {};
  return { isAcknowledged, status, response: await beginning, ...retryAfter };
}

/** The beginning of the body, once it has ended, enough of it was read, or two seconds have passed. Never rejects. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), 2_000);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most.body) break;
    }
  } catch {
    // What came before it broke is the beginning.
  }
  clearTimeout(timer);
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '\uFFFD');
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most.kept)).read);
}

const ofNode: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
  HPE_HEADER_OVERFLOW: 'the headers of the response are too long',
};

interface Failure extends NodeJS.ErrnoException {
  closed?: string;
  isSentAgain?: boolean;
  errors?: Failure[];
}

/** Why there was no response, for the owner of the webhook to read. */
function reasonOf({ code = '', message, syscall, errors }: Failure, stopped: AbortSignal): string {
  if (stopped.aborted) return 'the gateway stopped before a response came';
  if (message === '' && errors?.[0]) return reasonOf(errors[0], stopped);
  const known = ofNode[code];
  if (known) return known;
  // The messages of system calls name the address, except those of TLS.
  if (syscall !== undefined && code !== 'EPROTO') return `the connection failed (${code})`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  const isCertificate = /CERT|SIGNED|ALTNAME|TLS|SSL|EPROTO/.test(code);
  return `${isCertificate ? 'TLS: ' : ''}${message || code || 'unknown'}`.slice(0, 200).toWellFormed();
}
