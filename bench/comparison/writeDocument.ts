import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { goalTable } from './goals.js';
import { circumstances, comparisonTables, growthTables, type Results } from './report.js';

/** What stands between the comments of bench/figures.md. A part that a run did not measure stays as it is. */
function partsOf(results: Results): Record<string, string> {
  return {
    ...(results.closed.length > 0 && {
      goals: [circumstances(results), goalTable(results)].join('\n\n'),
      comparison: comparisonTables(results),
    }),
    ...(results.grown.length > 0 && { growth: growthTables(results) }),
  };
}

/** Writes the tables between the comments of bench/figures.md. */
export function writeDocument(results: Results): void {
  const document = fileURLToPath(new URL('../figures.md', import.meta.url));
  let text = readFileSync(document, 'utf8');
  for (const [part, content] of Object.entries(partsOf(results))) {
    const [start, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
    const [before = '', rest = ''] = text.split(start);
    const [, after = ''] = rest.split(end);
    text = `${before}${start}\n\n${content}\n\n${end}${after}`;
  }
  writeFileSync(document, text);
}
