import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { goalTable } from './goals.js';
import { installPeers } from './peers.js';
import { circumstances, comparisonTables, growthTables, type Results, soakTable } from './report.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A plot that follows the theme of the reader. */
const pictureOf = (name: string, about: string) => `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="plots/${name}-dark.svg">
  <img alt="${about}" src="plots/${name}-light.svg">
</picture>`;

const pictures = {
  throughput: pictureOf(
    'throughput',
    'Requests a second of each contender over each number of connections, by workload',
  ),
  latency: pictureOf('latency', 'Latency of each contender at a fixed rate, for each workload'),
  growth: pictureOf('growth', 'Requests a second as the data grows, and over more connections'),
};

/** What stands between the comments of bench/figures.md. A part that a run did not measure stays as it is. */
function partsOf(results: Results): Record<string, string> {
  const { throughput, latency, growth } = pictures;
  return {
    ...(results.closed.length > 0 && {
      goals: [circumstances(results), goalTable(results)].join('\n\n'),
      comparison: [throughput, latency, comparisonTables(results)].join('\n\n'),
    }),
    ...(results.grown.length > 0 && { growth: [growth, growthTables(results)].join('\n\n') }),
    ...(results.soak &&
      results.closed.length === 0 && { soak: [circumstances(results), soakTable(results)].join('\n\n') }),
  };
}

/** Writes the tables between the comments of bench/figures.md, and its plots. */
export function writeDocument(results: Results, file: string): void {
  const document = path('../figures.md');
  let text = readFileSync(document, 'utf8');
  for (const [part, content] of Object.entries(partsOf(results))) {
    const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
    const [before = '', rest = ''] = text.split(start);
    const [, after = ''] = rest.split(end);
    text = `${before}${start}\n\n${content}\n\n${end}${after}`;
  }
  writeFileSync(document, text);
  installPeers();
  execFileSync(process.execPath, [path('../peers/plots.mjs'), file, path('../plots')], { stdio: 'inherit' });
}
