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

/** Requests/s at 16 connections ÷ those of Mercurius by hand, of the surface that does more. */
const byHand: [workload: WorkloadName, least: number][] = [
  ['restore', 0.95],
  ['reopen, 5 recipients', 0.95],
  ['delete', 0.95],
  ['full goal', 0.95],
  ['page of 50', 0.85],
  ['401', 0.95],
  ['409', 0.85],
];

/** Requests/s of the surface that does less ÷ those of the better one, for what both have. */
const otherSurface = 0.93;
const onBothSurfaces: ReadonlySet<WorkloadName> = new Set(['restore', 'reopen, 5 recipients', 'delete', '401', '409']);

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

function goalsOf({ closed, grown, starts = [], idleMegabytes, notified = [] }: Results): Goal[] {
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
    ...byHand.flatMap(([workload, least]) => {
      const names = ['gateway', 'gateway, GraphQL'].toSorted(
        (one, other) =>
          median(ratio(other, 'Mercurius, by hand', workload)) - median(ratio(one, 'Mercurius, by hand', workload)),
      );
      const [better = '', other = ''] = names;
      const ofBetter = { what: `${workload}: requests/s ÷ Mercurius's`, atLeast: least };
      const goal = { ...ofBetter, values: ratio(better, 'Mercurius, by hand', workload) };
      if (!onBothSurfaces.has(workload)) return [goal];
      const what = `${workload}: requests/s of the other surface ÷ the better`;
      return [goal, { what, values: ratio(other, better, workload), atLeast: otherSurface }];
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
      atMost: 1.25,
    },
    { what: 'start to first response, ms', values: starts, atMost: 280 },
    { what: 'memory when idle, MB', values: idleMegabytes === undefined ? [] : [idleMegabytes], atMost: 95 },
  ];
}

/** The workloads, and the axes, with which the responses themselves grow. */
const growing: ReadonlySet<string> = new Set(['reopen, 1,000 recipients', 'depth of folders', 'connections']);

/** How much longer a request of each workload takes with the most of what grows than with the least. */
function growthGoals(grown: Results['grown']): Goal[] {
  const ofGateway = grown.filter(({ axis, contender }) => !growing.has(axis) && contender === 'gateway');
  return unique(ofGateway.map(({ axis }) => axis)).flatMap((axis) => {
    const rows = ofGateway.filter((one) => one.axis === axis && !growing.has(one.workload));
    const sizes = unique(rows.map(({ size }) => size)).sort((one, other) => one - other);
    const [least, most] = [sizes[0], sizes.at(-1)];
    if (least === undefined || most === undefined || least === most) return [];
    return unique(rows.map(({ workload }) => workload)).map((workload) => {
      const of = (size: number) => rows.filter((one) => one.size === size && one.workload === workload);
      const [few, many] = [least, most].map((size) => size.toLocaleString('en'));
      return {
        what: `${workload}: time of a request, ${many} ÷ ${few} ${axis}`,
        values: inRounds(of(least), of(most), ({ throughput }) => throughput),
        atMost: 1.1,
      };
    });
  });
}

function inRounds(mine: Measured[], theirs: Measured[], read: (one: Measured) => number): number[] {
  return mine.flatMap((one) => {
    const other = theirs.find(({ round }) => round === one.round);
    return other ? [read(one) / read(other)] : [];
  });
}
