import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Attack, Target } from './attack.js';

/** As many as a gateway takes, from another address than the victim's. */
const most = 10_000;
const localAddress = '127.0.0.2';
const atOnce = 500;

const run = promisify(execFile);

/** Asks as a balancer does, on a new connection from a process of its own, and notes how long that takes. */
async function checkHealth({ base, isOver, count }: Target): Promise<void> {
  while (!isOver()) {
    const { stdout } = await run('curl', ['-s', '-w', ' %{time_total}', '--max-time', '10', `${base}/healthz`]).catch(
      () => ({ stdout: 'failed' }),
    );
    const limit = [0.01, 0.05, 0.25, 1, 5].find((seconds) => Number(stdout.split(' ').at(-1)) <= seconds);
    count(limit ? `/healthz within ${limit * 1_000} ms` : '/healthz failed');
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
