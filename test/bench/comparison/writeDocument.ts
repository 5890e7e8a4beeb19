import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPeers } from './peers.js';
import { type Results, tables } from './report.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const plots = {
  comparison: [
    ['throughput', 'Requests a second of each contender over 1 to 64 connections, for each workload'],
    ['latency', 'Latency of each contender at a fixed rate, for each workload'],
  ],
  growth: [['growth', 'Requests a second as the data grows']],
} as const;

/** A plot that follows the theme of the reader. */
const pictureOf = (name: string, about: string) => `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="../test/bench/plots/${name}-dark.svg">
  <img alt="${about}" src="../test/bench/plots/${name}-light.svg">
</picture>`;

/** Writes the tables between the comments of docs/performance.md, and its plots. */
export function writeDocument(results: Results): void {
  const part = results.grown.length > 0 ? 'growth' : 'comparison';
  const pictures = plots[part].map(([name, about]) => pictureOf(name, about)).join('\n\n');
  const document = path('../../../docs/performance.md');
  const text = readFileSync(document, 'utf8');
  const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [before = '', rest = ''] = text.split(start);
  const [, after = ''] = rest.split(end);
  writeFileSync(document, `${before}${start}\n\n${pictures}\n\n${tables(results)}\n\n${end}${after}`);
  installPeers();
  execFileSync(process.execPath, [path('../peers/plots.mjs'), path(`../results/${part}.json`), path('../plots')], {
    stdio: 'inherit',
  });
}
