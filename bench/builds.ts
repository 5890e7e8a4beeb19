import { resolve } from 'node:path';
import { cpuOf } from '../test/support/processes.js';
import { startContender } from './comparison/contenders.js';
import { startDatabase } from './comparison/database.js';
import { usualSizes } from './comparison/dataset.js';
import { spread, table } from './comparison/format.js';
import { closedLoop } from './comparison/load.js';
import { type WorkloadName, Workloads, workloadNames } from './comparison/workloads.js';

// What a change has done: this checkout ÷ another one, both built, each on a database that its own migrations have made.
// They take turns, and a ratio is the median of the rounds' ratios:
// `npx tsx bench/builds.ts <folder of the other checkout> [workloads] [rounds] [REST|GraphQL] [NAME=value …]`, the
// workloads divided by semicolons, with the settings for this checkout only

const [folder, names = 'restore;full goal;page of 50;401', rounds = '10', surface = 'REST', ...settings] =
  process.argv.slice(2);
if (!folder) throw new Error('the folder of the other checkout is missing');

const asked = names.split(';') as WorkloadName[];
for (const name of asked)
  if (!workloadNames.includes(name)) throw new Error(`there is no workload ${name}: ${workloadNames.join('; ')}`);

const connections = 16;
const seconds = 0.6;
const workloads = [new Workloads(usualSizes), new Workloads(usualSizes)] as const;
const databases = [await startDatabase(usualSizes), await startDatabase(usualSizes, folder)] as const;
const contender = surface === 'GraphQL' ? 'gateway, GraphQL' : 'gateway';
const other = await startContender(contender, databases[1].url, { main: resolve(folder, 'dist/main.js') });
const environment = Object.fromEntries(settings.map((setting) => setting.split('=', 2)));
const own = await startContender(contender, databases[0].url, { environment });

type Figures = Record<'rate' | 'cpu' | 'databaseCpu', number>;

async function measure(gateway: typeof own, name: WorkloadName): Promise<Figures> {
  const which = gateway === own ? 0 : 1;
  const [requests, database] = [workloads[which], databases[which]];
  if (requests.areHalfUsed) {
    await database.renew();
    requests.renew();
  }
  const before = [cpuOf(gateway.pid), database.cpu()] as const;
  const load = await closedLoop(gateway, requests.next[name], connections, seconds);
  if (load.failures[0]) throw new Error(load.failures[0]);
  const count = load.latencies.length;
  const cpu = (cpuOf(gateway.pid) - before[0]) / count;
  return { rate: count / load.seconds, cpu, databaseCpu: (database.cpu() - before[1]) / count };
}

const rows: string[][] = [];
for (const name of asked) {
  await closedLoop(own, workloads[0].next[name], connections, 2);
  await closedLoop(other, workloads[1].next[name], connections, 2);
  const ratios: Figures[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    const isOwnFirst = round % 2 === 1;
    const [first, second] = isOwnFirst ? [own, other] : [other, own];
    const measured = [await measure(first, name), await measure(second, name)] as const;
    const [mine, theirs] = isOwnFirst ? measured : ([measured[1], measured[0]] as const);
    const ratio = (of: keyof Figures) => mine[of] / theirs[of];
    ratios.push({ rate: ratio('rate'), cpu: ratio('cpu'), databaseCpu: ratio('databaseCpu') });
  }
  const cell = (of: keyof Figures) => spread(ratios.map((ratio) => ratio[of]));
  rows.push([name, cell('rate'), cell('cpu'), cell('databaseCpu')]);
}
console.log(table(['workload', 'requests/s', 'its processor time', "PostgreSQL's processor time"], rows));
await Promise.all([own.stop(), other.stop()]);
await Promise.all(databases.map((database) => database.stop()));
