import type { ServerResponse } from 'node:http';
import type { LiveBody } from '../../http/liveBody.js';
import { isWaiting } from './send.js';

/** Called when a piece is not taken at once, and returns what is called when it is. */
type OnWaiting = (bytes: number) => () => void;

/** Sends a body that goes on, one piece at a time: the next is made when the connection has taken the one before. */
export async function sendLive(
  live: LiveBody,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  res: ServerResponse,
  onWaiting: OnWaiting,
): Promise<void> {
  let release = () => {};
  if (res.headersSent || res.destroyed) return live.close();
  res.once('close', () => {
    live.close();
    release();
  });
  const send = (piece: string) =>
    new Promise<void>((resolve) => {
      release = resolve;
      res.write(piece, () => resolve());
    });
  try {
    res.writeHead(status, headers);
    for (let piece = await live.next(); piece !== undefined && !res.destroyed; piece = await live.next()) {
      const sent = send(piece);
      const onTaken = isWaiting(res) ? onWaiting(Buffer.byteLength(piece)) : undefined;
      await sent;
      onTaken?.();
    }
    res.end();
  } catch {
    // A header that Node does not send.
    res.destroy();
  }
}
