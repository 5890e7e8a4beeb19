// Changes one operator, literal or condition of the sources at a time, in a copy, and runs the tests that load the file:
// `npx tsx tools/mutants/run.ts src/rules`. It prints which test notices each. Stryker 10, which does more, needs Node 22.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The tests that should notice; by default those that load the file. */
    tests: { type: 'string', multiple: true, default: [] },
    /** One of so many mutants is tried. */
    every: { type: 'string', default: '1' },
    /** How many are left out at the beginning, because a run before this one has tried them. */
    skip: { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  console.error(
    'Usage: npx tsx tools/mutants/run.ts <file or folder of src>… [--tests <file or folder>]… [--every N] [--skip N] [--list]',
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
  .filter((_mutant, n) => n % every === 0)
  .slice(Number(options.skip));

/** A run of tests in the copy, in this process, so that what did not change is compiled once. */
class Tests {
  #vitest: Vitest | undefined;
  #failed: string | undefined;

  constructor(private readonly file: string) {}

  async #started(): Promise<Vitest> {
    if (this.#vitest) return this.#vitest;
    const fails = (name: string) => {
      this.#failed ??= name;
      void vitest.cancelCurrentRun('test-failure');
    };
    const vitest = await createVitest('test', {
      watch: false,
      // A thread that a mutant brings down would take this process with it.
      pool: 'forks',
      project: options.tests.some((path) => path.includes('proofs')) ? [] : ['product'],
      ...(options.tests.length === 0 && { related: [join(process.cwd(), this.file)] }),
      reporters: [
        {
          onTestCaseResult(test) {
            if (test.result().state === 'failed') fails(test.fullName);
          },
          onTestModuleEnd(module) {
            if (module.state() === 'failed') fails(module.relativeModuleId);
          },
        },
      ],
    });
    this.#vitest = vitest;
    return vitest;
  }

  /** The name of a test that fails; first come those that are named like the file. */
  async firstFailure(): Promise<string | undefined> {
    const vitest = await this.#started();
    const all = await vitest.getRelevantTestSpecifications(options.tests);
    const isOwn = ({ moduleId }: TestSpecification) => basename(moduleId).startsWith(basename(this.file, '.ts'));
    this.#failed = undefined;
    for (const specifications of [all.filter(isOwn), all.filter((each) => !isOwn(each))]) {
      if (specifications.length === 0 || this.#failed !== undefined) continue;
      vitest.invalidateFile(join(process.cwd(), this.file));
      const ended = vitest.runTestSpecifications(specifications).catch((error) => fails(String(error)));
      const fails = (why: string) => {
        this.#failed ??= why;
      };
      if ((await Promise.race([ended, setTimeout(300_000, 'too long', { ref: false })])) === 'too long') {
        fails('does not end');
        await this.close();
      }
    }
    return this.#failed;
  }

  async close(): Promise<void> {
    await this.#vitest?.close();
    this.#vitest = undefined;
  }
}

/** Tries each mutant in a copy of the checkout, and prints what notices it. Returns how many survive. */
async function attempt(all: Mutant[]): Promise<number> {
  const checkout = process.cwd();
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const skipped = new Set(['node_modules', '.git']);
  cpSync('.', copy, { recursive: true, filter: (source) => !skipped.has(basename(source)) });
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  process.chdir(copy);
  const survivors: Mutant[] = [];
  try {
    for (const file of new Set(all.map((mutant) => mutant.file))) {
      const tests = new Tests(file);
      const failed = await tests.firstFailure();
      if (failed !== undefined) throw new Error(`The tests of ${file} fail without any change: ${failed}`);
      const original = readFileSync(file, 'utf8');
      for (const mutant of all.filter((each) => each.file === file)) {
        writeFileSync(file, mutant.text);
        const noticed = await tests.firstFailure();
        if (noticed === undefined) survivors.push(mutant);
        console.log(`${file}:${mutant.line} ${noticed === undefined ? 'SURVIVES' : `noticed by ${noticed}`}`);
        console.log(`  - ${mutant.was.trim()}\n  + ${mutant.is.trim()}`);
      }
      writeFileSync(file, original);
      await tests.close();
    }
  } finally {
    process.chdir(checkout);
    rmSync(copy, { recursive: true });
  }
  console.log(`${all.length - survivors.length} of ${all.length} mutants were noticed.`);
  return survivors.length;
}

if (options.list) for (const { file, line, is } of mutants) console.log(`${file}:${line}  ${is.trim()}`);
else process.exitCode = (await attempt(mutants)) > 0 ? 1 : 0;
