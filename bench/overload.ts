import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../src/platform/embedded/open.js';
import { commandOutput } from '../test/support/goalpost.js';
import { createRestorables } from '../test/support/restorables.js';
import { startBuiltGateway } from '../tools/builtGateway.js';
import { type Answered, type Call, OpenLoop } from './openLoop.js';
import { workload } from './workload.js';

// What a built gateway does with ten times as many requests as it can serve, as ratios within one run. Restores and
// reads over both surfaces arrive at a fixed rate, whether or not earlier ones are answered; a latency counts from the
// moment at which its request was due. They are of 30 companies, because one would wait for itself only:
// `npx tsx bench/overload.ts [seconds] [times] [sustainable rate, if it is known]`

const [seconds = 20, times = 10, known] = process.argv.slice(2).map(Number);
/** More than the gateway has seats. */
const companies = 30;
/** Milliseconds in which nearly all are served at a rate that can be sustained. */
const soon = 500;
const directory = await mkdtemp(join(tmpdir(), 'goalpost-overload-'));
const database = await startEmbedded({ dataDir: directory });
const settings = { DATABASE_URL: database.url };
await commandOutput(['migrate'], settings);
const workloads: (() => Call)[] = [];
for (let n = 0; n < companies; n += 1) {
  const { token, documents } = await createRestorables(settings, 20, `company-${n}`);
  workloads.push(workload(token, documents));
}
let turn = 0;
const next = () => (workloads[turn++ % companies] as () => Call)();
const gateway = await startBuiltGateway(settings);

interface Measured {
  rate: number;
  answers: Answered[];
  cpu: number;
  megabytes: number;
}

const isRefused = ({ status }: Answered) => status === 503 || status === 429;
const isAdmitted = (answer: Answered) => answer.status > 0 && !isRefused(answer);
const percentile = (answers: Answered[], share: number) => {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

async function run(rate: number, duration: number): Promise<Measured> {
  const before = gateway.cpuSeconds();
  const loop = new OpenLoop(gateway.base, next);
  const answers = await loop.run(rate, duration);
  return { rate, answers, cpu: gateway.cpuSeconds() - before, megabytes: gateway.megabytes() };
}

/** The highest rate of those tried at which nearly everything is served, and soon. */
async function sustainableRate(): Promise<number> {
  await run(50, 5);
  let sustained = 20;
  for (let rate = 40; rate < 20_000; rate = Math.round(rate * 1.25)) {
    const { answers } = await run(rate, 4);
    const p99 = percentile(answers, 0.99);
    const refused = answers.filter((answer) => !isAdmitted(answer)).length / answers.length;
    console.log(
      `${rate}/s: p50 ${percentile(answers, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, refused ${(100 * refused).toFixed(1)} %`,
    );
    if (refused > 0.005 || p99 > soon) break;
    sustained = rate;
  }
  return sustained;
}

function row(name: string, { rate, answers, cpu, megabytes: size }: Measured): string {
  const admitted = answers.filter(isAdmitted);
  const refused = answers.filter(isRefused);
  const failed = answers.length - admitted.length - refused.length;
  const cells = [
    name,
    `${rate}/s`,
    `${((100 * admitted.length) / answers.length).toFixed(1)} %`,
    `${Math.round(admitted.length / seconds)}/s`,
    `${percentile(admitted, 0.5).toFixed(1)} ms`,
    `${percentile(admitted, 0.99).toFixed(1)} ms`,
    refused.length > 0 ? `${percentile(refused, 0.5).toFixed(1)} ms` : '–',
    refused.length > 0 ? `${percentile(refused, 0.99).toFixed(1)} ms` : '–',
    failed,
    `${Math.round((100 * cpu) / seconds)} %`,
    `${size} MB`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const load = () => loadavg()[0]?.toFixed(1);
console.log(`load average before: ${load()}`);
const sustained = known ?? (await sustainableRate());
await run(sustained, 5); // warms up
await sleep(2000);
const one = await run(sustained, seconds);
await sleep(2000);
const many = await run(sustained * times, seconds);
await sleep(2000);
const again = await run(sustained, seconds);

console.log('| load | sent | admitted | served | p50 | p99 | refused p50 | refused p99 | no answer | CPU | RSS |');
console.log('|---|---|---|---|---|---|---|---|---|---|---|');
console.log([row('1×', one), row(`${times}×`, many), row('1× again', again)].join('\n'));
const admittedOf = ({ answers }: Measured) => answers.filter(isAdmitted);
const ratioOf = (share: number) => percentile(admittedOf(many), share) / percentile(admittedOf(one), share);
console.log(`admitted, ${times}× to 1×: p50 ${ratioOf(0.5).toFixed(2)}, p99 ${ratioOf(0.99).toFixed(2)}`);
console.log(`goodput, ${times}× to 1×: ${(admittedOf(many).length / admittedOf(one).length).toFixed(2)}`);
const served = one.cpu / one.answers.length;
const refusedCount = many.answers.filter(isRefused).length;
const refused = (many.cpu - served * admittedOf(many).length) / refusedCount;
const inMilliseconds = (value: number) => `${(value * 1000).toFixed(2)} ms`;
console.log(
  `CPU of the gateway: ${inMilliseconds(served)} for a served request, ${inMilliseconds(refused)} for a refused one`,
);
const late = many.answers.map((answer) => ({ ...answer, milliseconds: answer.late }));
console.log(`the generator was late by, p99: ${percentile(late, 0.99).toFixed(1)} ms`);
console.log(`RSS, after to before: ${(again.megabytes / one.megabytes).toFixed(2)}`);
console.log(`load average after: ${load()}`);
await gateway.stop();
await database.stop();
await rm(directory, { recursive: true, maxRetries: 20 });
