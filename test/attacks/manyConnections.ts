import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Target } from './attack.js';

/** As many as a gateway takes, from another address than the victim's. */
const most = 10_000;
const localAddress = '127.0.0.2';
const atOnce = 500;

/** Asks as a balancer does, and notes how long that takes. */
async function checkHealth({ base, isOver, count }: Target): Promise<void> {
  while (!isOver()) {
    const start = performance.now();
    const isOk = await fetch(`${base}/healthz`, { headers: { connection: 'close' } }).then(
      async (response) => response.ok && (await response.text()) !== '',
      () => false,
    );
    const milliseconds = [10, 50, 250, 1_000].find((limit) => performance.now() - start <= limit);
    count(isOk && milliseconds ? `/healthz within ${milliseconds} ms` : '/healthz failed');
    await sleep(100);
  }
}

export const manyConnections: Attack = {
  title: `nobody with a token keeps ${most} connections open, and opens each again that is closed`,
  async strike(target) {
    const { base, isOver, count } = target;
    const { hostname: host, port } = new URL(base);
    const sockets = new Set<Socket>();
    const checked = checkHealth(target);
    while (!isOver()) {
      for (let opened = 0; opened < atOnce && sockets.size < most; opened += 1) {
        const socket = connect({ host, port: Number(port), localAddress });
        sockets.add(socket);
        socket.on('error', () => {}).on('connect', () => count('connected'));
        socket.on('close', () => sockets.delete(socket));
      }
      await sleep(100);
    }
    await checked;
    for (const socket of sockets) socket.destroy();
  },
};
