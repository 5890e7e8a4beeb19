import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../consistency/system.js';
import { clockJumps } from './clock.js';
import { backendsTerminated, connectionsExhausted, statementsSlow, tablesLocked } from './connections.js';
import type { Fault } from './fault.js';
import { diskFull } from './fullDisk.js';
import { gatewayKilled, postgresFrozen, postgresKilled } from './kill.js';
import { type Outcome, suffer } from './load.js';
import { commitAnswerLost } from './lostCommit.js';
import { slowReaders, slowSenders } from './slowClients.js';

// What clients see while parts fail, and what is lost: `npx tsx tools/faults/run.ts [fault …]`. Prints a Markdown table.

/** What the machine and the competition of the clients alone do. */
const nothing: Fault = { title: 'Nothing fails, for five seconds', strike: () => sleep(5_000) };

const faults: Record<string, Fault> = {
  nothing,
  gatewayKilled,
  postgresKilled,
  postgresFrozen,
  backendsTerminated,
  connectionsExhausted,
  tablesLocked,
  statementsSlow,
  commitAnswerLost,
  diskFull,
  clockJumps,
  slowSenders,
  slowReaders,
};
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(faults);
const seed = Number(process.env.FAULT_SEED ?? 1);

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

function rowOf({ title }: Fault, outcome: Outcome): string {
  const { statuses, longestMilliseconds, recoveredAfter, acknowledged, violations } = outcome;
  const seen = Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status === '0' ? 'connection lost' : status}`)
    .join(', ');
  const lost = violations.filter((text) => /lost|stayed closed/.test(text)).length;
  const halfDone = violations.filter((text) => /in part|trace|not its change/.test(text)).length;
  const cells = [seen, seconds(longestMilliseconds), seconds(recoveredAfter), `${lost} of ${acknowledged}`, halfDone];
  return `| ${title} | ${cells.join(' | ')} |`;
}

async function run(name: string): Promise<string> {
  const fault = faults[name];
  if (!fault) throw new Error(`there is no fault ${name}; there are ${Object.keys(faults).join(', ')}`);
  const reason = fault.unable?.();
  if (reason) return `| ${fault.title} | not tried: ${reason} | | | | |`;
  try {
    const system = await startSystem(await fault.options?.());
    try {
      const outcome = await suffer(system, fault, seed);
      for (const violation of outcome.violations) console.error(`${name}: ${violation}`);
      if (outcome.violations.length > 0) process.exitCode = 1;
      return rowOf(fault, outcome);
    } finally {
      await system.stop();
    }
  } finally {
    await fault.cleanUp?.();
  }
}

console.log(`Clients on both surfaces, FAULT_SEED=${seed}\n`);
console.log(
  '| Fault | What clients see during the fault | Slowest response | Recovered after | Acknowledged changes lost | Half-done |',
);
console.log('|---|---|---|---|---|---|');
for (const name of names) console.log(await run(name));
