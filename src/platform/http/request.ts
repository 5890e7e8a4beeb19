import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { badInput, failure } from '../failures/index.js';

/** What the steps read of a request before its body. A fetch Request fits too, but costs far more to create. */
export interface RequestHead {
  readonly method: string;
  /** Absolute, as its caller sees it. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** The head of Node's request, whose target and `Host` are checked. */
export function headOf({ method = '', url = '', headers, socket }: IncomingMessage): RequestHead {
  const get = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  // Only HTTP/1.0 may omit the host.
  const host = headers.host ?? (socket.localAddress?.includes(':') ? 'localhost' : socket.localAddress);
  return { method, url: `http://${host}${url}`, headers: { get, has: (name) => get(name) !== null } };
}

/** Of what a route responds with unless it says otherwise. */
export const jsonTypes = ['application/json'];

interface Range {
  type: string;
  quality: number;
}

/** What an `Accept` header says about media types. One that is missing or unreadable accepts all. */
export class Accepted {
  readonly #ranges: readonly Range[];
  readonly #preferred = new Map<readonly string[], string | undefined>();

  constructor(header: string) {
    this.#ranges = rangesOf(header);
  }

  /** The quality that the most specific range gives to a type; 0 if the type is not accepted. */
  quality(type: string): number {
    if (this.#ranges.length === 0) return 1;
    for (const wanted of [type, type.replace(/\/.*/, '/*'), '*/*']) {
      const qualities = this.#ranges.filter((range) => range.type === wanted).map(({ quality }) => quality);
      if (qualities.length > 0) return Math.max(...qualities);
    }
    return 0;
  }

  /** Whether the header names this very type. */
  names(type: string): boolean {
    return this.#ranges.some((range) => range.type === type && range.quality > 0);
  }

  /** The type that the client prefers among constant ones; undefined if it accepts none of them. */
  preferred(types: readonly string[]): string | undefined {
    const known = this.#preferred.get(types);
    if (known) return known;
    const position = (type: string) => this.#ranges.findIndex((range) => range.type === type) >>> 0;
    const [best] = types
      .filter((type) => this.quality(type) > 0)
      .sort((one, other) => this.quality(other) - this.quality(one) || position(one) - position(other));
    this.#preferred.set(types, best);
    return best;
  }
}

// Our own, because the package `negotiator` rejects `application/json; charset=utf-8` and every header it cannot read.
function rangesOf(header: string): Range[] {
  return header.split(',').flatMap((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    if (!/^[^/\s]+\/[^/\s]+$/.test(type)) return [];
    const quality = Number(/^q\s*=\s*([\d.]+)$/.exec(parameters.find((part) => part.startsWith('q')) ?? '')?.[1] ?? 1);
    return [{ type, quality: Number.isNaN(quality) ? 1 : quality }];
  });
}

// A client sends the same header each time, and each request reads it three times. One of thousands of ranges is read each
// time: what is cached of it would be many times as long.
const longestCached = 500;
const cached = new LRUCache<string, Accepted>({ max: 100, memoMethod: (header) => new Accepted(header) });

export const readAccept = (header: string | null): Accepted =>
  (header ?? '').length <= longestCached ? cached.memo(header ?? '') : new Accepted(header ?? '');

/** Throws 406 if the `Accept` header rejects every type of a response that is no failure. */
export function requireAcceptable(header: string | null, types: readonly string[]): void {
  const accepted = readAccept(header);
  if (types.some((type) => accepted.quality(type) > 0)) return;
  throw failure('NOT_ACCEPTABLE', { types });
}

/** The header of the one precondition that a surface may read. */
export const preconditionHeader = 'If-Match';

/** What is wrong with an expected state beside an input that names no record. */
export const expectsNothing = 'expects a state, but the input names no record that could be in it';

/** Throws 400 for a precondition that nobody would look at. `instead` says what to send in place of `If-Match`. */
export function requireReadPreconditions({ headers }: Pick<RequestHead, 'headers'>, instead: string | undefined): void {
  const unread = [...(instead ? [preconditionHeader] : []), 'If-None-Match', 'If-Unmodified-Since'];
  const sent = unread.filter((name) => headers.has(name.toLowerCase()));
  if (sent.length === 0) return;
  throw badInput(
    sent.map((field) => ({ field, code: 'invalid', message: `is not read here${instead ? `: ${instead}` : ''}` })),
  );
}

/** Whether the host name of a URL can only mean this machine. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Whether a request comes from this machine: by a local name, against DNS rebinding, and through no proxy. */
export function isLocal(request: RequestHead): boolean {
  const { hostname, username, password } = new URL(request.url);
  return isLoopback(hostname) && !username && !password && !proxyHeaders.some((name) => request.headers.has(name));
}

const malformed = (problem: string) => failure('MALFORMED_REQUEST', { problem });

/** Reads target and `Host` (RFC 9112). Throws MALFORMED_REQUEST if they make no URL, or if there are two tokens. */
export function readTarget(req: IncomingMessage): { path: string; host: string | undefined } {
  if (req.httpVersionMajor !== 1) throw malformed('the version is not HTTP/1.1 or HTTP/1.0');
  if ((req.headersDistinct.authorization?.length ?? 0) > 1) throw malformed('the Authorization header occurs twice');
  const host = readHost(req);
  const target = req.url ?? '';
  if (target.startsWith('/') && !target.includes('#') && URL.canParse(`http://localhost${target}`)) {
    return { path: target, host };
  }
  // A proxy sends the whole URL. Its host then counts instead of the header.
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) throw malformed('the target is neither a path nor a URL');
  const url = new URL(target);
  if (url.username || url.password || url.hash) throw malformed('the target has a user name, password or fragment');
  return { path: `${url.pathname}${url.search}`, host: url.host };
}

/** The `Host` header, which only HTTP/1.0 may leave out. */
function readHost({ headers, headersDistinct, httpVersion }: IncomingMessage): string | undefined {
  if (headersDistinct.host && headersDistinct.host.length > 1) throw malformed('the Host header occurs twice');
  const { host } = headers;
  if (host === undefined && httpVersion === '1.0') return undefined;
  if (host === undefined) throw malformed('the Host header is missing');
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`http://${host}`))
    throw malformed('the Host header is not a valid host');
  return host;
}
