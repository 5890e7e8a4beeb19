import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createWorld } from '../../support/world.js';

const world = await createWorld({ streaming: { most: 2_000 }, readTimeout: 2_000 });
let base = '';
beforeAll(async () => {
  world.startDispatcher();
  base = await world.base();
});

type Team = Awaited<ReturnType<typeof world.team>>;

/** So many events on one goal, at once. */
async function record({ company, caller }: Team, goal: { id: string }, count = 1): Promise<void> {
  await world.activities(caller, goal.id, count);
  world.dispatcher.changed(company.companyId);
}

const untilOpen = async (count: number) => {
  while (world.streams.open !== count) await sleep(5);
};

const query = 'subscription { events { sequence activity { subject { ... on Goal { description } } } } }';

/** A client that reads only when it is told to. */
async function openSocket(token: string): Promise<Socket> {
  const { port } = new URL(base);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(
    `GET /graphql?${new URLSearchParams({ query })} HTTP/1.1\r\nHost: x\r\n` +
      `Accept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}

/** Reads what comes until it ends, or until there were so many events. Returns their sequences. */
async function read(socket: Socket, count: number): Promise<number[]> {
  const sequences: number[] = [];
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    for (const [, sequence] of rest.matchAll(/"sequence":(\d+),/g)) sequences.push(Number(sequence));
    rest = rest.slice(-20).replace(/"sequence":\d+,.*/s, '');
    if (sequences.length >= count) socket.destroy();
  });
  if (!socket.closed) await once(socket, 'close');
  return sequences;
}

const big = 200;

/** A person who may see a goal of 200 kB by a grant, and is sent it 200 times without reading. */
async function unreadStream() {
  const team = await world.team();
  const goal = await world.goal(team.space, { description: 'x'.repeat(200_000) });
  const guest = await world.person(team.company, { type: 'guest' });
  await world.grant(team.company, guest, 10, { goalId: goal.id });
  const socket = await openSocket(guest.token);
  await record(team, goal, big);
  return { team, guest, socket };
}

test('what a slow reader has not read is not kept for it: it is read, and judged, when it goes on', async () => {
  const { team, socket } = await unreadStream();
  await sleep(1_000);
  await world.sql('DELETE FROM access_grants WHERE company_id = $1', [team.company.companyId]);
  const [sequences] = await Promise.all([read(socket, big), sleep(3_000).then(() => socket.destroy())]);
  expect(sequences.length).toBeGreaterThan(0);
  expect(sequences.length).toBeLessThan(big);
  await untilOpen(0);
});

test('a slow reader misses nothing', async () => {
  const { socket } = await unreadStream();
  await sleep(1_000);
  expect(await read(socket, big)).toEqual(Array.from({ length: big }, (_, index) => index + 1));
  await untilOpen(0);
});

test('who does not read at all is disconnected, and the stream ends', async () => {
  const { socket } = await unreadStream();
  const since = performance.now();
  await untilOpen(0);
  // The time limit, and a second for each 32 KiB of the event.
  expect(performance.now() - since).toBeLessThan(15_000);
  expect((await read(socket, big)).length).toBeLessThan(big);
});
