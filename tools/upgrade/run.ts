import { latestRelease, newerProgram, releasedProgram } from './program.js';
import { upgrade } from './upgrade.js';

// Gateways of a release serve while this checkout migrates their database, and are replaced by its own one by one. Prints
// what clients saw: `npx tsx tools/upgrade/run.ts [tag or commit]`, by default the newest release.

const ref = process.argv[2] ?? (await latestRelease());
console.log(`from ${ref} to this checkout`);
const old = await releasedProgram(ref);
const newer = await newerProgram();
try {
  const { applied, statuses, longestMilliseconds, failures, violations, stop } = await upgrade(old, newer, 5_000);
  await stop();
  console.log(`applied ${applied.join(', ')}`);
  console.log(`requests by status ${JSON.stringify(statuses)}, slowest ${Math.round(longestMilliseconds)} ms`);
  for (const problem of [...failures, ...violations]) console.log(problem);
  console.log(`failed ${failures.length}, wrong ${violations.length}`);
  process.exitCode = failures.length + violations.length > 0 ? 1 : 0;
} finally {
  await Promise.all([old.remove(), newer.remove()]);
}
