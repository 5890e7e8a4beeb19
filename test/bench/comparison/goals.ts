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

/**
 * Requests/s at 16 connections ÷ those of Mercurius, which does what executing GraphQL must cost: of the surface that does
 * more, and of the other.
 */
const byHand: [workload: WorkloadName, better: number, other: number][] = [
  ['restore', 0.8, 0.75],
  ['reopen, 5 recipients', 0.8, 0.75],
  ['delete', 0.8, 0.75],
  ['full goal', 0.75, 0.65],
  ['page of 50', 0.7, 0.65],
  ['401', 0.9, 0.75],
  ['409', 0.75, 0.65],
];

/** The same ÷ those of PostGraphile. A 401 is its HTTP server's, which refuses before it is asked. */
const postgraphile: [workload: WorkloadName, least: number][] = [
  ['restore', 1.5],
  ['reopen, 5 recipients', 2],
  ['reopen, 1,000 recipients', 1.2],
  ['delete', 2],
  ['full goal', 1.7],
  ['page of 50', 1.2],
  ['409', 2],
];

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

function goalsOf({ closed, grown, starts = [], idleMegabytes, notified = [], soak = [] }: Results): Goal[] {
  const at = (connections: number, contender: string, workload: string) =>
    closed.filter(
      (one) =>
        'connections' in one.pace &&
        one.pace.connections === connections &&
        one.contender === contender &&
        one.workload === workload,
    );
  const ratio = (surface: string, other: string, workload: WorkloadName) =>
    inRounds(at(16, surface, workload), at(16, other, workload), throughput);
  const throughput = ({ throughput: value }: Measured) => value;
  const withKey = inRounds(at(16, 'gateway', 'restore with a key'), at(16, 'gateway', 'restore'), throughput);
  return [
    ...byHand.flatMap(([workload, better, other]) => {
      const surfaces = ['gateway', 'gateway, GraphQL'].map((name) => ratio(name, 'Mercurius, by hand', workload));
      const [most = [], least = []] = surfaces.toSorted((one, two) => median(two) - median(one));
      return [
        { what: `${workload}: requests/s ÷ Mercurius's, the better surface`, values: most, atLeast: better },
        { what: `${workload}: requests/s ÷ Mercurius's, the other surface`, values: least, atLeast: other },
      ];
    }),
    ...postgraphile.map(([workload, least]) => ({
      what: `${workload}: requests/s ÷ PostGraphile's`,
      values: ratio('gateway', 'PostGraphile', workload),
      atLeast: least,
    })),
    { what: 'restore with a key: requests/s ÷ without', values: withKey, atLeast: 0.7 },
    ...growthGoals(grown),
    {
      what: '10,000 recipients: time to reopen ÷ bare INSERT … SELECT',
      values: notified.map(({ milliseconds, bareMilliseconds }) => milliseconds / bareMilliseconds),
      atMost: 1.3,
    },
    { what: 'start to first response, ms', values: starts, atMost: 400 },
    { what: 'memory when idle, MB', values: idleMegabytes === undefined ? [] : [idleMegabytes], atMost: 110 },
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
