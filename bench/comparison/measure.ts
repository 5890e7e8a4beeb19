import { cpuOf, residentMegabytes } from '../../test/support/processes.js';
import type { Running } from './contenders.js';
import type { BenchDatabase } from './database.js';
import { closedLoop, fixedRate, type Load } from './load.js';
import type { WorkloadName, Workloads } from './workloads.js';

/** How a workload is put on a contender: over so many connections, or so many requests a second. */
export type Pace = { connections: number } | { rate: number };

/** One measurement. Latencies and processor times are in milliseconds, the latter for each request. */
export interface Measured {
  contender: string;
  workload: WorkloadName;
  pace: Pace;
  round: number;
  requests: number;
  /** Answers that were not as expected; they count for nothing else. */
  failed: number;
  /** Requests a second. */
  throughput: number;
  p50: number;
  p99: number;
  worst: number;
  cpu: { contender: number; database: number };
  /** Of the contender's process, in MB, at the end. */
  memory: number;
  /** The share of one processor that the generator of the load needed: above 0.9 it is what was measured. */
  generator: number;
}

interface Measuring {
  database: BenchDatabase;
  workloads: Workloads;
  seconds: number;
}

/** Puts a workload on a contender for some seconds. Prints the first answer that is not as expected. */
export async function measure(
  running: Running,
  workload: WorkloadName,
  pace: Pace,
  round: number,
  { database, workloads, seconds }: Measuring,
): Promise<Measured> {
  const next = workloads.next[workload];
  const before = { contender: cpuOf(running.pid), database: database.cpu(), generator: process.cpuUsage() };
  const load =
    'rate' in pace
      ? await fixedRate(running, next, pace.rate, seconds)
      : await closedLoop(running, next, pace.connections, seconds);
  const used = process.cpuUsage(before.generator);
  const requests = load.latencies.length;
  const perRequest = (total: number) => (1000 * total) / requests;
  const cpu = {
    contender: perRequest(cpuOf(running.pid) - before.contender),
    database: perRequest(database.cpu() - before.database),
  };
  if (load.failures[0]) console.error(`${running.name}, ${workload}: ${load.failures[0]}`);
  if (workloads.areHalfUsed) {
    await database.renew();
    workloads.renew();
  }
  return {
    contender: running.name,
    workload,
    pace,
    round,
    requests,
    failed: load.failures.length,
    throughput: requests / load.seconds,
    ...percentiles(load),
    cpu,
    memory: residentMegabytes(running.pid),
    generator: (used.user + used.system) / 1e6 / load.seconds,
  };
}

export function percentiles({ latencies }: Load) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), worst: at(1) };
}
