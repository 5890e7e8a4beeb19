import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

let isCutting = false;
let close = () => {};
const oneIn = (count: number) => Math.random() * count < 1;

/** Passes everything on, but drops the answer to some commits and statements together with their connections. */
async function startProxy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let isLost = false;
    const end = () => void [client, server].map((socket: Socket) => socket.destroy());
    for (const socket of [client, server]) socket.on('error', end).on('close', end).setNoDelay();
    client.on('data', (data) => {
      isLost ||= isCutting && (data.includes('COMMIT') ? oneIn(3) : oneIn(50));
      server.write(data);
    });
    server.on('data', (data) => {
      if (isLost) end();
      else client.write(data);
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  close = () => proxy.close();
  const own = new URL(url);
  own.port = String((proxy.address() as AddressInfo).port);
  return own.href;
}

export const commitAnswerLost: Fault = {
  title:
    'Connections are cut after PostgreSQL received COMMIT or a statement, before its reply arrives, for five seconds',
  options: async () => ({ route: startProxy }),
  async strike() {
    isCutting = true;
    await sleep(5_000);
    isCutting = false;
  },
  cleanUp: async () => close(),
};
