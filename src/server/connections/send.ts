import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../../http/response.js';

/** Sends an answer at once and with its length, unless one was sent. */
export function send({ status, headers, body }: HttpResponse, res: ServerResponse): void {
  if (res.headersSent || res.destroyed) return;
  try {
    res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) });
    res.end(body);
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}
