import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Running, startContender } from './comparison/contenders.js';
import { startDatabase } from './comparison/database.js';
import { grow } from './comparison/growth.js';
import { conditions, loadNow } from './comparison/machine.js';
import type { Measured } from './comparison/measure.js';
import { readOptions } from './comparison/options.js';
import { installPeers } from './comparison/peers.js';
import { lineOf, type Results, tables } from './comparison/report.js';
import { closedLoops, fixedRates } from './comparison/rounds.js';
import { verify } from './comparison/verify.js';
import { Workloads } from './comparison/workloads.js';
import { writeDocument } from './comparison/writeDocument.js';

// How fast the gateway is, compared with bare node:http and pg, and with what people would pick instead: `npm run bench`.
// test/bench/README.md says how it measures; `npm run bench -- --help` lists the options.

// So that what it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const options = readOptions(process.argv.slice(2));
const directory = fileURLToPath(new URL('results/', import.meta.url));
const file = `${directory}${options.name}.json`;
const onMeasured = (one: Measured) => console.error(lineOf(one));

async function compare(): Promise<Pick<Results, 'closed' | 'fixed' | 'postgres'>> {
  const database = await startDatabase(options.sizes);
  const running: Running[] = [];
  try {
    for (const name of options.contenders) {
      const node = name === 'PostGraphile' ? options.peerNode : undefined;
      running.push(await startContender(name, database.url, { node, environment: options.environment }));
    }
    const workloads = new Workloads(options.sizes);
    await verify(running, workloads);
    console.error('all answer the same');
    const plan = { ...options, names: options.workloads, database, workloads, onMeasured };
    const closed = await closedLoops(running, plan);
    return { closed, fixed: await fixedRates(running, closed, plan), postgres: database.version };
  } finally {
    for (const contender of running) await contender.stop();
    await database.stop();
  }
}

async function run(): Promise<Results> {
  if (options.contenders.some((name) => name === 'PostGraphile' || name === 'Apollo + Prisma')) installPeers();
  const before = conditions(options.peerNode);
  const grown = options.growth ? await grow({ ...options, contenders: ['gateway', 'floor'], onMeasured }) : [];
  const compared = options.growth ? { closed: [], fixed: [], postgres: '' } : await compare();
  return { ...compared, grown, conditions: { ...before, loadAfter: loadNow() } };
}

const results: Results = options.again ? JSON.parse(readFileSync(file, 'utf8')) : await run();
mkdirSync(directory, { recursive: true });
writeFileSync(file, JSON.stringify(results, null, 1));
console.log(tables(results));
if (options.write) writeDocument(results);
