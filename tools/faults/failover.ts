import { setTimeout as sleep } from 'node:timers/promises';
import { commandOutput } from '../../test/support/goalpost.js';
import { query } from '../../test/support/query.js';
import { startReplicated } from '../../test/support/replicated.js';
import { createRestorables } from '../../test/support/restorables.js';
import { startBuiltGateway } from '../builtGateway.js';
import { Restorer } from './restorer.js';

// The primary is killed while clients write through one gateway, and its synchronous standby is promoted. Prints what
// clients saw, and what is lost: `npx tsx tools/faults/failover.ts [clients] [seconds until promotion]`

const [clients = 16, standbyAlone = 3] = process.argv.slice(2).map(Number);
const servers = await startReplicated();
const settings = { DATABASE_URL: servers.url };
await commandOutput(['migrate'], settings);
const { token, documents } = await createRestorables(settings, clients);
const gateway = await startBuiltGateway(settings);

const restorers = documents.map((document) => new Restorer(gateway.base, token, document));
const running = restorers.map((restorer) => restorer.run());
await sleep(5000);
const killedAt = performance.now();
await servers.killPrimary();
await sleep(standbyAlone * 1000);
const promotedAt = performance.now();
await servers.promote();
await sleep(10_000);
for (const restorer of restorers) restorer.stop();
await Promise.all(running);

const answers = restorers.flatMap((restorer) => restorer.answers);
const counts = new Map<string, number>();
for (const { status, at } of answers) {
  const phase = at < killedAt ? 'before' : at < promotedAt ? 'without a primary' : 'after the promotion';
  const name = `${phase}: ${status || 'no answer'}`;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
const served = answers.filter(({ status }) => status === 200).map(({ at }) => at);
const last = Math.max(...served.filter((at) => at < promotedAt));
const back = Math.min(...served.filter((at) => at > promotedAt));
const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds));

const acknowledged = restorers.flatMap(({ document, versions }) => versions.map((version) => [document.id, version]));
const rows = await query(servers.standbyUrl, 'SELECT document_id, version_number FROM document_versions');
const kept = new Set(rows.map((row) => `${row.document_id} ${row.version_number}`));
const lost = acknowledged.filter(([id, version]) => !kept.has(`${id} ${version}`));
const gaps = await query(
  servers.standbyUrl,
  `SELECT document_id FROM document_versions GROUP BY document_id HAVING max(version_number) <> count(*)`,
);
const unasked = rows.length - 2 * documents.length - acknowledged.length;

console.log('| what clients saw | requests |\n|---|---|');
for (const [name, count] of counts) console.log(`| ${name} | ${count} |`);
console.log(`slowest answer: ${(slowest / 1000).toFixed(1)} s`);
console.log(
  `writes refused for ${((back - last) / 1000).toFixed(1)} s, ${((back - promotedAt) / 1000).toFixed(1)} s of them after the promotion`,
);
console.log(
  `acknowledged ${acknowledged.length}, lost ${lost.length}, made twice ${unasked}, documents with a gap ${gaps.length}`,
);
await gateway.stop();
await servers.stop();
const isOther = ({ status }: { status: number }) => status !== 200 && status !== 503;
process.exitCode = lost.length + unasked + gaps.length + answers.filter(isOther).length > 0 ? 1 : 0;
