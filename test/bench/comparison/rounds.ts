import type { Running } from './contenders.js';
import type { BenchDatabase } from './database.js';
import { median } from './format.js';
import { type Measured, measure, type Pace } from './measure.js';
import type { WorkloadName, Workloads } from './workloads.js';

interface Plan {
  database: BenchDatabase;
  workloads: Workloads;
  names: WorkloadName[];
  connections: number[];
  rounds: number;
  seconds: number;
  onMeasured(one: Measured): void;
}

const mostWarmUpSeconds = 2;

/**
 * Measures each contender with each workload, in rounds: what the machine does at times then touches all of them alike.
 * In each round another contender is first.
 */
export async function closedLoops(running: Running[], plan: Plan): Promise<Measured[]> {
  const warm = { ...plan, seconds: Math.min(plan.seconds, mostWarmUpSeconds) };
  for (const { contender, workload } of turns(running, plan.names, 0)) {
    await measure(contender, workload, { connections: 8 }, -1, warm);
  }
  const paces = plan.connections.map((connections): Pace => ({ connections }));
  return inRounds(plan, (round) =>
    paces.flatMap((pace) => turns(running, plan.names, round).map((turn) => ({ ...turn, pace }))),
  );
}

/** The same at a fixed rate, in half as many rounds: for each workload half of what the first contender can do. */
export async function fixedRates(running: Running[], closed: Measured[], given: Plan): Promise<Measured[]> {
  const plan = { ...given, rounds: Math.ceil(given.rounds / 2) };
  const rates = new Map(
    plan.names.map((name) => [name, Math.max(1, Math.round(capacity(closed, running[0]?.name, name) / 2))]),
  );
  return inRounds(plan, (round) =>
    turns(running, plan.names, round).map((turn) => ({ ...turn, pace: { rate: rates.get(turn.workload) ?? 1 } })),
  );
}

function turns(running: Running[], names: WorkloadName[], round: number) {
  const order = running.map((_, n) => running[(n + round) % running.length]).filter((one) => one !== undefined);
  return names.flatMap((workload) =>
    order.filter((contender) => contender.can(workload)).map((contender) => ({ contender, workload })),
  );
}

async function inRounds(
  plan: Plan,
  turnsOf: (round: number) => { contender: Running; workload: WorkloadName; pace: Pace }[],
): Promise<Measured[]> {
  const all: Measured[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { contender, workload, pace } of turnsOf(round)) {
      const one = await measure(contender, workload, pace, round, plan);
      all.push(one);
      plan.onMeasured(one);
    }
  }
  return all;
}

/** The highest median throughput at any number of connections. */
function capacity(measured: Measured[], contender: string | undefined, workload: WorkloadName): number {
  const mine = measured.filter((one) => one.contender === contender && one.workload === workload);
  const throughputs = (connections: number) =>
    mine.flatMap(({ pace, throughput }) =>
      'connections' in pace && pace.connections === connections ? [throughput] : [],
    );
  const tried = new Set(mine.flatMap(({ pace }) => ('connections' in pace ? [pace.connections] : [])));
  return Math.max(...[...tried].map((connections) => median(throughputs(connections))));
}
