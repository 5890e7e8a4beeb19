// Changes one operator, literal or condition of the sources at a time, in a copy, and runs the tests that load the file:
// `npx tsx tools/mutants/run.ts src/rules`. What no test notices is printed. Stryker 10, which does more, needs Node 22.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The tests that should notice; by default those that load the file. */
    tests: { type: 'string', multiple: true, default: [] },
    /** One of so many mutants is tried. */
    every: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  console.error(
    'Usage: npx tsx tools/mutants/run.ts <file or folder of src>… [--tests <file or folder>]… [--every N] [--list]',
  );
  process.exit(2);
}

/** What is changed, and into what; the first part of a word or operator decides. */
const changes: [pattern: RegExp, to: string | ((found: string) => string)][] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/ >= /g, ' > '],
  [/ <= /g, ' < '],
  [/ > (?=[\w$('])/g, ' >= '],
  [/ < (?=[\w$('])/g, ' <= '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[(=:&|?,]\s?)!(?=[\w(])/g, ''],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/\bAND\b/g, 'OR'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bNOT (?=\w)/g, ''],
  [/\bTRUE\b/g, 'FALSE'],
  [/\bFALSE\b/g, 'TRUE'],
  [/\blevel\.(edit|view)\b/g, (found) => (found === 'level.edit' ? 'level.view' : 'level.edit')],
  [/(?<=[^\w.'-])\d+(?=[^\w.'])/g, (found) => `${Number(found) + 1}`],
  [/\b(?:return|throw) (?=[^;{]*;$)/gm, 'void '],
];

interface Mutant {
  file: string;
  line: number;
  was: string;
  is: string;
  text: string;
}

/** Comments, imports and types do nothing. */
const isCode = (line: string) => !/^\s*(\/\/|\/?\*|import |export \* |export type |type |interface )/.test(line);

function mutantsOf(file: string): Mutant[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((was, index) => {
    if (!isCode(was)) return [];
    return changes.flatMap(([pattern, to]) =>
      [...was.matchAll(pattern)].map((match) => {
        const put = typeof to === 'string' ? to : to(match[0]);
        const is = was.slice(0, match.index) + put + was.slice(match.index + match[0].length);
        return { file, line: index + 1, was, is, text: lines.with(index, is).join('\n') };
      }),
    );
  });
}

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => filesIn(join(path, name)))
    : /\.ts$/.test(path) && !/\.d\.ts$/.test(path)
      ? [path]
      : [];

const every = Number(options.every);
const mutants = positionals
  .flatMap(filesIn)
  .flatMap(mutantsOf)
  .filter((_mutant, n) => n % every === 0);
if (options.list) for (const { file, line, is } of mutants) console.log(`${file}:${line}  ${is.trim()}`);
else process.exitCode = attempt(mutants) > 0 ? 1 : 0;

/** Tries each mutant in a copy of the checkout, and prints those that survive. Returns how many do. */
function attempt(all: Mutant[]): number {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const skipped = new Set(['node_modules', '.git']);
  cpSync('.', copy, { recursive: true, filter: (source) => !skipped.has(source.split('/').at(-1) ?? '') });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  const run = (command: string, ...args: string[]): SpawnSyncReturns<string> =>
    spawnSync('npx', [command, ...args], { cwd: copy, encoding: 'utf8', timeout: 600_000 });
  const test = (file: string) =>
    options.tests.length > 0
      ? run('vitest', 'run', '--bail', '1', ...options.tests)
      : run('vitest', 'related', file, '--run', '--project', 'product', '--bail', '1');
  const survivors: Mutant[] = [];
  try {
    for (const file of new Set(all.map((mutant) => mutant.file))) {
      const unchanged = test(file);
      if (unchanged.status !== 0)
        throw new Error(`The tests of ${file} fail without any change:\n${unchanged.stdout.slice(-3000)}`);
      for (const mutant of all.filter((each) => each.file === file)) {
        const original = readFileSync(join(copy, file), 'utf8');
        writeFileSync(join(copy, file), mutant.text);
        const survives = test(file).status === 0;
        writeFileSync(join(copy, file), original);
        if (!survives) continue;
        survivors.push(mutant);
        console.log(`${file}:${mutant.line} survives\n  - ${mutant.was.trim()}\n  + ${mutant.is.trim()}`);
      }
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
  console.log(`${all.length - survivors.length} of ${all.length} mutants were noticed.`);
  return survivors.length;
}
