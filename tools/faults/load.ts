import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { violationsIn } from '../consistency/check.js';
import { Client } from '../consistency/client.js';
import { loggedFaults } from '../consistency/gateway.js';
import type { History } from '../consistency/history.js';
import { type Step, step } from '../consistency/plan.js';
import { takeHashes } from '../consistency/snapshot.js';
import type { System } from '../consistency/system.js';
import { clientCount } from '../consistency/workspace.js';
import type { Fault } from './fault.js';

/** The 5 s in which every request is answered, and one for a busy machine. */
const slowest = 6_000;
const aroundMilliseconds = 2_000;
const recoveryMilliseconds = 30_000;

export interface Outcome {
  /** Answers to requests that were running or sent during the fault, by status; 0 for none. */
  statuses: Record<string, number>;
  longestMilliseconds: number;
  /** From the end of the fault to the first change that succeeds; 0 if some succeed all the time. */
  recoveredAfter: number;
  acknowledged: number;
  violations: string[];
}

/** Clients read and write before, during and after the fault; then the database is compared with their answers. */
export async function suffer(system: System, fault: Fault, seed: number): Promise<Outcome> {
  const history = await system.begin(`f${seed}`);
  let isOver = false;
  const clients = Array.from({ length: clientCount }, (_, number) => {
    const steps = stepsUntil(() => isOver, seed + number);
    return new Client(system, history, { number, known: new Map() }).run(steps);
  });
  await sleep(aroundMilliseconds);
  await takeHashes(system.pool, history.prefix, history.hashes);
  const start = performance.now();
  let end = start;
  let recovered = start;
  try {
    await fault.strike(system);
    end = performance.now();
    recovered = await firstSuccess(history, end);
    await sleep(aroundMilliseconds);
  } finally {
    isOver = true;
  }
  await Promise.all(clients);
  await system.quiet();
  const attempts = history.mutations.flatMap((mutation) => mutation.attempts);
  const during = attempts.filter(({ sent, answered }) => answered > start && sent < end);
  const statuses: Record<string, number> = {};
  for (const { status } of during) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    statuses,
    longestMilliseconds: Math.max(...during.map(({ sent, answered }) => answered - sent)),
    recoveredAfter: recovered - end,
    acknowledged: attempts.filter(({ status, replayed }) => status === 200 && !replayed).length,
    violations: [...(await violationsIn(system.pool, history, slowest)), ...loggedFaults(system.gateways, attempts)],
  };
}

/** Random steps without cuts by the client and revocations, which are faults of their own. */
export function* stepsUntil(isOver: () => boolean, seed: number): Generator<Step> {
  for (let round = 0; ; round += 1)
    for (const drawn of fc.sample(step, { numRuns: 100, seed: seed * 1000 + round })) {
      if (isOver()) return;
      if (drawn.do === 'revoke') continue;
      // The last document would close a circle: deadlocks, which PostgreSQL takes a second to notice.
      yield { ...drawn, cutAfter: null, what: drawn.do === 'several' ? drawn.what % 3 : drawn.what };
    }
}

async function firstSuccess({ mutations }: History, since: number): Promise<number> {
  for (;;) {
    const times = mutations
      .flatMap(({ attempts }) => attempts)
      .filter(({ status, answered }) => status === 200 && answered >= since && answered < Infinity)
      .map(({ answered }) => answered);
    if (times.length > 0) return Math.min(...times);
    if (performance.now() - since > recoveryMilliseconds) throw new Error('no request succeeds after the fault');
    await sleep(5);
  }
}
