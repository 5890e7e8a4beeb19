import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientAddress } from '../../http/limits/clientAddress.js';
import type { Overload } from '../admission/overload.js';
import type { Connections } from './connections.js';

interface LimitOptions {
  most: number;
  connections: Pick<Connections, 'lastOn'>;
  overload?: Pick<Overload, 'countDrop'> | undefined;
}

/**
 * Bounds the number of open connections. For one from an address that has fewer than another, the other's oldest without
 * a request is closed, so that nobody keeps others out by connections that do nothing. Any other new one is closed at
 * once. Node's own limit would close just any, and workers would hand connections on to each other, round and round.
 */
export function limitConnections(server: Server, { most, connections, overload }: LimitOptions): void {
  const open = new Map<string, Set<Socket>>();
  let count = 0;
  /** Those of the address that has most, or had when it last opened one. */
  let largest = new Set<Socket>();

  const firstIdle = () => {
    for (const socket of largest) if (!socket.destroyed && !connections.lastOn(socket)) return socket;
    return undefined;
  };
  const forget = (socket: Socket, address: string, own: Set<Socket>) => {
    if (own.delete(socket)) count -= 1;
    if (own.size === 0) open.delete(address);
  };

  server.prependListener('connection', (socket: Socket) => {
    const address = clientAddress({ peer: socket.remoteAddress, forwardedFor: undefined }, 0);
    const own = open.get(address) ?? new Set();
    if (count >= most) {
      const idle = own.size + 1 < largest.size ? firstIdle() : undefined;
      (idle ?? socket).destroy();
      overload?.countDrop();
      if (!idle) return;
    }
    open.set(address, own.add(socket));
    count += 1;
    if (own.size >= largest.size) largest = own;
    socket.once('close', () => forget(socket, address, own));
  });
}
