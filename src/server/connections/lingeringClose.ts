import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const lingerMilliseconds = 5_000;
const lingerBytes = 1_048_576;
const keptBytes = 65_536;

/** Lets a connection close gently: Node alone would reset it, and a client that is still sending would lose its response. */
export function closeGently(socket: Socket): void {
  socket.destroySoon = () => discard(socket);
}

/**
 * Bounds what is read after an response that did not need the whole body. The rest of a short body is read, and the
 * connection is kept. Otherwise the connection is closed.
 */
export function lingerAfter(req: IncomingMessage, res: ServerResponse, isExpectingContinue: boolean): void {
  if (req.complete) return;
  const { socket } = req;
  const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > keptBytes || isExpectingContinue) res.shouldKeepAlive = false;
  const cutOff = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  req.once('close', () => clearTimeout(cutOff));
  closeGently(socket);
}

/**
 * Ends our side after what is still to be sent, and reads a bounded amount of what the client still sends until it ends
 * its side too. Both may take a bounded time.
 */
function discard(socket: Socket): void {
  socket.destroySoon = () => {};
  const cutOff = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  let read = 0;
  socket.end();
  socket.once('close', () => clearTimeout(cutOff));
  socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
    read += chunk.length;
    // The client is held back from here on, and can still read its response.
    if (read > lingerBytes) socket.pause();
  });
  socket.resume();
}
