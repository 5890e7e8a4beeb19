import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Step } from './route.js';

const compress = promisify(gzip);

/** The bytes, compressed in a thread of their own. */
export const gzipped = async (bytes: Uint8Array) => new Uint8Array(await compress(bytes));

/** Whether the client can read gzip. */
export const acceptsGzip = ({ headers }: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '');

/**
 * Compresses pages, of which some have 200 kB. Content that never changes is compressed once, by its route, and answers
 * of the API are left to the proxy in front: they are short, and their callers wait for them.
 */
export const useCompressedPages = (): Step => ({
  onResponse({ request, response, setResponse }) {
    if (!response.headers.get('content-type')?.startsWith('text/html')) return undefined;
    response.headers.append('Vary', 'Accept-Encoding');
    return acceptsGzip(request) ? compressed(response).then(setResponse) : undefined;
  },
});

async function compressed(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  headers.set('Content-Encoding', 'gzip');
  return new Response(await gzipped(new Uint8Array(await response.arrayBuffer())), { status, statusText, headers });
}
