import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pathOf } from '../../support/documents.js';

const program = pathOf('bench/compare.ts');

// It needs dist/, which `npm ci` builds. What it measures here means nothing.
test('the benchmark runs, and what is written by hand answers every workload as the gateway does', {
  timeout: 300_000,
}, () => {
  const tables = execFileSync(process.execPath, ['--import', 'tsx', program, '--smoke'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const failed = tables
    .split('\n')
    .filter((line) => /^\| [^|]+ \| (gateway|Yoga)/.test(line) && !line.endsWith('| 0 |'));
  expect(failed).toEqual([]);
  for (const workload of ['restore', 'reopen, 5 recipients', 'full goal', 'page of 50', '401', '409']) {
    expect(tables).toContain(`| ${workload} | Yoga, by hand |`);
  }
  for (const goal of [
    'restore with a key: requests/s ÷ without',
    'start to first response, ms',
    'memory when idle, MB',
  ]) {
    expect(tables).toMatch(new RegExp(`^\\| ${goal}.* \\| [\\d.]+ \\(.*\\) \\| (yes|no) \\|$`, 'm'));
  }
});
