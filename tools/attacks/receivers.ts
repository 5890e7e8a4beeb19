import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack, Target } from './attack.js';

/** What an owner may do: webhooks of a company, and pings of each that wait at once. */
const [webhooks, pings] = [20, 8];
/** Between two rounds of pings, which the rate limit of the token bounds too. */
const pause = 2_000;

/** What a receiver does once a request has come. `count` is how many have come before. */
type Receive = (socket: Socket, count: number) => void;

const acknowledged = 'HTTP/1.1 200 OK\r\n';
const chunked = `${acknowledged}transfer-encoding: chunked\r\n\r\n`;
const wholeAnswer = `${acknowledged}x: y\r\ncontent-length: 2\r\n\r\nok`;
const bomb = gzipSync(Buffer.alloc(50_000_000));
const bombHead = `${acknowledged}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;

/** Resolves when more may be written, or the socket is closed. */
const writable = (socket: Socket) =>
  new Promise<void>((resolve) => {
    const go = () => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.once('drain', go).once('close', go);
  });

/** Writes as fast as it is read, for ever. */
async function forever(socket: Socket, start: string, piece: string): Promise<void> {
  const pieces = piece.repeat(Math.ceil(8_192 / piece.length));
  socket.write(start);
  while (!socket.destroyed) {
    if (!socket.write(pieces)) await writable(socket);
  }
}

/** Writes byte by byte, each in a packet of its own. */
async function dribble(socket: Socket, piece: string): Promise<void> {
  socket.setNoDelay();
  while (!socket.destroyed) {
    for (const character of piece) socket.write(character);
    await sleep(1);
  }
}

const endless =
  (start: string, piece: string): Receive =>
  (socket) =>
    void forever(socket, start, piece);

const receivers: Record<string, Receive> = {
  continues: endless('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  processes: endless('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  hints: endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  longHints: endless('', `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(8_000)}\r\n\r\n`),
  silence: () => {},
  dribbledHead: (socket) => {
    socket.write(acknowledged);
    void dribble(socket, 'x: y\r\n');
  },
  endlessHead: endless(`${acknowledged}x: `, 'y'),
  manyHeaders: endless(acknowledged, 'a:\r\n'),
  endlessBody: endless(`${acknowledged}\r\n`, 'x'),
  dribbledBody: (socket) => {
    socket.write(`${acknowledged}\r\n`);
    void dribble(socket, 'x');
  },
  tinyChunks: endless(chunked, '1\r\na\r\n'),
  chunkExtensions: endless(chunked, `1;${'x'.repeat(8_000)}\r\na\r\n`),
  endlessTrailers: endless(`${chunked}0\r\n`, 'x: y\r\n'),
  gzipBomb: (socket) => {
    socket.write(bombHead);
    socket.write(bomb);
  },
  bytesAfterwards: endless(`${acknowledged}content-length: 0\r\n\r\n`, 'x'),
  answersAfterwards: endless(`${acknowledged}content-length: 0\r\n\r\n`, `${acknowledged}content-length: 0\r\n\r\n`),
  resets: (socket, count) => {
    socket.write(wholeAnswer.slice(0, count % wholeAnswer.length));
    setTimeout(() => socket.resetAndDestroy(), 5);
  },
};

/** Every kind of receiver that misbehaves. */
export const kindsOfReceivers = Object.keys(receivers);

/** Starts a receiver of each kind. Returns their URLs, and what stops them. */
export async function startReceivers(kinds: readonly string[]) {
  const sockets = new Set<Socket>();
  const servers = kinds.map((kind) => {
    let count = 0;
    return createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
      socket.once('data', () => receivers[kind]?.(socket, count++));
    });
  });
  const urls = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    }),
  );
  const stop = () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { urls, stop };
}

async function ask({ base, writeToken, count, isOver }: Target, query: string, input?: object) {
  try {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${writeToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
    });
    count(response.status);
    return (await response.json()).data;
  } catch {
    if (!isOver()) count('no response');
    return undefined;
  }
}

const list = '{ webhooks { id } }';
const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
const send = 'mutation ($input: PingWebhookInput!) { pingWebhook(input: $input) { eventId } }';
const remove = 'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { id } }';

/** As many webhooks as there may be, which get all events from the first on, and pings beside them. */
async function strike(target: Target, kinds: readonly string[]): Promise<void> {
  // Those of an attack before this one, whose gateway was stopped meanwhile.
  const before = await ask(target, list);
  await Promise.all((before?.webhooks ?? []).map(({ id }: { id: string }) => ask(target, remove, { id })));
  const { urls, stop } = await startReceivers(kinds);
  const made = Array.from({ length: webhooks }, (_, index) => urls[index % urls.length]).map(async (url) => {
    const data = await ask(target, create, { url, afterSequence: 0 });
    return data?.createWebhook?.webhook.id as string | undefined;
  });
  const ids = (await Promise.all(made)).filter((id) => id !== undefined);
  while (!target.isOver()) {
    await Promise.all(ids.flatMap((id) => Array.from({ length: pings }, () => ask(target, send, { id }))));
    await sleep(pause);
  }
  stop();
}

const attackOf = (title: string, kinds: readonly string[]): Attack => ({
  title: `an owner has ${webhooks} webhooks, sent everything and ${pings} pings each, whose receivers ${title}`,
  settings: { WEBHOOK_KEY: 'a-key-for-webhooks-of-at-least-32-characters', WEBHOOK_ALLOW: '127.0.0.0/8' },
  strike: (target) => strike(target, kinds),
});

/** Receivers that misbehave: the worst of them by itself, and those of every kind side by side. */
export const endlessHints = attackOf('answer 103 for ever', ['hints']);
export const receiversOfEveryKind = attackOf('misbehave, each in its way', kindsOfReceivers);
export const receiverOf = (kind: string): Attack => attackOf(`are of the kind ${kind}`, [kind]);
