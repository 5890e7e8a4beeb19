import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHead } from './requestHead.js';
import { addVary, type HttpResponse } from './response.js';
import type { Handler } from './route.js';

/** Compresses bytes in a separate thread. */
const gzipped = promisify<Uint8Array, Buffer>(gzip);

/** Whether the client can read gzip. */
const acceptsGzip = ({ headers }: RequestHead): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '');

/** A response that is sent again and again: it is compressed once. */
export function keptResponse(response: HttpResponse): HttpResponse {
  if (response.body === undefined) return response;
  const body = Buffer.from(response.body);
  let zipped: Promise<Buffer> | undefined;
  const compressed = () => {
    zipped ??= gzipped(body);
    return zipped;
  };
  return { ...response, body, compressed };
}

/**
 * Compresses pages, some of which have 200 kB, and kept responses. API responses are left to the proxy in front: they are
 * short, and their callers wait for them.
 */
export const compression =
  (next: Handler): Handler =>
  async (request, context) => {
    const response = await next(request, context);
    const { headers, body, compressed } = response;
    if (!compressed && !headers['Content-Type']?.startsWith('text/html')) return response;
    addVary(context, 'Accept-Encoding');
    if (body === undefined || !acceptsGzip(request)) return response;
    const zipped = await (compressed?.() ?? gzipped(Buffer.from(body)));
    return { ...response, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: zipped };
  };
