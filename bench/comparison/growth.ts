import { type ContenderName, type Running, startContender } from './contenders.js';
import { type BenchDatabase, startDatabase } from './database.js';
import type { Sizes } from './dataset.js';
import { closedLoop } from './load.js';
import type { Measured } from './measure.js';
import { type Notified, notified } from './recipients.js';
import { closedLoops, closedLoopsOnEach } from './rounds.js';
import { type WorkloadName, Workloads } from './workloads.js';

export interface Grown extends Measured {
  axis: string;
  size: number;
}

/** What grows, and which workloads could notice. */
interface Axis {
  axis: string;
  sizes: number[];
  workloads: WorkloadName[];
  of(size: number): Partial<Sizes>;
}

const peopleAxis = 'people, all in one space';
const usualConnections = 16;
const manyRecipients = 10_000;
const timesNotified = 15;

const axes: Axis[] = [
  {
    axis: 'goals and documents',
    sizes: [1000, 30_000, 1_000_000],
    workloads: ['restore', 'reopen, 5 recipients', 'delete', 'full goal', 'page of 50', '401', '409'],
    of: (size) => ({ goals: size, documents: size, versions: 2, sentences: 2 }),
  },
  {
    axis: 'versions of a document',
    sizes: [10, 300, 10_000],
    workloads: ['restore', '409'],
    of: (size) => ({ versions: size, documents: 20, sentences: 2, pool: 400 }),
  },
  {
    axis: peopleAxis,
    sizes: [10, 300, manyRecipients],
    workloads: ['restore', 'reopen, 5 recipients', 'reopen, 1,000 recipients', 'delete', 'page of 50', '409'],
    of: (size) => ({ recipients: size, documents: 1000, pool: 2000 }),
  },
  {
    axis: 'companies',
    sizes: [1, 100, 10_000],
    workloads: ['a goal of each company', 'restore', '401'],
    of: (size) => ({ companies: size, documents: 100, pool: 400 }),
  },
  {
    axis: 'depth of folders',
    sizes: [1, 10, 100],
    workloads: ['restore', 'delete'],
    of: (depth) => ({ depth, documents: 100 }),
  },
];

const overConnections = 'connections';
export const axisNames = [...axes.map(({ axis }) => axis), overConnections];

const connectionsTried = [1, 4, 16, 64];
const workloadsOverConnections: WorkloadName[] = ['restore', 'full goal', 'page of 50', '401'];

interface Growing {
  sizes: Sizes;
  axes: string[] | undefined;
  largest: number;
  rounds: number;
  seconds: number;
  onMeasured(one: Measured): void;
}

const contenders: ContenderName[] = ['gateway', 'Mercurius, by hand'];

/**
 * Measures the same workloads on more and more data, each size in a database of its own with contenders of its own, in
 * turn; and over more connections.
 */
export async function grow({
  sizes,
  largest,
  axes: only = axisNames,
  ...plan
}: Growing): Promise<{ grown: Grown[]; notified: Notified[] }> {
  const grown: Grown[] = [];
  const toRecipients: Notified[] = [];
  for (const { axis, sizes: steps, workloads: names, of } of axes.filter((each) => only.includes(each.axis))) {
    const tried = steps.filter((step) => step <= largest).map((size) => ({ size, sizes: { ...sizes, ...of(size) } }));
    await onStands(tried, async (stands) => {
      for (const { size, running, database } of stands) {
        if (axis !== peopleAxis || size !== manyRecipients || !running[0]) continue;
        toRecipients.push(...(await notified(running[0], database.url, timesNotified)));
      }
      // The first request of each token looks for its company, too.
      if (axis === 'companies') for (const stand of stands) await useEachToken(stand);
      const measured = await closedLoopsOnEach(stands, { ...plan, names, connections: [usualConnections] });
      grown.push(
        ...measured.flatMap(({ stand: { size }, measured: all }) => all.map((one) => ({ ...one, axis, size }))),
      );
    });
  }
  await onStands(only.includes(overConnections) ? [{ size: 0, sizes }] : [], async ([stand]) => {
    if (!stand) return;
    const names = workloadsOverConnections;
    const measured = await closedLoops(stand.running, { ...plan, ...stand, names, connections: connectionsTried });
    for (const one of measured) {
      if ('connections' in one.pace) grown.push({ ...one, axis: overConnections, size: one.pace.connections });
    }
  });
  return { grown, notified: toRecipients };
}

async function useEachToken({ running, workloads, sizes }: Stand): Promise<void> {
  for (const contender of running) {
    for (let used = 0; used < sizes.companies; ) {
      const { latencies } = await closedLoop(contender, workloads.next['a goal of each company'], usualConnections, 1);
      used += latencies.length;
    }
  }
}

/** A database of some size, and the contenders on it. */
interface Stand {
  size: number;
  sizes: Sizes;
  running: Running[];
  database: BenchDatabase;
  workloads: Workloads;
}

async function onStands(
  given: { size: number; sizes: Sizes }[],
  run: (stands: Stand[]) => Promise<void>,
): Promise<void> {
  const stands: Stand[] = [];
  try {
    for (const { size, sizes } of given) {
      const stand = {
        size,
        sizes,
        running: [] as Running[],
        database: await startDatabase(sizes),
        workloads: new Workloads(sizes),
      };
      stands.push(stand);
      for (const name of contenders) stand.running.push(await startContender(name, stand.database.url));
    }
    await run(stands);
  } finally {
    for (const { running, database } of stands) {
      for (const contender of running) await contender.stop();
      await database.stop();
    }
  }
}
