import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from '../../src/commands/listen/followEvents.js';
import { freePort } from '../../src/database/embedded/freePort.js';
import { startEmbedded } from '../../src/database/embedded/startEmbedded.js';
import { startBuiltGateway } from '../support/builtGateway.js';
import { commandOutput } from '../support/goalpost.js';
import { createRestorables } from '../support/restorables.js';
import { Restorer } from './restorer.js';

// Two gateways behind HAProxy, with the settings of docs/operating.md, are restarted one after the other while clients
// write over kept connections, and others read streams. Prints what they saw: `npx tsx test/faults/rollingRestart.ts [clients] [rounds]`

const [clients = 16, rounds = 3] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'goalpost-rolling-'));
const database = await startEmbedded({ dataDir: folder });
const settings = { DATABASE_URL: database.url };
await commandOutput(['migrate'], settings);
const { token, documents } = await createRestorables(settings, clients);

const ports = [await freePort(), await freePort()];
const start = (port: number) => startBuiltGateway({ ...settings, PORT: String(port), DRAIN_DELAY_SECONDS: '3' });
const gateways = new Map(await Promise.all(ports.map(async (port) => [port, await start(port)] as const)));

const port = await freePort();
const operating = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const [, documented = ''] = /```haproxy\n(.*?)```/s.exec(operating) ?? [];
const configuration = documented
  .replace('bind :80', `bind 127.0.0.1:${port}`)
  .replace('gateway-1:4000', `127.0.0.1:${ports[0]}`)
  .replace('gateway-2:4000', `127.0.0.1:${ports[1]}`);
const file = join(folder, 'haproxy.cfg');
await writeFile(file, configuration);
const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
const exited = once(haproxy, 'exit');
const base = `http://127.0.0.1:${port}`;
while (
  !(await fetch(`${base}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await sleep(100);

const sequences: number[] = [];
const stopped = new AbortController();
let interruptions = 0;
await new Promise<void>((listening) => {
  const notes = { onListening: listening, onLost: () => void interruptions++, onCursor: () => {} };
  const everything = { actions: undefined, after: undefined };
  const events = followEvents({ url: `${base}/graphql`, token }, everything, stopped.signal, notes);
  void (async () => {
    for await (const { sequence } of events) sequences.push(sequence);
  })();
});

const restorers = documents.map((document) => new Restorer(base, token, document));
const running = restorers.map((restorer) => restorer.run());
await sleep(2000);
for (let round = 0; round < rounds; round++) {
  for (const restarted of ports) {
    await gateways.get(restarted)?.stop();
    gateways.set(restarted, await start(restarted));
    await sleep(3000);
  }
}
for (const restorer of restorers) restorer.stop();
await Promise.all(running);

const changes = restorers.flatMap(({ versions }) => versions).length;
const last = (sequences[0] ?? 0) + changes - 1;
for (let patience = 600; (sequences.at(-1) ?? 0) < last && patience > 0; patience--) await sleep(100);
stopped.abort();
const outOfOrder = sequences.filter((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1);
const isWhole = sequences.length === changes && outOfOrder.length === 0;

const answers = restorers.flatMap((restorer) => restorer.answers);
const failed = answers.filter(({ status }) => status !== 200);
const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds));
console.log(
  `restarts ${2 * rounds}, requests ${answers.length}, failed ${failed.length}, slowest ${Math.round(slowest)} ms`,
);
console.log(
  `events ${changes}, received ${sequences.length}, not after the one before ${outOfOrder.length}, interruptions ${interruptions}`,
);
if (failed.length > 0) console.log(failed.map(({ status }) => status).join(' '));
for (const gateway of gateways.values()) await gateway.stop();
haproxy.kill('SIGTERM');
await exited;
await database.stop();
await rm(folder, { recursive: true, maxRetries: 20 });
process.exitCode = failed.length > 0 || !isWhole ? 1 : 0;
