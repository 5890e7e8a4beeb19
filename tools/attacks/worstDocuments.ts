import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildSchema } from 'graphql';
import { pathOf } from '../../test/support/documents.js';
import { cpuMilliseconds, descendantsOf, parentOf } from '../../test/support/processes.js';
import { query } from '../../test/support/query.js';
import { startBuiltGateway } from '../builtGateway.js';
import { RandomDocuments, type Selected, subjects, textOf } from './randomDocument.js';
import { setScene } from './scene.js';

// Searches for documents within the limits that cost most for what they are weighed, in processor time of PostgreSQL and of
// the gateway: `npx tsx tools/attacks/worstDocuments.ts [--minutes 5]`. Prints the worst, and how many times more each
// costs for its weight than a page of goals.

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });

interface Measured {
  document: Selected[];
  weight: number;
  work: number;
}

/** Less than this is what every request costs. */
const leastWork = 15;
const leastWeight = 20;
const shown = 12;
const kept = 20;

const scene = await setScene();
const gateway = await startBuiltGateway({ DATABASE_URL: scene.url, MAX_CONCURRENT_REQUESTS: '1' });
const token = await scene.issue('large', 'greedy');
const [backend] = await query(scene.url, "SELECT pid FROM pg_stat_activity WHERE application_name = 'goalpost'");
const postmaster = parentOf(Number(backend?.pid));
const documents = new RandomDocuments(buildSchema(await readFile(pathOf('schema.graphql'), 'utf8')), subjects);

/** The processor time of the gateway and of all its connections to PostgreSQL so far, in milliseconds. */
const workSoFar = () => [gateway.pid, ...descendantsOf(postmaster)].reduce((sum, pid) => sum + cpuMilliseconds(pid), 0);

/** Undefined if it is refused. */
async function measure(document: Selected[]): Promise<Measured | undefined> {
  const before = workSoFar();
  const response = await fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'graphql-cost': 'report' },
    body: JSON.stringify({ query: `{ ${textOf(document)} }` }),
  });
  const { extensions, errors = [] } = await response.json();
  // One that takes too long is among the worst.
  if (errors.some((error: Failed) => error.extensions.code !== 'SERVICE_UNAVAILABLE')) return undefined;
  return { document, weight: extensions.cost.complexity, work: workSoFar() - before };
}

interface Failed {
  extensions: { code: string };
}

/** The smallest of several, as other work on the machine only adds to it. */
async function measureAgain(first: Measured): Promise<Measured> {
  const others = [await measure(first.document), await measure(first.document)];
  return { ...first, work: Math.min(first.work, ...others.map((other) => other?.work ?? first.work)) };
}

const ratioOf = ({ weight, work }: Measured) =>
  work < leastWork ? 0 : (work - usual.work) / Math.max(weight, leastWeight);

async function withoutIdleParts(measured: Measured): Promise<Measured> {
  for (const document of documents.shorter(measured.document)) {
    const shorter = await measure(document);
    if (shorter && ratioOf(shorter) >= ratioOf(measured)) return withoutIdleParts(await measureAgain(shorter));
  }
  return measured;
}

const field = (name: string, given: string, fields: Selected[]): Selected => ({
  name,
  arguments: given,
  on: undefined,
  fields,
});
const leaf = (name: string) => field(name, '', []);
const measureUsual = async (document: Selected[]) => {
  for (let time = 0; time < 5; time += 1) await measure(document);
  const measured = await measure(document);
  if (!measured) throw new Error('the usual document is refused');
  return measureAgain(measured);
};
const usual = await measureUsual([field('viewer', '', [field('person', '', [leaf('id')])])]);
const page = await measureUsual([
  field('goals', '(first: 100)', [field('nodes', '', ['id', 'name', 'isClosed', 'progressPercentage'].map(leaf))]),
]);
const unit = (page.work - usual.work) / page.weight;
console.log(
  `a small query: ${usual.work.toFixed(1)} ms; a page of 100 goals: ${page.work.toFixed(1)} ms, weight ${page.weight}`,
);

const until = Date.now() + Number(values.minutes) * 60_000;
let worst: Measured[] = [];
let tried = 0;
while (Date.now() < until) {
  const parent = worst[Math.floor(Math.random() * worst.length)];
  const document = parent && Math.random() < 0.6 ? documents.change(parent.document) : documents.draw();
  const measured = await measure(document);
  tried += 1;
  const least = worst.at(-1);
  if (!measured || ratioOf(measured) === 0 || (worst.length >= kept && least && ratioOf(measured) < ratioOf(least)))
    continue;
  worst.push(await measureAgain(measured));
  worst = worst.filter((each) => ratioOf(each) > 0).sort((one, other) => ratioOf(other) - ratioOf(one));
  worst = distinct(worst).slice(0, kept);
}

/** One of those that differ only in how often they say the same. */
function distinct(all: Measured[]): Measured[] {
  const seen = new Set<string>();
  return all.filter(({ document }) => {
    const names = [...new Set(textOf(document).match(/\w+/g))].filter((name) => !/^a\d+$/.test(name));
    const key = names.sort().join(' ');
    return !seen.has(key) && seen.add(key);
  });
}

console.log(`${tried} documents tried\n\n| × a page | Work | Weight | Document |\n|---|---|---|---|`);
for (const each of worst.slice(0, shown)) {
  const { document, weight, work } = await withoutIdleParts(each);
  const times = ratioOf({ document, weight, work }) / unit;
  console.log(`| ${times.toFixed(1)} | ${work.toFixed(0)} ms | ${weight} | \`{ ${textOf(document)} }\` |`);
}
await gateway.stop();
await scene.stop();
