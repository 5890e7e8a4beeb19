import { fixed, median, spread, table, unique } from './format.js';
import type { Grown } from './growth.js';
import type { Conditions } from './machine.js';
import type { Measured, Pace } from './measure.js';
import type { Notified } from './recipients.js';

/** Everything that a run found. */
export interface Results {
  closed: Measured[];
  fixed: Measured[];
  grown: Grown[];
  /** Milliseconds to the first response. */
  starts?: number[];
  /** The memory of an idle gateway while the others were measured. */
  idleMegabytes?: number;
  notified?: Notified[];
  postgres: string;
  conditions: Conditions & { loadAfter: number };
}

/** One measurement, while it runs. */
export function lineOf({
  round,
  workload,
  pace,
  contender,
  throughput,
  failed,
  p50,
  p99,
  cpu,
  generator,
}: Measured): string {
  const pacing = 'rate' in pace ? `${pace.rate}/s` : `${pace.connections} conn`;
  const times = `p50 ${fixed(p50)} p99 ${fixed(p99)} ms, CPU ${fixed(cpu.contender)} + ${fixed(cpu.database)} ms`;
  return `${round} ${workload}, ${pacing}, ${contender}: ${Math.round(throughput)}/s, ${times}, generator ${fixed(generator)}${failed > 0 ? `, ${failed} FAILED` : ''}`;
}

const same = (one: Pace, other: Pace) => JSON.stringify(one) === JSON.stringify(other);

/** Where and when a run was. */
export function circumstances({ conditions, postgres }: Results): string {
  const machine = `${conditions.processors} processors (${conditions.cpu}), ${conditions.memoryGigabytes} GB`;
  const load = `load average ${conditions.load} before, ${conditions.loadAfter.toFixed(1)} after`;
  const versions = `Node ${conditions.node}${postgres && `, PostgreSQL ${postgres}, ${conditions.peers}`}`;
  return `${conditions.date}; ${machine}; ${versions}; ${load}.`;
}

/** The tables of the comparison, in Markdown. */
export const comparisonTables = ({ closed, fixed: rated }: Results): string =>
  [
    ...unique(closed.map(({ pace }) => ('connections' in pace ? pace.connections : 0))).flatMap((connections) => [
      `### ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
      ratioTable(closed.filter(({ pace }) => same(pace, { connections }))),
      absoluteTable(closed.filter(({ pace }) => same(pace, { connections }))),
    ]),
    ...(rated.length > 0 ? ['### Fixed rate', rateTable(rated)] : []),
  ].join('\n\n');

/** The tables of growth, in Markdown. */
export const growthTables = ({ grown }: Results): string =>
  unique(grown.map(({ axis }) => axis))
    .flatMap((axis) => [`### Growth: ${axis}`, growthTable(grown.filter((one) => one.axis === axis))])
    .join('\n\n');

const throughputs = (measured: Measured[], contender: string, workload: string) =>
  measured
    .filter((one) => one.contender === contender && one.workload === workload)
    .map(({ throughput }) => throughput);

/** The gateway's throughput divided by the other's, round by round: the median and the extremes. */
function ratioTable(measured: Measured[]): string {
  const [first = '', ...others] = unique(measured.map(({ contender }) => contender));
  const names = unique(measured.map(({ workload }) => workload));
  const ratio = (other: string, workload: string) => {
    const mine = throughputs(measured, first, workload);
    const theirs = throughputs(measured, other, workload);
    const ratios = mine.flatMap((value, round) => (theirs[round] ? [value / theirs[round]] : []));
    return spread(ratios);
  };
  const rows = others.map((other) => [other, ...names.map((name) => ratio(other, name))]);
  return table([`${first} ÷`, ...names], rows);
}

const failures = (measured: Measured[]) => String(measured.reduce((sum, { failed }) => sum + failed, 0));

function absoluteTable(measured: Measured[]): string {
  const groups = unique(measured.map(({ workload, contender }) => JSON.stringify([workload, contender])));
  const rows = groups.map((group) => {
    const [workload, contender] = JSON.parse(group);
    const mine = measured.filter((one) => one.workload === workload && one.contender === contender);
    const of = (read: (one: Measured) => number) => fixed(median(mine.map(read)));
    return [
      workload,
      contender,
      String(Math.round(median(mine.map(({ throughput }) => throughput)))),
      of(({ p50 }) => p50),
      of(({ p99 }) => p99),
      of(({ cpu }) => cpu.contender),
      of(({ cpu }) => cpu.database),
      of(({ generator }) => generator),
      failures(mine),
    ];
  });
  return table(
    [
      'workload',
      'contender',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'its CPU ms',
      'PostgreSQL CPU ms',
      'generator',
      'failed',
    ],
    rows,
  );
}

function rateTable(measured: Measured[]): string {
  const groups = unique(measured.map(({ workload, contender }) => JSON.stringify([workload, contender])));
  const rows = groups.map((group) => {
    const [workload, contender] = JSON.parse(group);
    const mine = measured.filter((one) => one.workload === workload && one.contender === contender);
    const of = (read: (one: Measured) => number) => fixed(median(mine.map(read)));
    const rate = mine.map(({ pace }) => ('rate' in pace ? pace.rate : 0))[0];
    return [
      workload,
      contender,
      `${rate}`,
      of(({ p50 }) => p50),
      of(({ p99 }) => p99),
      of(({ worst }) => worst),
      failures(mine),
    ];
  });
  return table(['workload', 'contender', 'requests/s', 'p50 ms', 'p99 ms', 'worst ms', 'failed'], rows);
}

/** Throughput at each size, what is left of it from the first size to the last, and the memory at the largest. */
function growthTable(grown: Grown[]): string {
  const sizes = unique(grown.map(({ size }) => size));
  const groups = unique(grown.map(({ workload, contender }) => JSON.stringify([workload, contender])));
  const rows = groups.map((group) => {
    const [workload, contender] = JSON.parse(group);
    const at = sizes.map((size) =>
      median(
        throughputs(
          grown.filter((one) => one.size === size),
          contender,
          workload,
        ),
      ),
    );
    return [
      workload,
      contender,
      ...at.map((value) => String(Math.round(value))),
      fixed((at.at(-1) ?? 0) / (at[0] ?? 1)),
      ...[sizes[0], sizes.at(-1)].map((size) => memoryAt(grown, { size, contender, workload })),
    ];
  });
  const headings = sizes.map((size) => size.toLocaleString('en'));
  return table(['workload', 'contender', ...headings, 'last ÷ first', 'MB at the first', 'MB at the last'], rows);
}

/** The most memory that a contender had after a workload, in MB. */
function memoryAt(grown: Grown[], of: { size: number | undefined; contender: string; workload: string }): string {
  const rows = grown.filter(
    ({ size, contender, workload }) => size === of.size && contender === of.contender && workload === of.workload,
  );
  return String(Math.round(Math.max(...rows.map(({ memory }) => memory ?? Number.NaN))));
}
