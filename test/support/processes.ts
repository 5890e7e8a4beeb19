import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of /proc in a second, on every Linux that Node runs on. */
const ticks = 100;

/** The processor time of a process, in seconds. NaN where there is no /proc. */
export function cpuOf(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields?.[11]) + Number(fields?.[12])) / ticks;
}

/** The processor time of a process and all its children, also those that have ended. */
export function cpuOfFamily(pid: number): number {
  const own = fieldsOf(pid);
  if (!own) return Number.NaN;
  const ended = (Number(own[13]) + Number(own[14])) / ticks;
  return childrenOf(pid, processes()).reduce((sum, child) => sum + (cpuOf(child) || 0), cpuOf(pid) + ended);
}

/** The processor time of a process since it started, in milliseconds, more exactly than in ticks. */
export function cpuMilliseconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) => Number(schedulesOf(pid, thread).split(' ')[0]));
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return 0; // It has ended.
  }
}

const schedulesOf = (pid: number, thread: string) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');

/** The processes that a process has started, and those that these have started. */
export function descendantsOf(pid: number, among = processes()): number[] {
  return childrenOf(pid, among).flatMap((child) => [child, ...descendantsOf(child, among)]);
}

interface Process {
  pid: number;
  parent: number;
}

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));

const childrenOf = (pid: number, among: Process[]) =>
  among.filter(({ parent }) => parent === pid).map((child) => child.pid);

/** The memory that a process has in RAM. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** The parent of a process. */
export const parentOf = (pid: number): number => Number(fieldsOf(pid)?.[1]);

/** What follows the name in /proc/<pid>/stat: state, parent, … */
function fieldsOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}
