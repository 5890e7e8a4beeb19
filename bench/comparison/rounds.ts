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

interface Turn {
  contender: Running;
  workload: WorkloadName;
  pace: Pace;
}

/** Until V8 has compiled what a request runs through: on a slow machine, that takes some thousand requests. */
const warmUpSeconds = 4;
/** Whoever measures for less only looks whether all of this works. */
const leastSeconds = 0.2;

/**
 * Measures each contender with each workload, in rounds: what the machine does at times then touches all of them alike.
 * In each round another contender is first.
 */
export async function closedLoops(running: Running[], plan: Plan): Promise<Measured[]> {
  await warmUp(running, plan, warmUpSeconds);
  return inRounds(plan, (round) => closedTurns(running, plan, round));
}

/** The same with contenders on several databases: in each round, a workload is put on all of them in turn. */
export async function closedLoopsOnEach<Stand extends { running: Running[] } & Pick<Plan, 'database' | 'workloads'>>(
  stands: Stand[],
  plan: Omit<Plan, 'database' | 'workloads'>,
): Promise<{ stand: Stand; measured: Measured[] }[]> {
  const all = stands.map((stand) => ({ stand, measured: [] as Measured[] }));
  const seconds = Math.max(plan.seconds, warmUpSeconds / plan.names.length);
  for (const { stand } of all) await warmUp(stand.running, { ...plan, ...stand }, seconds);
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const name of plan.names) {
      for (const { stand, measured } of rotated(all, round)) {
        const here = { ...plan, ...stand, names: [name] };
        measured.push(...(await inTurn(here, round, closedTurns(stand.running, here, round))));
      }
    }
  }
  return all;
}

async function warmUp(running: Running[], plan: Plan, seconds: number): Promise<void> {
  const warm = { ...plan, seconds: plan.seconds < leastSeconds ? plan.seconds : seconds };
  for (const { contender, workload } of turns(running, plan.names, 0)) {
    await measure(contender, workload, { connections: 8 }, -1, warm);
  }
}

const closedTurns = (running: Running[], { names, connections }: Plan, round: number): Turn[] =>
  connections.flatMap((count) =>
    turns(running, names, round).map((turn) => ({ ...turn, pace: { connections: count } })),
  );

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
  const order = rotated(running, round);
  return names.flatMap((workload) =>
    order.filter((contender) => contender.can(workload)).map((contender) => ({ contender, workload })),
  );
}

const rotated = <One>(all: One[], round: number): One[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

async function inRounds(plan: Plan, turnsOf: (round: number) => Turn[]): Promise<Measured[]> {
  const all: Measured[] = [];
  for (let round = 0; round < plan.rounds; round += 1) all.push(...(await inTurn(plan, round, turnsOf(round))));
  return all;
}

async function inTurn(plan: Plan, round: number, all: Turn[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { contender, workload, pace } of all) {
    const one = await measure(contender, workload, pace, round, plan);
    measured.push(one);
    plan.onMeasured(one);
  }
  return measured;
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
