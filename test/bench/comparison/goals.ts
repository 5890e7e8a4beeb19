import { median, spread, table, unique } from './format.js';
import type { Measured } from './measure.js';
import type { Results } from './report.js';
import type { WorkloadName } from './workloads.js';

/** What is wanted, and what a run measured: one value for each round, nothing if it was not measured. */
interface Goal {
  what: string;
  values: number[];
  atLeast?: number;
  atMost?: number;
}

type Throughput = [workload: WorkloadName, old: number, recent: number];

/** Throughput at 16 connections divided by that of the others, on Node before 24 and from there on. */
const throughputs: Record<'floor' | 'PostGraphile', Throughput[]> = {
  floor: [
    ['restore', 1, 1.1],
    ['reopen, 5 recipients', 0.8, 0.85],
    ['reopen, 1,000 recipients', 0.8, 0.8],
    ['delete', 0.95, 1.05],
    ['full goal', 0.7, 0.75],
    ['page of 50', 0.5, 0.6],
    ['401', 0.55, 0.65],
    ['409', 0.95, 1],
  ],
  PostGraphile: [
    ['restore', 1.5, 1.5],
    ['reopen, 5 recipients', 2, 2],
    ['reopen, 1,000 recipients', 1.2, 1.2],
    ['delete', 2, 2],
    ['full goal', 1.7, 1.7],
    ['page of 50', 1.1, 1.2],
    ['401', 1.35, 1.35],
    ['409', 5, 5],
  ],
};

/** The throughput that is wanted for each workload, divided by that of the other. */
export const wantedOf = (other: 'floor' | 'PostGraphile') => throughputs[other];

/** What is wanted on the Node of the run. */
export const atLeastOf = ([, old, recent]: Throughput, { node }: Results['conditions']): number =>
  Number(/\d+/.exec(node)?.[0]) >= 24 ? recent : old;

const mostLatency = (workload: WorkloadName) => (workload === '401' || workload === 'page of 50' ? 2 : 1.3);

/** Every goal, what was measured, and whether it is met. */
export function goalTable(results: Results): string {
  const rows = goalsOf(results).map((goal) => {
    const limit = goal.atLeast === undefined ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
    return [goal.what, limit, spread(goal.values), met(goal)];
  });
  return table(['goal', 'target', 'measured', 'met?'], rows);
}

function met({ values, atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Goal): string {
  if (values.length === 0) return '–';
  const value = median(values);
  return value >= atLeast && value <= atMost ? 'yes' : 'no';
}

function goalsOf({ closed, grown, starts = [], idleMegabytes, notified = [], soak = [], conditions }: Results): Goal[] {
  const at = (connections: number, contender: string, workload: string) =>
    closed.filter(
      (one) =>
        'connections' in one.pace &&
        one.pace.connections === connections &&
        one.contender === contender &&
        one.workload === workload,
    );
  const ratio = (connections: number, other: string, workload: WorkloadName, read: (one: Measured) => number) =>
    inRounds(at(connections, 'gateway', workload), at(connections, other, workload), read);
  const throughput = ({ throughput: value }: Measured) => value;
  const withKey = inRounds(at(16, 'gateway', 'restore with a key'), at(16, 'gateway', 'restore'), throughput);
  return [
    ...Object.entries(throughputs).flatMap(([other, goals]) =>
      goals.map((goal) => ({
        what: `${goal[0]}: requests/s ÷ ${other}'s`,
        values: ratio(16, other, goal[0], throughput),
        atLeast: atLeastOf(goal, conditions),
      })),
    ),
    ...throughputs.floor.map(([workload]) => ({
      what: `${workload}: p50 at one connection ÷ floor's`,
      values: ratio(1, 'floor', workload, ({ p50 }) => p50),
      atMost: mostLatency(workload),
    })),
    { what: 'restore with a key: requests/s ÷ without', values: withKey, atLeast: 0.7 },
    ...growthGoals(grown),
    {
      what: '10,000 recipients: time to reopen ÷ bare INSERT … SELECT',
      values: notified.map(({ milliseconds, bareMilliseconds }) => milliseconds / bareMilliseconds),
      atMost: 1.3,
    },
    { what: 'start to first response, ms', values: starts, atMost: 1200 },
    { what: 'memory when idle, MB', values: idleMegabytes === undefined ? [] : [idleMegabytes], atMost: 150 },
    { what: 'memory at the end of a soak ÷ after its first fifth', values: soakRatio(soak), atMost: 1.1 },
  ];
}

/** How much less of each workload the gateway does on the most data than on the least. */
function growthGoals(grown: Results['grown']): Goal[] {
  const rows = grown.filter(({ axis, contender }) => axis === 'goals and documents' && contender === 'gateway');
  const sizes = unique(rows.map(({ size }) => size)).sort((one, other) => one - other);
  const [least, most] = [sizes[0], sizes.at(-1)];
  if (least === undefined || most === undefined || least === most) return [];
  return unique(rows.map(({ workload }) => workload)).map((workload) => {
    const of = (size: number) => rows.filter((one) => one.size === size && one.workload === workload);
    const [few, many] = [least, most].map((size) => size.toLocaleString('en'));
    return {
      what: `${workload}: time of a request, ${many} ÷ ${few} goals and documents`,
      values: inRounds(of(least), of(most), ({ throughput }) => throughput),
      atMost: 1.1,
    };
  });
}

function inRounds(mine: Measured[], theirs: Measured[], read: (one: Measured) => number): number[] {
  return mine.flatMap((one) => {
    const other = theirs.find(({ round }) => round === one.round);
    return other ? [read(one) / read(other)] : [];
  });
}

function soakRatio(soak: NonNullable<Results['soak']>): number[] {
  const early = soak[Math.ceil(soak.length / 5) - 1];
  const late = soak.slice(-Math.ceil(soak.length / 5)).map(({ megabytes }) => megabytes);
  return early ? [median(late) / early.megabytes] : [];
}
