import { type ContenderName, type Running, startContender } from './contenders.js';
import { startDatabase } from './database.js';
import type { Sizes } from './dataset.js';
import type { Measured } from './measure.js';
import { type Notified, notified } from './recipients.js';
import { closedLoops } from './rounds.js';
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
    axis: 'recipients',
    sizes: [10, 300, manyRecipients],
    workloads: ['reopen, 1,000 recipients'],
    of: (size) => ({ recipients: size, documents: 100, pool: 2000 }),
  },
  {
    axis: 'depth of folders',
    sizes: [1, 10, 100],
    workloads: ['restore', 'delete'],
    of: (depth) => ({ depth, documents: 100 }),
  },
];

const connectionsTried = [1, 4, 16, 64];
const workloadsOverConnections: WorkloadName[] = ['restore', 'full goal', 'page of 50', '401'];

interface Growing {
  sizes: Sizes;
  largest: number;
  rounds: number;
  seconds: number;
  onMeasured(one: Measured): void;
}

const contenders: ContenderName[] = ['gateway', 'floor'];

/**
 * Measures the same workloads on more and more data, each size in a database of its own, and over more connections. In
 * half as many rounds as the comparison, because the sizes take their time.
 */
export async function grow({ sizes, largest, ...given }: Growing): Promise<{ grown: Grown[]; notified: Notified[] }> {
  const plan = { ...given, rounds: Math.ceil(given.rounds / 2) };
  const grown: Grown[] = [];
  const toRecipients: Notified[] = [];
  for (const { axis, sizes: steps, workloads: names, of } of axes) {
    for (const size of steps.filter((step) => step <= largest)) {
      await onDatabase({ ...sizes, ...of(size) }, async (running, on) => {
        const [gateway] = running;
        if (axis === 'recipients' && size === manyRecipients && gateway) {
          toRecipients.push(...(await notified(gateway, on.database.url, timesNotified)));
        }
        const measured = await closedLoops(running, { ...plan, ...on, names, connections: [usualConnections] });
        grown.push(...measured.map((one) => ({ ...one, axis, size })));
      });
    }
  }
  await onDatabase(sizes, async (running, on) => {
    const names = workloadsOverConnections;
    const measured = await closedLoops(running, { ...plan, ...on, names, connections: connectionsTried });
    for (const one of measured) {
      if ('connections' in one.pace) grown.push({ ...one, axis: 'connections', size: one.pace.connections });
    }
  });
  return { grown, notified: toRecipients };
}

interface OnDatabase {
  database: Awaited<ReturnType<typeof startDatabase>>;
  workloads: Workloads;
}

async function onDatabase(sizes: Sizes, run: (running: Running[], on: OnDatabase) => Promise<void>): Promise<void> {
  const database = await startDatabase(sizes);
  const running: Running[] = [];
  try {
    for (const name of contenders) running.push(await startContender(name, database.url));
    await run(running, { database, workloads: new Workloads(sizes) });
  } finally {
    for (const contender of running) await contender.stop();
    await database.stop();
  }
}
