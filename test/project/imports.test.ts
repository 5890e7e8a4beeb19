import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf } from '../support/documents.js';

/** What another file is imported by: its path below `src`, and the one that imports it, types included. */
function importsOf(file: string): { from: string; to: string }[] {
  const text = readFileSync(pathOf(`src/${file}`), 'utf8');
  const specifiers = [...text.matchAll(/^(?:import|export)[^;'"(=]*['"](\.[^'"]+)['"]|import\(['"](\.[^'"]+)['"]\)/gm)];
  return specifiers.map(([, fixed, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), fixed ?? dynamic ?? '')).replace(/\.js$/, '.ts'),
  }));
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src/*.ts', 'src/*.js'], {
  cwd: pathOf('.'),
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
  .map((file) => file.replace(/^src\//, ''));
const imports = files.flatMap(importsOf);

const moduleOf = (file: string) => /^platform\/([^/]+)\//.exec(file)?.[1];
/** What is entered by its index.ts: a module of the platform, and the room of the webhooks. */
const roomOf = (file: string) => /^(platform\/[^/]+|webhooks)\//.exec(file)?.[1];
const shown = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`;

test('a module of the platform and the room of the webhooks are entered by their index.ts only', () => {
  // The types of the package include these files alone.
  const allowed = [
    'index.ts imports platform/postgres/databaseError.ts',
    'index.ts imports platform/settings/configError.ts',
  ];
  const past = imports.filter(
    ({ from, to }) => roomOf(to) !== undefined && roomOf(to) !== roomOf(from) && to !== `${roomOf(to)}/index.ts`,
  );
  expect(past.map(shown)).toEqual(allowed);
  expect(imports.filter(({ to }) => moduleOf(to)).length).toBeGreaterThan(300);
});

test('the schema is put together above its parts', () => {
  const up = imports.filter(({ from, to }) => from.startsWith('schema/') && /^(webhooks\/|schema\.ts)/.test(to));
  expect(up.map(shown)).toEqual([]);
});

test('the platform imports nothing of the product but fileSystem.ts and version.ts', () => {
  const outward = imports.filter(({ from, to }) => moduleOf(from) && !moduleOf(to));
  expect(outward.filter(({ to }) => !['fileSystem.ts', 'version.ts'].includes(to)).map(shown)).toEqual([]);
});
