import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { getIntrospectionQuery } from 'graphql';
import { startEmbedded } from '../src/platform/embedded/open.js';
import { commandOutput } from '../test/support/goalpost.js';
import { cpuOf, descendantsOf } from '../test/support/processes.js';
import { createRestorables } from '../test/support/restorables.js';
import { startBuiltGateway } from '../tools/builtGateway.js';

// How much two workers do compared with one process, where PostgreSQL is not the limit. One process and two workers take
// turns. The load generator is wrk, which takes little of the two cores that a small machine has:
// `npx tsx bench/workers.ts [seconds] [rounds]`

const run = promisify(execFile);
const [seconds = 8, rounds = 3] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'goalpost-workers-'));
const database = await startEmbedded({ dataDir: folder });
const connection = { DATABASE_URL: database.url };
await commandOutput(['migrate'], connection);
const { token } = await createRestorables(connection, 1);

interface Workload {
  name: string;
  query: string;
  token: string;
  /** Where rate limits are counted does not matter if this address is refused at once. */
  settings: Record<string, string>;
}

const unlimited = { RATE_LIMIT_PER_ADDRESS: '1000000000' };
const refused = { query: '{ viewer { person { id } } }', token: `gp_${'x'.repeat(43)}x` };
const workloads: Workload[] = [
  { name: 'introspection', query: getIntrospectionQuery(), token, settings: unlimited },
  { name: '401, counted by the primary process', ...refused, settings: unlimited },
  { name: '429 of an address over its limit', ...refused, settings: {} },
];

interface Measured {
  rate: number;
  /** Milliseconds of a core for each request: of all processes that serve, and of the primary process alone. */
  serving: number;
  primary: number;
}

async function measure({ query, token: given, settings }: Workload, workers: number): Promise<Measured> {
  const gateway = await startBuiltGateway({
    ...settings,
    ...connection,
    DATABASE_POOL_SIZE: '20',
    WORKERS: `${workers}`,
  });
  const script = join(folder, 'request.lua');
  await writeFile(
    script,
    `wrk.method = "POST"
wrk.body = [==[${JSON.stringify({ query })}]==]
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer ${given}"
`,
  );
  const load = async (duration: number) => {
    const options = ['-t1', '-c16', `-d${duration}s`, '-s', script, `${gateway.base}/graphql`];
    const { stdout } = await run('wrk', options);
    return {
      rate: Number(/Requests\/sec:\s+(\S+)/.exec(stdout)?.[1]),
      count: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    };
  };
  await load(2);
  const processes = workers > 1 ? descendantsOf(gateway.pid) : [gateway.pid];
  const cpu = () => [processes.reduce((sum, pid) => sum + (cpuOf(pid) || 0), 0), cpuOf(gateway.pid)];
  const [servingBefore = 0, primaryBefore = 0] = cpu();
  const { rate, count } = await load(seconds);
  const [serving = 0, primary = 0] = cpu();
  await gateway.stop();
  const each = (spent: number) => (1000 * spent) / count;
  return { rate, serving: each(serving - servingBefore), primary: workers > 1 ? each(primary - primaryBefore) : 0 };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

console.log(
  '| Requests | One process | Two workers | Two to one | CPU of a request, one process | two workers | and the primary process |',
);
console.log('|---|---|---|---|---|---|---|');
for (const workload of workloads) {
  const [one, two]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await measure(workload, 1));
    two.push(await measure(workload, 2));
    await sleep(500);
  }
  const middle = (all: Measured[], of: keyof Measured) => median(all.map((measured) => measured[of]));
  const ratio = median(one.map(({ rate }, round) => (two[round]?.rate ?? Number.NaN) / rate));
  const cells = [
    workload.name,
    `${Math.round(middle(one, 'rate'))}/s`,
    `${Math.round(middle(two, 'rate'))}/s`,
    ratio.toFixed(2),
    ...[middle(one, 'serving'), middle(two, 'serving'), middle(two, 'primary')].map((ms) => `${ms.toFixed(3)} ms`),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
await database.stop();
await rm(folder, { recursive: true, maxRetries: 20 });
