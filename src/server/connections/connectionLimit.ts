import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Overload } from '../admission/overload.js';

/**
 * Closes connections over the limit of a worker at once. Node's own limit would hand them on to the next worker, and if
 * all are full, round and round.
 */
export function limitConnections(most: number, server: Server, overload: Pick<Overload, 'countDrop'>): void {
  let open = 0;
  server.prependListener('connection', (socket: Socket) => {
    if (open >= most) {
      socket.destroy();
      overload.countDrop();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
}
