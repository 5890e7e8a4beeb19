// Builds and tests a copy of this checkout with a later graphql on a later Node, and prints what breaks:
// `npx tsx tools/canary/run.ts`, or `npx tsx tools/canary/run.ts graphql@17 22`. Other packages, too: `npx tsx tools/canary/run.ts graphql@17,undici@8 24`.
// Node comes from npm. Exits with 1 if a step breaks. docs/dependencies.md says what we do about it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [packages = 'graphql@17', node = '22'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'goalpost-canary-'));
const copy = join(folder, 'goalpost');
const bin = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');

/** Names and values of this process, with the later Node first and without what the npm that runs this has set. */
const environment = Object.fromEntries(
  Object.entries({ ...process.env, PATH: `${bin}:${process.env.PATH}` }).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|CI$|DATABASE_URL$)/i.test(name),
  ),
);

const tested = ['test/operations', 'test/api', 'test/events', 'test/contract'];
const steps: Record<string, string> = {
  install: 'npm install --force --no-audit --no-fund --no-save --ignore-scripts',
  generate: 'npm run --silent generate',
  build: 'node tools/build/build.mjs',
  types: 'npx tsc',
  schema: 'node dist/main.js schema',
  tests: `npx vitest run --reporter=dot ${tested.join(' ')}`,
};

/** What a step needs to have worked. */
const needs: Record<string, string[]> = {
  generate: ['install'],
  build: ['generate'],
  types: ['generate'],
  schema: ['build'],
  tests: ['build'],
};

/** The lines of an output that say what is wrong, each once. */
function complaints(output: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const lines = output.replace(/\u001b\[[0-9;]*m/g, '').split('\n');
  const wrong = lines.filter(
    (line) => /error|FAIL|cannot|ERESOLVE|not exported|Tests /i.test(line) && !/npm warn/.test(line),
  );
  return [...new Set(wrong.map((line) => line.trim().slice(0, 240)))];
}

function run(command: string, cwd: string) {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    env: environment,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return { broke: status !== 0, output: `${stdout}\n${stderr}` };
}

const listed = run('git ls-files -z', root)
  .output.split('\0')
  .filter((file) => /\S/.test(file) && !file.startsWith('\n'));
try {
  for (const file of listed) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
  for (const wanted of packages.split(',')) {
    const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(wanted) ?? [];
    const among = [manifest.dependencies, manifest.devDependencies].find((each) => name in each);
    if (!among) throw new Error(`${wanted}: no dependency of this checkout, or no version`);
    among[name] = version;
    // Its dependents get the same, whatever they ask for: two copies of graphql do not work together.
    manifest.overrides[name] = `$${name}`;
  }
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
  rmSync(join(copy, 'package-lock.json'));
  const got = run(
    `npm install --prefix . --no-audit --no-fund node-${process.platform}-${process.arch}@${node}`,
    folder,
  );
  if (got.broke) throw new Error(got.output);
  console.log(`${packages} on Node ${run('node --version', folder).output.trim()}`);
  const failed = new Set<string>();
  for (const [step, command] of Object.entries(steps)) {
    const missing = (needs[step] ?? []).find((before) => failed.has(before));
    if (missing) {
      console.log(`       ${step}: not tried without ${missing}`);
      failed.add(step);
      continue;
    }
    const { broke, output } = run(command, copy);
    console.log(`${broke ? 'BREAKS' : 'works '} ${step}: ${command}`);
    if (!broke) continue;
    failed.add(step);
    const lines = complaints(output);
    for (const line of lines.slice(0, 25)) console.log(`  ${line}`);
    if (lines.length > 25) console.log(`  and ${lines.length - 25} more lines`);
  }
  process.exitCode = failed.size > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
