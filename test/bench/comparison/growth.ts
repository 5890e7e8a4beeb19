import { type ContenderName, type Running, startContender } from './contenders.js';
import { startDatabase } from './database.js';
import type { Sizes } from './dataset.js';
import type { Measured } from './measure.js';
import { closedLoops } from './rounds.js';
import { type WorkloadName, Workloads } from './workloads.js';

export interface Grown extends Measured {
  axis: string;
  size: number;
}

/** What grows, and which workloads could notice. */
const axes: { axis: string; sizes: number[]; workloads: WorkloadName[]; of(size: number): Partial<Sizes> }[] = [
  {
    axis: 'goals and documents',
    sizes: [1000, 10_000, 100_000, 1_000_000],
    workloads: ['restore', 'reopen, 5 recipients', 'delete', 'full goal', 'page of 50', '401', '409'],
    of: (size) => ({ goals: size, documents: size, versions: 2, sentences: 2 }),
  },
  {
    axis: 'versions of a document',
    sizes: [10, 100, 1000, 10_000],
    workloads: ['restore', '409'],
    of: (size) => ({ versions: size, documents: 20, sentences: 2 }),
  },
  {
    axis: 'recipients',
    sizes: [10, 100, 1000, 10_000],
    workloads: ['reopen, 1,000 recipients'],
    of: (size) => ({ recipients: size, pool: 2000 }),
  },
  { axis: 'depth of folders', sizes: [1, 10, 100], workloads: ['restore', 'delete'], of: (depth) => ({ depth }) },
];

interface Growing {
  contenders: ContenderName[];
  sizes: Sizes;
  largest: number;
  rounds: number;
  seconds: number;
  onMeasured(one: Measured): void;
}

/** Measures the same workloads on more and more data, each size in a database of its own. */
export async function grow({ contenders, sizes, largest, ...plan }: Growing): Promise<Grown[]> {
  const grown: Grown[] = [];
  for (const { axis, sizes: steps, workloads: names, of } of axes) {
    for (const size of steps.filter((step) => step <= largest)) {
      const own = { ...sizes, ...of(size) };
      const database = await startDatabase(own);
      const running: Running[] = [];
      try {
        for (const name of contenders) running.push(await startContender(name, database.url));
        const workloads = new Workloads(own);
        const measured = await closedLoops(running, { ...plan, database, workloads, names, connections: [16] });
        grown.push(...measured.map((one) => ({ ...one, axis, size })));
      } finally {
        for (const contender of running) await contender.stop();
        await database.stop();
      }
    }
  }
  return grown;
}
