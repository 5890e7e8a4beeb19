import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
// What it fails with is worded there.
import '../../../src/errors/catalogue.js';
import { Overload } from '../../../src/platform/http/admission.js';

import { type Handler, problemResponse } from '../../../src/platform/http/response.js';
import { NodeServer } from '../../../src/platform/http/server.js';
import { newScope } from '../../../src/platform/postgres/index.js';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
import { eventually } from '../../support/eventually.js';
import { listening } from '../../support/temporary.js';
import type { Json } from '../../support/world.js';

const million = 1_000_000;

/** Answers each request with as many bytes as its path says, once it may. */
async function serving({ own = false, ...limits }: Partial<ConstructorParameters<typeof NodeServer>[0]> & Json = {}) {
  const log: Json[] = [];
  const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
  const overload = new Overload({ maxConcurrentRequests: 20 }, logger);
  let release = () => {};
  let released = Promise.resolve();
  const hold = () => {
    released = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  const handle: Handler = async ({ url, headers }, context) => {
    const { pathname } = new URL(url);
    const authorization = headers.get('authorization');
    if (authorization) context.record.actor = { companyId: 'c', personId: 'p', tokenId: authorization } as Json;
    await released;
    return { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'x'.repeat(Number(pathname.slice(1)) || 1) };
  };
  const callers = {
    addressOf: () => '',
    clientOf: ({ headers }: IncomingMessage) => ({ address: '', token: headers.authorization }),
    callerOf: ({ token = '' }: { token: string | undefined }) => ({ id: token, flow: token }),
  };
  // With its type, since a server that calls what it has not got refuses everything.
  const app: ConstructorParameters<typeof NodeServer>[0]['app'] = {
    handle,
    callers,
    needsSeat: () => true,
    refusal: () => undefined,
    reject: (error, _head, { requestId }) => problemResponse(error, requestId),
    withoutSecrets: (path) => path,
    newScope: () => newScope(5_000),
  };
  const nodeServer = new NodeServer({ app, logger, overload, ...limits });
  const server: Server = own ? createServer(nodeServer.listener) : nodeServer.server;
  const port = await listening(server);
  onTestFinished(() => release());

  /** Asks for that many bytes and reads none of them until it is told to. */
  async function ask(bytes: number, caller: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET /${bytes} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller}\r\n\r\n`);
    return socket;
  }
  const fetched = async (path: string, caller: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${caller}` } });
    return { status: response.status, length: (await response.text()).length, headers: response.headers };
  };
  return { overload, log, hold, ask, fetched };
}

/** Reads at that rate. Returns how many bytes came until the connection ended, or until there were as many as are wanted. */
async function readAt(socket: Socket, bytesPerSecond: number, wanted: number): Promise<number> {
  let received = 0;
  const started = performance.now();
  socket.on('data', ({ length }) => {
    received += length;
    socket.pause();
    // A pause that was too long, because the machine is busy, shortens the next one.
    const due = started + (received / bytesPerSecond) * 1_000;
    void setTimeout(Math.max(0, due - performance.now())).then(() => socket.resume());
    if (received >= wanted) socket.destroy();
  });
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return received;
}

/** How many of the connections the server has not closed. What is in the kernel's buffers has to be read to see that. */
async function stillOpen(sockets: Socket[], bytes: number): Promise<number> {
  const received = await Promise.all(sockets.map((socket) => readAt(socket, 1_000 * million, bytes)));
  return received.filter((length) => length >= bytes).length;
}

describe('responses that nobody reads', () => {
  test('are bounded together: the connection that has waited longest is closed, and others get theirs', async () => {
    const { ask, fetched, overload, log } = await serving({ unsentBytes: 40 * million });
    const bytes = 10 * million;
    const unread = [];
    for (let index = 0; index < 8; index += 1) {
      unread.push(await ask(bytes, index < 4 ? 'mine' : 'friend'));
      await eventually(() => expect(log.filter(({ msg }) => msg === 'request')).toHaveLength(index + 1));
    }
    expect(await fetched(`/${bytes}`, 'other')).toMatchObject({ status: 200, length: bytes });
    expect((await fetched('/healthz', 'mine')).status).toBe(200);
    const [oldest, newest] = [await stillOpen(unread.slice(0, 3), bytes), await stillOpen(unread.slice(-2), bytes)];
    expect([oldest, newest]).toEqual([0, 2]);
    await eventually(() => expect(log).toContainEqual(expect.objectContaining({ msg: 'overloaded' })));
    await eventually(() => expect(overload.queue.taken).toBe(0));
  });

  test('are closed even if there is only one, and the process lives', async () => {
    const { ask, fetched } = await serving({ unsentBytes: 5 * million });
    expect(await stillOpen([await ask(10 * million, 'mine')], 10 * million)).toBe(0);
    expect((await fetched('/1', 'mine')).status).toBe(200);
  });

  test('hold no seat', async () => {
    const { ask, overload, log } = await serving();
    const unread = await ask(10 * million, 'mine');
    await eventually(() => expect(log).toHaveLength(1));
    expect([overload.queue.taken, unread.destroyed]).toEqual([0, false]);
  });

  test('are forgotten when their clients go', async () => {
    const { ask, fetched, log } = await serving({ unsentBytes: 20 * million });
    for (let index = 0; index < 5; index += 1) {
      const socket = await ask(10 * million, 'mine');
      await eventually(() => expect(log.filter(({ status }) => status === 200).length).toBeGreaterThan(index));
      socket.destroy();
      await eventually(async () => expect((await fetched('/1', 'mine')).status).toBe(200));
    }
    expect(log.filter(({ msg }) => msg === 'overloaded')).toEqual([]);
  });
});

describe.each([
  ['the server of the gateway', false],
  ["a server of one's own", true],
])('a client of %s', (_of, own) => {
  const limits = { own, readTimeout: 1_000 };

  test('that reads nothing is disconnected, also if it asks for more behind it', async () => {
    const { ask, fetched, overload } = await serving(limits);
    const socket = await ask(10 * million, 'mine');
    socket.write('GET /30000 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await setTimeout(2_000);
    expect(await stillOpen([socket], 10 * million)).toBe(0);
    expect((await fetched('/1', 'mine')).status).toBe(200);
    expect(overload.queue.taken).toBe(0);
  });
});
