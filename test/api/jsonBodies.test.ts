import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/platform/http/json.js';
import { seedOf } from '../support/seedOf.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a body is what JSON.parse makes of it, up to 100 levels deep', () => {
  const levels = fc.integer({ min: 90, max: 105 });
  const texts = fc.tuple(
    fc.json({ stringUnit: fc.constantFrom('"', '\\\\', '{', ']', '\\u', 'a') }),
    levels,
    fc.boolean(),
  );
  fc.assert(
    fc.property(texts, ([json, count, isDeep]) => {
      const text = isDeep ? `[${nested(count)},${json}]` : `{"a" :\n${json}}`;
      const value: unknown = JSON.parse(text);
      if (depthOf(value) <= 100) expect(parseJson(text)).toEqual(value);
      else expect(() => parseJson(text)).toThrow('nested deeper than 100 levels');
    }),
    { numRuns: 500, seed: seedOf('JSON_SEED') },
  );
});

test('reading a body takes little more time than JSON.parse', () => {
  const milliseconds = (parse: (text: string) => unknown, text: string) => {
    const { user } = process.cpuUsage();
    try {
      parse(text);
    } catch {}
    return (process.cpuUsage().user - user) / 1_000;
  };
  for (const [begin, of, end] of [
    ['1.', '0', '1'],
    ['', '[]', ''],
    ['[', '{},', '1]'],
    ['"', '\\\\"', '"'],
    ['["', ' ', '"]'],
    ['{"a":', '[', ''],
  ] as const) {
    const text = begin + of.repeat(400_000) + end;
    const least = (parse: (text: string) => unknown) => Math.min(...[1, 2, 3].map(() => milliseconds(parse, text)));
    const [ours, bare] = [least(parseJson), least(JSON.parse)];
    expect(ours, `${begin}${of}: ${ours} and ${bare} ms`).toBeLessThan(100 + 3 * bare);
  }
});
