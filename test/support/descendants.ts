import { readdirSync, readFileSync } from 'node:fs';

/** The processes that a process has started, and those that these have started. */
export function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(fieldsOf(Number(name))[1])] as const);
  const childrenOf = (parent: number): number[] =>
    parents.filter(([, of]) => of === parent).flatMap(([child]) => [child, ...childrenOf(child)]);
  return childrenOf(pid);
}

/** Seconds of a core that a process has taken so far. */
export function cpuSecondsOf(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** What `/proc` says of a process, from its state on; nothing if it has ended. */
function fieldsOf(pid: number): string[] {
  try {
    const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return afterName.split(' ');
  } catch {
    return [];
  }
}
