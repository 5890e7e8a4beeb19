import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHead } from './requestHead.js';
import { addVary } from './response.js';
import type { Handler } from './route.js';

/** Compresses bytes in a thread of their own. */
export const gzipped = promisify<Uint8Array, Buffer>(gzip);

/** Whether the client can read gzip. */
export const acceptsGzip = ({ headers }: RequestHead): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '');

/**
 * Compresses pages, of which some have 200 kB. Content that never changes is compressed once, by its route, and answers
 * of the API are left to the proxy in front: they are short, and their callers wait for them.
 */
export const compressedPages =
  (next: Handler): Handler =>
  async (request, context) => {
    const answer = await next(request, context);
    const { headers, body } = answer;
    if (body === undefined || !headers['Content-Type']?.startsWith('text/html')) return answer;
    addVary(context, 'Accept-Encoding');
    if (!acceptsGzip(request)) return answer;
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await gzipped(Buffer.from(body)) };
  };
