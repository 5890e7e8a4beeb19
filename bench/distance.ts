import { once } from 'node:events';
import net from 'node:net';
import { type ContenderName, startContender } from './comparison/contenders.js';
import { startDatabase } from './comparison/database.js';
import { usualSizes } from './comparison/dataset.js';
import { table } from './comparison/format.js';
import { closedLoop } from './comparison/load.js';
import { percentiles } from './comparison/measure.js';
import { installPeers } from './comparison/peers.js';
import { type WorkloadName, Workloads } from './comparison/workloads.js';

// How long a request takes when PostgreSQL is not on the same machine: every message to it and from it is delayed.
// One connection, the median of two seconds: `npx tsx bench/distance.ts [milliseconds each way]`

const milliseconds = Number(process.argv[2] ?? 1);
const names: WorkloadName[] = ['restore', 'reopen, 5 recipients', 'delete', 'full goal', 'page of 50', '409', '401'];
const contenders: ContenderName[] = ['gateway', 'Mercurius, by hand'];

/** Passes on what arrives, later. */
function delay(from: net.Socket, to: net.Socket): void {
  from.setNoDelay();
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), milliseconds));
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

installPeers();
const database = await startDatabase(usualSizes);
const { port, hostname } = new URL(database.url);
const distant = net.createServer((client) => {
  const server = net.connect(Number(port), hostname);
  delay(client, server);
  delay(server, client);
});
await once(distant.listen(0, '127.0.0.1'), 'listening');
const url = new URL(database.url);
url.port = String((distant.address() as net.AddressInfo).port);
url.hostname = '127.0.0.1';

const workloads = new Workloads(usualSizes);
const medians = new Map<string, string[]>(names.map((name) => [name, []]));
for (const contender of contenders) {
  const running = await startContender(contender, url.href);
  for (const name of names) {
    await closedLoop(running, workloads.next[name], 4, 2);
    const load = await closedLoop(running, workloads.next[name], 1, 2);
    if (load.failures[0]) throw new Error(load.failures[0]);
    medians.get(name)?.push(percentiles(load).p50.toFixed(1));
    await database.renew();
    workloads.renew();
  }
  await running.stop();
}
const rows = [...medians].map(([name, values]) => [name, ...values]);
console.log(table(['p50, ms', ...contenders], rows));
distant.close();
await database.stop();
