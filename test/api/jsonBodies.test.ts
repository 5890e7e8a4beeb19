import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/platform/http/json.js';
import { seedOf } from '../support/seedOf.js';

/** Values whose texts have what may be mistaken for a key. */
const texts = fc.stringMatching(/^[":\\a ]{0,6}$/);
const values = fc.object({
  key: texts,
  values: [texts, fc.integer(), fc.double({ min: 0.1, max: 0.9 }), fc.boolean()],
});
const objects = fc.array(fc.tuple(texts, fc.oneof(texts, values)), { minLength: 1, maxLength: 5 });

const textOf = (entries: [string, unknown][]) =>
  `{${entries.map(([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value)}`).join(',')}}`;

test('a body is what JSON.parse makes of it, unless a key occurs twice', () => {
  fc.assert(
    fc.property(objects, (entries) => {
      const text = textOf(entries);
      const isUnique = new Set(entries.map(([key]) => key)).size === entries.length;
      if (isUnique) expect(parseJson(text)).toEqual(JSON.parse(text));
      else expect(() => parseJson(text)).toThrow('occurs twice');
    }),
    { numRuns: 500, seed: seedOf('JSON_SEED') },
  );
});

test.each([
  ['{"\\u0061":1,"a":2}', 'the key "a" occurs twice'],
  ['{"a":0.0,"b":1e-400}', 'the number cannot be read exactly'],
  [`0.${'0'.repeat(400)}1`, 'the number cannot be read exactly'],
  ['{"version_number":1.00000000000000000001}', 'the number cannot be read exactly'],
  ['[10000000000000000000001e-22]', 'the number cannot be read exactly'],
  [`${'['.repeat(101)}${']'.repeat(101)}`, 'nested deeper than 100 levels'],
])('%s is refused', (text, problem) => {
  expect(() => parseJson(text)).toThrow(problem);
});

test('random brackets take time in proportion to their length', () => {
  const milliseconds = (text: string) => {
    const start = performance.now();
    expect(() => parseJson(text)).toThrow();
    return performance.now() - start;
  };
  const least = (text: string) => Math.min(milliseconds(text), milliseconds(text), milliseconds(text));
  for (const begin of ['', '{"a" ', '{"a":', '["\\\\', ':'])
    for (const of of ['[]', '{}', '[{}]', '\\"', '":', ': ', '{"a":1}']) {
      const [one, four] = [100_000, 400_000].map((length) => least(begin + of.repeat(length))) as [number, number];
      expect(four / Math.max(one, 25), `${begin}${of}: ${one} and ${four} ms`).toBeLessThan(10);
    }
});

test.each([
  '0',
  '-0',
  '1e3',
  '10.50e1',
  '[0.10000000000000000001]',
  '9007199254740991',
  `${'['.repeat(100)}${']'.repeat(100)}`,
])('%s is what it says', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});
