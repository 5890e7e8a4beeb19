import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.js';

const most = 6_000;
const atOnce = 500;

export const manyConnections: Attack = {
  title: `nobody with a token keeps ${most} connections open, and opens each again that is closed`,
  async strike({ base, isOver, count }) {
    const { hostname, port } = new URL(base);
    const sockets = new Set<Socket>();
    while (!isOver()) {
      for (let opened = 0; opened < atOnce && sockets.size < most; opened += 1) {
        const socket = connect(Number(port), hostname);
        sockets.add(socket);
        socket.on('error', () => {}).on('connect', () => count('connected'));
        socket.on('close', () => sockets.delete(socket));
      }
      await sleep(100);
    }
    for (const socket of sockets) socket.destroy();
  },
};
