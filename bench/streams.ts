import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../src/database.js';
import { createToken } from '../src/tokens.js';
import { samplesIn, sumOf } from '../test/support/scrape.js';
import { startBuiltGateway } from '../tools/builtGateway.js';

// What idle streams cost a built gateway on the embedded demo, how soon all hear of an event, and what they leave:
// `npx tsx bench/streams.ts [streams] [seconds]`

const [count = 10_000, seconds = 60] = process.argv.slice(2).map(Number);
const ofToken = 20;
const opening = 50;
const changes = 7;

const dataDir = await mkdtemp(join(tmpdir(), 'goalpost-streams-'));
const gateway = await startBuiltGateway({
  DATA_DIR: dataDir,
  // One company has half of them.
  STREAMS_MAX: String(2 * count),
  MAX_CONNECTIONS: String(count + 100),
  METRICS_PORT: '0',
});
const { base, announced, megabytes, cpuSeconds } = gateway;
const options = { databaseUrl: undefined, dataDir, poolSize: 4, preparedStatements: true };
const opened = await openDatabase(options, { migrations: 'require' });
const [owner] = await opened.db.$queryRaw<{ companyId: string; id: string }[]>`
  SELECT company_id AS "companyId", id FROM people WHERE is_owner LIMIT 1`;
if (!owner) throw new Error('the demo has no owner');
const { companyId, id: personId } = owner;

const tokens: string[] = [];
for (let number = 0; number < Math.ceil(count / ofToken); number += 1) {
  tokens.push((await createToken(opened.db, { companyId, personId, name: `${number}` })).token);
}

/** When each event came, of the last change. */
let arrivals: number[] = [];
let blocks = 0;
let ended = 0;
const query = new URLSearchParams({ query: 'subscription { events { id type sequence timestamp } }' });

function openStream(token: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /graphql?${query} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (text.includes('\r\n\r\n') && !text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 500)));
      for (const _ of text.matchAll(/event: next/g)) arrivals.push(performance.now());
      blocks += 1;
      resolve(socket);
    });
    socket.on('error', reject).on('close', () => {
      ended += 1;
    });
  });
}

async function streamsNow(): Promise<number> {
  const metrics = await fetch(announced.metrics ?? '');
  return sumOf(samplesIn(await metrics.text()), 'goalpost_streams');
}

/** The demo's token reopens a goal, which its owner sees. */
async function change(): Promise<void> {
  const { write } = JSON.parse(readFileSync(announced.tokens ?? '', 'utf8'));
  await opened.db.$executeRaw`
    UPDATE goals SET closed_at = now(), success = TRUE WHERE company_id = ${companyId} AND id = (
      SELECT id FROM goals WHERE company_id = ${companyId} AND archived_at IS NULL ORDER BY id LIMIT 1)`;
  const [goal] = await opened.db.$queryRaw<{ id: string }[]>`
    SELECT id FROM goals WHERE company_id = ${companyId} AND archived_at IS NULL ORDER BY id LIMIT 1`;
  const response = await fetch(`${base}/api/external/v1/reopen_goal`, {
    method: 'POST',
    headers: { authorization: `Bearer ${write}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: goal?.id }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

const sockets: Socket[] = [];
for (let number = 0; number < 5; number += 1) sockets.push(await openStream(tokens[0] ?? ''));
await sleep(2_000);
const before = megabytes();
while (sockets.length < count) {
  const missing = Math.min(opening, count - sockets.length);
  const next = Array.from({ length: missing }, (_, index) => tokens[Math.floor((sockets.length + index) / ofToken)]);
  sockets.push(...(await Promise.all(next.map((token) => openStream(token ?? '')))));
}
await sleep(10_000);
const open = await streamsNow();
const blocksBefore = blocks;
const cpuBefore = cpuSeconds();
await sleep(seconds * 1_000);
const cpu = cpuSeconds() - cpuBefore;
const idle = megabytes();
console.log(
  `${open} streams: ${(((idle - before) * 1024) / count).toFixed(1)} kB of memory each (${before} MB before)`,
);
console.log(
  `idle: ${((100 * cpu) / seconds).toFixed(1)} % of a core, ${((blocks - blocksBefore) / seconds).toFixed(0)} blocks/s`,
);

for (let number = 1; number <= changes; number += 1) {
  arrivals = [];
  const cpuBefore = cpuSeconds();
  const changedAt = performance.now();
  await change();
  while (arrivals.length < count && performance.now() - changedAt < 120_000) await sleep(20);
  const [median = 0, last = 0] = [arrivals[Math.floor(arrivals.length / 2)], arrivals.at(-1)];
  const after = [median, last].map((time) => Math.round(time - changedAt));
  console.log(
    `event ${number}: ${arrivals.length} streams have it, half of them after ${after[0]} ms, all after ${after[1]} ms; ${(cpuSeconds() - cpuBefore).toFixed(2)} s of the gateway`,
  );
  await sleep(2_000);
}

for (const socket of sockets) socket.destroy();
await sleep(5_000);
console.log(`after they left: ${await streamsNow()} streams, ${megabytes()} MB; ${ended} connections ended`);

await opened.close();
await gateway.stop();
await rm(dataDir, { recursive: true });
