import { expect, test } from 'vitest';
import { parseJson } from '../../src/platform/http/json.js';

test.each(['"%"', '"\\"%"', '["\\\\", "%"]', '{"%": "]"}'])('brackets in a text are no levels: %j', (json) => {
  const text = json.replace('%', '['.repeat(200));
  expect(parseJson(text)).toEqual(JSON.parse(text));
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
