import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../../http/response.js';

/** How much of a response is handed over at a time: how far a client has read is known to that. */
const pieceBytes = 65_536;

/** Called when a response is not taken at once, and returns what is called with each number of bytes that is taken. */
type OnWaiting = (bytes: number) => (taken: number) => void;

/** Sends a response with its length, unless one was sent. */
export function send({ status, headers, body }: HttpResponse, res: ServerResponse, onWaiting?: OnWaiting): void {
  if (res.headersSent || res.destroyed) return;
  try {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Length': length });
    if (body !== undefined && length > pieceBytes && onWaiting && res.req.method !== 'HEAD') {
      sendInPieces(typeof body === 'string' ? Buffer.from(body) : body, res, onWaiting(length));
      return;
    }
    res.end(body);
    if (isWaiting(res)) onWaiting?.(length);
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}

/** Whether the socket has not taken everything, or is another response's until that is sent. */
export const isWaiting = ({ destroyed, socket }: ServerResponse) => !destroyed && socket?.writableLength !== 0;

function sendInPieces(body: Uint8Array, res: ServerResponse, onTaken: (bytes: number) => void, from = 0): void {
  const to = from + pieceBytes;
  if (to >= body.length) {
    res.end(body.subarray(from));
    return;
  }
  res.write(body.subarray(from, to), (error) => {
    if (error) return;
    onTaken(pieceBytes);
    if (!res.destroyed) sendInPieces(body, res, onTaken, to);
  });
}
