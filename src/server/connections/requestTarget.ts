import type { IncomingMessage } from 'node:http';
import { failure } from '../../errors/failures.js';

const malformed = (problem: string) => failure('MALFORMED_REQUEST', { problem });

/**
 * Reads what a request asks for, as RFC 9112 says, into the path and host that the URL of the request is made of. Throws
 * MALFORMED_REQUEST if the target or `Host` is no part of a URL, so that `Host` never decides about the path, and if
 * there are two tokens, of which Node would drop one silently.
 */
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
