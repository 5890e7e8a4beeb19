import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { restPaths, type World } from './world.js';

/** The head of a request. */
export const lines = (...given: string[]) => `${given.join('\r\n')}\r\n\r\n`;

/** The head of a reopening with a body of that length. */
export const reopening = (token: string, length: number) =>
  lines(
    `POST ${restPaths.reopenGoal} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  );

/** A connection over which that was sent. */
export async function sending(bytes: string, world: World): Promise<Socket> {
  const { hostname, port } = new URL(await world.base());
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  return socket;
}

/** Sends bytes, and returns everything that comes back until the server ends the connection. */
export async function exchange(bytes: string, world: World): Promise<string> {
  return text(await sending(bytes, world));
}
