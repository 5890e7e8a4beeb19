import { setTimeout as sleep } from 'node:timers/promises';
import { commandOutput } from '../../test/support/goalpost.js';
import { createRestorables } from '../../test/support/restorables.js';
import { startBuiltGateway } from '../builtGateway.js';
import { Restorer } from '../faults/restorer.js';
import { startCitusCluster } from './citusCluster.js';
import { CompanyReader } from './companyReader.js';
import { lossesOf, summaryOf, tableHead } from './companyReport.js';

// Three gateways on a Citus of a coordinator and two workers, with clients of many companies on both surfaces. A worker
// is stopped and started, and then frozen, and a gateway starts meanwhile; then a third one is added, and companies are
// moved to it. Prints what the clients of which companies saw, and what was lost:
// `npx tsx tools/cluster/citus.ts /usr/lib/postgresql/15/bin [companies] [seconds between two changes of a company]`

const [bin, companyCount = '50', pause = '20'] = process.argv.slice(2);
if (!bin) throw new Error('name the folder with the programs of a PostgreSQL that has Citus');

const cluster = await startCitusCluster(bin);
const url = cluster.coordinator.url;
await cluster.addWorker();
const second = await cluster.addWorker();
const settings = { DATABASE_URL: url };
await commandOutput(['migrate'], settings);
await commandOutput(['distribute', '--yes'], settings);
const companies = Array.from({ length: Number(companyCount) }, (_, n) => `company-${n}`);
const tokens = new Map<string, string>();
for (const company of companies) tokens.set(company, (await createRestorables(settings, 1, company)).token);

const gateways = await Promise.all([1, 2, 3].map(() => startBuiltGateway(settings)));
const bases = gateways.map(({ base }) => base);
const clients = companies.map((company, number) => {
  const turned = [...bases.slice(number % 3), ...bases.slice(0, number % 3)];
  const document = { id: 'document-0', version: 2 };
  const options = { surfaces: ['REST', 'GraphQL'] as const, pauseMilliseconds: Number(pause) * 1000 };
  return {
    company,
    reader: new CompanyReader(turned, tokens.get(company) ?? ''),
    restorer: new Restorer(turned, tokens.get(company) ?? '', document, { ...options, retryMilliseconds: 1000 }),
  };
});
const running = clients.flatMap(({ restorer, reader }) => [restorer.run(), reader.run(Number(pause) * 250)]);

const rows: string[] = [];
/** What each group of companies saw while something happens. */
async function during(what: string, groups: Record<string, Set<string>>, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await work();
  const until = performance.now();
  const seconds = Math.round((until - from) / 1000);
  for (const [group, members] of Object.entries(groups)) {
    const chosen = clients.filter(({ company }) => members.has(company));
    rows.push(summaryOf(`${what} (${seconds} s)`, group, chosen, { from, until }));
    console.error(rows.at(-1));
  }
}

/** Nothing that a gateway does when it starts may need a worker. */
async function startAnother(): Promise<void> {
  const from = performance.now();
  const gateway = await startBuiltGateway(settings);
  console.error(`another gateway started in ${((performance.now() - from) / 1000).toFixed(1)} s`);
  await gateway.stop();
}

const everyone = { all: new Set(companies) };
// The first requests connect, and prepare their statements.
while (!clients.every(({ restorer }) => restorer.versions.length > 0)) await sleep(500);
console.error('every company has made a change');
await during('nothing', everyone, () => sleep(15_000));
const placed = await cluster.companiesByWorker();
const affected = placed.get(second.port) ?? new Set<string>();
const groups = {
  'of the stopped worker': affected,
  'of the other worker': new Set(companies.filter((id) => !affected.has(id))),
};
await during('a worker is stopped', groups, async () => {
  await second.stop();
  await startAnother();
  await sleep(15_000);
});
await during('it is started again', groups, async () => {
  await second.start();
  await sleep(15_000);
});
await during('it is frozen, as if its machine were lost', groups, async () => {
  const thaw = await second.freeze();
  await startAnother();
  await sleep(15_000);
  thaw();
});
await during('it goes on', groups, () => sleep(12_000));
const third = await cluster.addWorker();
await during('companies move to a third worker', everyone, () => cluster.rebalance());
await during('afterwards', everyone, () => sleep(10_000));
for (const { restorer, reader } of clients) for (const client of [restorer, reader]) client.stop();
await Promise.all(running);
const moved = (await cluster.companiesByWorker()).get(third.port)?.size ?? 0;

const losses = await lossesOf(url, clients);
console.log([...tableHead, ...rows].join('\n'));
console.log(
  `\n${companies.length} companies, ${affected.size} of them on the stopped worker, ${moved} moved to the third.`,
);
console.log(losses.text);
await Promise.all(gateways.map((gateway) => gateway.stop()));
await cluster.stop();
const spared = rows.filter((row) => /(is stopped|is frozen).*of the other worker/.test(row));
const areSpared = spared.every((row) => !/× (?!200)/.test(row));
if (!areSpared) console.log('Companies of the other worker saw more than 200.');
process.exitCode = losses.count > 0 || moved === 0 || !areSpared ? 1 : 0;
