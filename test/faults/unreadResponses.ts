import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../../src/database/embedded/startEmbedded.js';
import { startBuiltGateway } from '../support/builtGateway.js';
import { commandOutput, importFileOf } from '../support/goalpost.js';

// How much memory a built gateway needs while one token asks for long responses and reads next to nothing of them,
// compared with clients that read theirs, and what another token sees meanwhile:
// `npx tsx test/faults/unreadResponses.ts [seconds] [kilobytes of a response]`

const [seconds = 40, kilobytes = 10_000] = process.argv.slice(2).map(Number);
const honestClients = 10;
const attackers = 250;
/** What the attackers read, in bytes, and how often, in milliseconds. */
const sip = { bytes: 6_000, every: 30_000 };
const pieces = 10;

const folder = await mkdtemp(join(tmpdir(), 'goalpost-unread-'));
const database = await startEmbedded({ dataDir: folder });
const settings = { DATABASE_URL: database.url };
await commandOutput(['migrate'], settings);
const people = ['honest', 'greedy'];
const text = 'x'.repeat((kilobytes * 1_000) / pieces);
await importFileOf(
  {
    company: { id: 'company', name: 'Company' },
    people: people.map((id) => ({ id, full_name: id })),
    spaces: [{ id: 'space', name: 'Space', members: people.map((id) => ({ person_id: id })) }],
    resource_hubs: [{ id: 'hub', name: 'Hub', space_id: 'space' }],
    documents: [
      {
        id: 'document',
        resource_hub_id: 'hub',
        name: 'Title',
        content: text,
        author_id: 'honest',
        state: 'published',
        published_at: '2026-01-01T09:00:00Z',
        versions: [{ version_number: 1, title: 'Title', content: text, editor_id: 'honest', origin: 'published' }],
      },
    ],
  },
  settings,
);
const tokenOf = (person: string) =>
  commandOutput(['token', 'create', '--person', person, '--company', 'company', '--name', 'load'], settings);
const [honest = '', greedy = ''] = await Promise.all(people.map(tokenOf));
const fields = Array.from({ length: pieces }, (_, index) => `a${index}: content`).join(' ');
const long = JSON.stringify({ query: `{ resourceHubDocument(id: "document") { ${fields} } }` });
const short = JSON.stringify({ query: '{ viewer { person { id } } }' });

const gateway = await startBuiltGateway({ ...settings, NODE_OPTIONS: '--max-old-space-size=512' });
let isOver = false;
gateway.exited.then(() => {
  isOver = true;
});

async function send(body: string): Promise<number> {
  const headers = { authorization: `Bearer ${honest}`, 'content-type': 'application/json' };
  const response = await fetch(`${gateway.base}/graphql`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

const statuses: Record<string, number> = {};
const count = (what: string | number) => {
  statuses[what] = (statuses[what] ?? 0) + 1;
};

async function readEverything(until: number): Promise<void> {
  while (!isOver && Date.now() < until) count(await send(long).catch(() => 'connection lost'));
}

/** Asks again whenever it is refused or disconnected. */
async function readNothing(until: number): Promise<void> {
  const { hostname, port } = new URL(gateway.base);
  while (!isOver && Date.now() < until) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    const closed = once(socket, 'close').catch(() => {});
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${long.length}\r\n\r\n${long}`,
    );
    const status = await statusOf(socket);
    count(status);
    if (status === '200') await Promise.race([closed, sipUntil(socket, until)]);
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
  return 'connection lost';
}

async function sipUntil(socket: Socket, until: number): Promise<void> {
  while (!socket.destroyed && Date.now() < until) {
    socket.read(sip.bytes);
    await sleep(Math.min(sip.every, Math.max(until - Date.now(), 0)));
  }
}

/** The most memory while these clients do their work, and how long a short query of the honest token took at most. */
async function measure(what: string, clients: number, client: (until: number) => Promise<void>): Promise<number> {
  for (const name of Object.keys(statuses)) delete statuses[name];
  const until = Date.now() + seconds * 1_000;
  let most = 0;
  const times: number[] = [];
  const failed: unknown[] = [];
  const watch = async () => {
    while (!isOver && Date.now() < until) {
      most = Math.max(most, gateway.megabytes());
      const started = performance.now();
      const status = await send(short).catch(() => 'connection lost');
      times.push(performance.now() - started);
      if (status !== 200) failed.push(status);
      await sleep(100);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: clients }, () => client(until))]);
  times.sort((one, other) => one - other);
  const at = (part: number) => `${Math.round(times[Math.floor((times.length - 1) * part)] ?? 0)} ms`;
  console.log(
    `${what}: at most ${most} MB; responses ${JSON.stringify(statuses)}; ${times.length} short queries of another ` +
      `client, ${failed.length} not 200, median ${at(0.5)}, longest ${at(1)}`,
  );
  return most;
}

console.log(`started: ${gateway.megabytes()} MB`);
const busy = await measure(`${honestClients} clients read ${kilobytes} kB each`, honestClients, readEverything);
const attacked = await measure(`one token reads nothing on ${attackers} connections`, attackers, readNothing);
console.log(isOver ? 'the gateway has ended' : `ratio ${(attacked / busy).toFixed(2)}`);
await gateway.stop();
await database.stop();
await rm(folder, { recursive: true, maxRetries: 20 });
