import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/embedded/server.js';
import { commandOutput } from '../../test/support/goalpost.js';
import { query } from '../../test/support/query.js';
import { createRestorables } from '../../test/support/restorables.js';
import { startBuiltGateway } from '../builtGateway.js';
import { Auditor, type Observation } from './auditor.js';
import { startCompetition } from './competition.js';
import { startDatabaseCluster, until } from './databaseCluster.js';

// Three gateways behind HAProxy, on a PostgreSQL that Patroni runs on three machines, and with
// PgBouncer. The primary is killed, then moved, then a standby is stopped, while clients read and write. Prints what they saw, and what is lost: `npx tsx tools/cluster/run.ts [auditors] [seed]`

const [auditorCount = 8, seed = 1] = process.argv.slice(2).map(Number);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

const gatewayPorts = [await freePort(), await freePort(), await freePort()];
const cluster = await startDatabaseCluster(gatewayPorts);
console.error('the database runs on three machines');
const settings = { DATABASE_URL: cluster.url, PREPARED_STATEMENTS: 'off' };
await commandOutput(['migrate'], settings);
const { token, documents } = await createRestorables(settings, auditorCount);
const gateways = await Promise.all(
  gatewayPorts.map((port) =>
    startBuiltGateway({
      ...settings,
      PORT: `${port}`,
      TRUSTED_PROXIES: '1',
    }),
  ),
);
await until('HAProxy finds the gateways', async () => (await fetch(`${cluster.base}/readyz`)).ok);

const auditors = documents.map((document) => new Auditor(cluster.base, token, document));
const competition = await startCompetition(cluster.primaryUrl, cluster.base, seed);
const running = auditors.map((auditor) => auditor.run());
const observations = () => auditors.flatMap((auditor) => auditor.observations);

/** The longest time without an acknowledged answer of this kind between two moments. */
function longestGap(kind: Observation['kind'], from: number, to: number): number {
  const times = observations()
    .filter((seen) => seen.kind === kind && seen.status === 200 && seen.at >= from && seen.at <= to)
    .map(({ at }) => at);
  const all = [from, ...times.sort((a, b) => a - b), to];
  return Math.max(...all.map((at, index) => at - (all[index - 1] ?? at)));
}

console.log('| What happens | Writes | Reads | Other responses | No write for | No read for | Slowest response |');
console.log('|---|---|---|---|---|---|---|');

async function phase(title: string, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await work();
  const to = performance.now();
  const seen = observations().filter(({ at }) => at >= from && at <= to);
  const good = (kind: string) => seen.filter((each) => each.kind === kind && each.status === 200).length;
  const others = new Map<number, number>();
  for (const { status } of seen) if (status !== 200) others.set(status, (others.get(status) ?? 0) + 1);
  const other = [...others].map(([status, count]) => `${count} × ${status || 'no answer'}`).join(', ') || 'none';
  const slowest = seconds(Math.max(...seen.map(({ milliseconds }) => milliseconds)));
  const gaps = [seconds(longestGap('write', from, to)), seconds(longestGap('read', from, to))];
  console.log(`| ${[title, good('write'), good('read'), other, ...gaps, slowest].join(' | ')} |`);
}

await sleep(2_000);
await phase('Nothing, for ten seconds', () => sleep(10_000));
const killed = await cluster.leader();
await phase('The machine of the primary is killed (`kill -9`), a standby promoted', async () => {
  killed?.kill();
  await until('another primary', async () => {
    const leader = await cluster.leader();
    return leader !== undefined && leader !== killed;
  });
  await sleep(10_000);
});
await phase('The killed machine comes back, as a standby', async () => {
  killed?.start();
  await cluster.complete(2);
  await sleep(3_000);
});
await phase('The primary is moved to another machine (Patroni’s switchover)', async () => {
  const leader = await cluster.leader();
  const body = JSON.stringify({ leader: leader?.name });
  await fetch(`http://127.0.0.1:${leader?.apiPort}/switchover`, { method: 'POST', body });
  await until('another primary', async () => {
    const next = await cluster.leader();
    return next !== undefined && next !== leader;
  });
  await cluster.complete(2);
  await sleep(5_000);
});
const [standby] = await cluster.replicas();
await phase('A standby is stopped', async () => {
  await standby?.stop();
  await sleep(8_000);
});
await phase('The standby is started again', async () => {
  standby?.start();
  await cluster.complete(2);
  await sleep(5_000);
});

for (const auditor of auditors) auditor.stop();
await Promise.all(running);
const { violations, acknowledged, statuses } = await competition.end();

const rows = await query(
  cluster.primaryUrl,
  "SELECT document_id, version_number FROM document_versions WHERE company_id = 'company'",
);
const kept = new Set(rows.map((row) => `${row.document_id} ${row.version_number}`));
const told = auditors.flatMap((auditor) => auditor.acknowledged.map((version) => `${auditor.document.id} ${version}`));
const lost = told.filter((version) => !kept.has(version));
const twice = rows.length - 2 * documents.length - told.length;
const stale = auditors.flatMap((auditor) => auditor.stale);
console.log(`\nauditors: ${told.length} changes acknowledged, ${lost.length} lost, ${twice} made twice`);
console.log(
  `reads after them: ${stale.length} stale of ${observations().filter(({ kind }) => kind === 'read').length}`,
);
console.log(
  `rivals: ${statuses.length} requests, ${acknowledged} changes acknowledged, ${violations.length} violations`,
);
for (const text of [...lost, ...stale, ...violations]) console.log(text);
await Promise.all(gateways.map((gateway) => gateway.stop()));
await cluster.stop();
process.exitCode = lost.length + twice + stale.length + violations.length > 0 ? 1 : 0;
