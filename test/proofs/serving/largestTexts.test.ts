import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
// What it fails with is worded there.
import '../../../src/errors/catalogue.js';
import { TextWorker } from '../../../src/platform/texts/index.js';

const longest = 4_000_000;
const mention = '{"type":"mention","attrs":{"id":"somebody"}}';
const log: string[] = [];
const worker = new TextWorker('text/thread', createLogger('warn', { write: (line: string) => void log.push(line) }));
const caller = { personId: 'p', companyId: 'c', tokenId: 't' };

/** A rich text of the largest size that is stored, of these nodes and a mention, with no more objects than may be read. */
function largest(nodeOf: (index: number) => string, mostObjects = 199_900) {
  const nodes: string[] = [];
  for (let length = mention.length + 40, objects = 0; ; ) {
    const node = nodeOf(nodes.length);
    length += node.length + 1;
    objects += node.startsWith('{') ? 1 : 0;
    if (length > longest || objects > mostObjects) break;
    nodes.push(node);
  }
  return `{"type":"doc","content":[${[...nodes, mention].join()}]}`;
}

let count = 0;
const key = () => `"_${(count++).toString(36)}":1`;
const keys = (number: number) => `{${Array.from({ length: number }, key).join()}}`;
const depth = longest / 2 - 100;
const deepest = Math.floor((199_900 * 14 - 100) / 14);

test.each<[string, () => string]>([
  ['objects that each have a key of their own', () => largest((n) => `{"a${n}":1,"b":2}`)],
  ['objects that each have two', () => largest(() => keys(2))],
  ['objects that each have eight', () => largest(() => keys(8))],
  ['objects that each have a hundred', () => largest(() => keys(100))],
  ['one object', () => `{"type":"doc",${keys(300_000).slice(1, -1)},"content":[${mention}]}`],
  ['objects with numbers for keys', () => largest(() => '{"1000":1,"1":1}')],
  ['empty lists', () => largest(() => '[]')],
  ['lists in lists', () => largest(() => '[[1]]')],
  ['lists that are nested', () => `{"type":"doc","content":[${mention},${'['.repeat(depth)}${']'.repeat(depth)}]}`],
  [
    'nodes that are nested',
    () => `{"type":"doc","content":[${'{"content":['.repeat(deepest)}${mention}${']}'.repeat(deepest)}]}`,
  ],
  ['fractions', () => largest(() => '1.1')],
  ['words', () => largest(() => `"${(count++).toString(36)}"`)],
  ['Chinese keys', () => largest(() => `{"字${(count++).toString(36)}":1}`)],
])('whom the largest text mentions is found in one of %s', async (_shape, make) => {
  const text = make();
  expect(text.length).toBeLessThanOrEqual(longest);
  expect(await worker.whole(caller, 'mentioned', [text])).toEqual(['somebody']);
  expect(log).toEqual([]);
});
