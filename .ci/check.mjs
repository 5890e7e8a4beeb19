// `npm run check`: what every change must pass. `node .ci/check.mjs long`: what takes long, or only some parts of it:
// `node .ci/check.mjs long browser faults`. `npm run check -- --since HEAD~20`: the check, then the long parts that the
// files changed since that commit ask for (`LONG=all` or `LONG=none` instead, or `LONG=browser,faults`).
import { execFileSync, spawnSync } from 'node:child_process';

const vitest = (...args) => ['npx', 'vitest', 'run', ...args];
const random = { SEED: 'random' };
/** A bound in milliseconds, more on a slow machine. */
const slowly = (option, milliseconds) => [option, String(milliseconds * Number(process.env.SLOW ?? 1))];

const check = [
  ['lint', ['npx', 'biome', 'ci', '.']],
  ['types', ['npx', 'tsc']],
  ['dead code', ['npx', 'knip', '--config', '.knip.json']],
  ['product', vitest('--project', 'product')],
  [
    'search, package, browser',
    vitest('test/proofs/search', 'test/proofs/builds/installedPackage.test.ts', 'test/proofs/browser/smoke.test.ts'),
  ],
];

/** Each long part: which changed paths ask for it, and what it runs. */
const long = {
  documents: [/^(docs|README\.md|[\w/]+\.md|package\.json)/, vitest('test/proofs/builds/documents')],
  builds: [
    /^(package|tools\/build|schema\.graphql|openapi\.json|test\/client|tools\/(agents|release)|bench)/,
    vitest('test/proofs/builds'),
  ],
  browser: [/^src\/pages|^tools\/build|^test\/proofs\/browser/, vitest('test/proofs/browser')],
  commands: [/^src\/(commands|settings|main|platform\/(administration|settings))/, vitest('test/proofs/commands')],
  serving: [
    /^src\/(commands\/serve|gateway|app|events|webhooks|platform\/(http|outbox|process|telemetry))/,
    vitest('test/proofs/serving'),
  ],
  data: [/^prisma\/|^src\/(lists|workspace|platform\/postgres)/, vitest('test/proofs/data')],
  faults: [
    /^prisma\/migrations|^src\/(webhooks|workspace|platform\/(postgres|outbox|embedded|http|process))|^tools\/(faults|attacks|upgrade)/,
    vitest('test/proofs/faults'),
  ],
  texts: [
    /^src\/(text|schema|mcp|platform\/(texts|http|graphql))|^tools\/attacks/,
    ['npx', 'tsx', 'tools/attacks/texts.ts', ...slowly('--block', 150)],
  ],
  random: [
    /^src\/(operations|policies|rules|schema|workspace|platform\/(graphql|postgres))/,
    vitest('test/proofs/search'),
    random,
  ],
};

/** What depends on time, kills or chance is no gate: it runs in the whole of the long form, or if it is named. */
const byChance = ['serving', 'faults', 'texts', 'random'];

const [mode, ...rest] = process.argv.slice(2);

function changedSince(commit) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
  try {
    return git('diff', '--name-only', commit);
  } catch {
    // A clone without that much history has everything changed.
    return git('ls-files');
  }
}

function longParts() {
  const names = Object.keys(long);
  if (mode === 'long') return rest.length > 0 ? rest : names;
  if (rest[0] !== '--since' || process.env.LONG === 'none') return [];
  if (process.env.LONG) return process.env.LONG === 'all' ? names : process.env.LONG.split(',');
  const changed = changedSince(rest[1] ?? 'HEAD~20');
  return names.filter((name) => !byChance.includes(name) && changed.some((file) => long[name][0].test(file)));
}

const parts = longParts().map((name) => {
  if (!long[name]) throw new Error(`there is no part ${name}: ${Object.keys(long).join(', ')}`);
  const [, command, environment] = long[name];
  return [`long: ${name}`, command, environment];
});
const began = Date.now();
for (const [name, [program, ...args], environment] of [...(mode === 'long' ? [] : check), ...parts]) {
  const start = Date.now();
  console.log(
    `\n── ${name}: ${[...Object.entries(environment ?? {}).map((pair) => pair.join('=')), program, ...args].join(' ')}`,
  );
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  console.log(`── ${name}: ${Math.round((Date.now() - start) / 1000)} s`);
  if (status !== 0) process.exit(1);
}
console.log(`\n── all: ${Math.round((Date.now() - began) / 1000)} s`);
