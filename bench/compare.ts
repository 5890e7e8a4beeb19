import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { residentMegabytes } from '../test/support/processes.js';
import { type ContenderName, type Running, startContender } from './comparison/contenders.js';
import { startDatabase } from './comparison/database.js';
import { goalTable } from './comparison/goals.js';
import { grow } from './comparison/growth.js';
import { conditions, loadNow } from './comparison/machine.js';
import type { Measured } from './comparison/measure.js';
import { readOptions } from './comparison/options.js';
import { installPeers } from './comparison/peers.js';
import { circumstances, comparisonTables, growthTables, lineOf, type Results } from './comparison/report.js';
import { closedLoops, fixedRates } from './comparison/rounds.js';
import { starts } from './comparison/starts.js';
import { verify } from './comparison/verify.js';
import { Workloads } from './comparison/workloads.js';
import { writeDocument } from './comparison/writeDocument.js';

// How fast the gateway is, compared with what people would write by hand or pick instead: `npm run bench`.
// bench/README.md says how it measures; `npm run bench -- --help` lists the options.

// So that what it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const options = readOptions(process.argv.slice(2));
const directory = fileURLToPath(new URL('results/', import.meta.url));
const fileOf = (name: string) => `${directory}${name}.json`;
const since = () => `${Math.round(performance.now() / 1000)} s, round`;
const onMeasured = (one: Measured) => console.error(`${since()} ${lineOf(one)}`);

async function compare(): Promise<Pick<Results, 'closed' | 'fixed' | 'starts' | 'idleMegabytes' | 'postgres'>> {
  const database = await startDatabase(options.sizes);
  const all: Running[] = [];
  const start = async (name: ContenderName): Promise<Running> => {
    const node = name === 'PostGraphile' ? options.peerNode : undefined;
    const running = await startContender(name, database.url, { node, environment: options.environment });
    all.push(running);
    return running;
  };
  try {
    const started = await starts(database.url, options.starts);
    const idle = await start('gateway');
    const running: Running[] = [];
    for (const name of options.contenders) running.push(await start(name));
    const workloads = new Workloads(options.sizes);
    await verify(running, workloads);
    console.error('all answer the same');
    const plan = { ...options, names: options.workloads, database, workloads, onMeasured };
    const closed = await closedLoops(running, plan);
    const fixed = await fixedRates(running, closed, plan);
    const idleMegabytes = residentMegabytes(idle.pid);
    return { closed, fixed, starts: started, idleMegabytes, postgres: database.version };
  } finally {
    for (const contender of all) await contender.stop();
    await database.stop();
  }
}

const peers: ContenderName[] = ['Mercurius, by hand', 'PostGraphile'];

async function run(): Promise<Results> {
  const before = conditions(options.peerNode);
  if (options.growth || options.contenders.some((name) => peers.includes(name))) installPeers();
  const compared = await compare();
  const grown = options.growth ? await grow({ ...options, onMeasured }) : { grown: [] };
  return { ...compared, ...grown, conditions: { ...before, loadAfter: loadNow() } };
}

const read = (name: string): Results => JSON.parse(readFileSync(fileOf(name), 'utf8'));
mkdirSync(directory, { recursive: true });
const results = options.again ? read(options.name) : await run();
writeFileSync(fileOf(options.name), JSON.stringify(results, null, 1));
const parts = [goalTable(results), comparisonTables(results), growthTables(results)];
console.log([circumstances(results), ...parts].join('\n\n'));
if (options.write) writeDocument(results);
