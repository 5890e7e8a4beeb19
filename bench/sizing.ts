import { loadNow } from './comparison/machine.js';
import type { WorkloadName } from './comparison/workloads.js';
import { use } from './sizing/assumptions.js';
import { measureCosts } from './sizing/costs.js';
import { costTable, sizingTable, stepsTable } from './sizing/tables.js';

// What one request of each kind costs, and what 1,000, 100,000 and 10 million people would need by that:
// `npx tsx bench/sizing.ts [seconds for each kind]`, after `npm run build`. The assumptions are in
// bench/sizing/assumptions.ts. Prints what docs/growing.md shows.

const seconds = Number(process.argv[2] ?? 8);
const before = loadNow();
const costs = await measureCosts(Object.keys(use.requests) as WorkloadName[], seconds);
console.log(`${costTable(costs)}\n\n${sizingTable(costs)}\n\n${stepsTable(costs)}\n`);
console.log(`Load average ${before} before, ${loadNow()} after.`);
