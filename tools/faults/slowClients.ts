import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../consistency/system.js';
import type { Fault } from './fault.js';

const count = 50;

/** Opens many connections to the first gateway, works on them for ten seconds, and closes them. */
async function occupy({ gateways: [gateway] }: System, open: (send: (text: string) => void) => NodeJS.Timeout) {
  const { hostname, port } = new URL(gateway?.base ?? '');
  const sockets = Array.from({ length: count }, () => {
    // Paused from the start: nothing is ever read.
    const socket = connect(Number(port), hostname).on('error', () => {});
    const timer = open((text) => void (socket.writable && socket.write(text)));
    return { socket, timer };
  });
  await sleep(10_000);
  for (const { socket, timer } of sockets) {
    clearInterval(timer);
    socket.destroy();
  }
}

export const slowSenders: Fault = {
  title: `${count} clients send their body a byte at a time for ten seconds`,
  async strike(system) {
    const { token } = await system.issueToken(await system.somebody());
    const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    await occupy(system, (send) => {
      send(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`);
      return setInterval(() => send(' '), 200);
    });
  },
};

export const slowReaders: Fault = {
  title: `${count} clients request ten large responses each and read none of them for ten seconds`,
  async strike(system) {
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
    await occupy(system, (send) => {
      send(request.repeat(10));
      return setInterval(() => send(request), 5_000);
    });
  },
};
