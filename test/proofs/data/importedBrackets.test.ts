import { expect, test } from 'vitest';
import { streamSource } from '../../../src/workspace/file.js';

async function read(text: string): Promise<void> {
  for await (const _ of streamSource(() => [Buffer.from(text)]).parts);
}

const milliseconds = async (text: string) => {
  const start = performance.now();
  await read(text).catch(() => {});
  return performance.now() - start;
};
const least = async (text: string) =>
  Math.min(...[await milliseconds(text), await milliseconds(text), await milliseconds(text)]);

test('a file of random brackets takes time in proportion to its length', async () => {
  const random = (of: string[]) =>
    Array.from({ length: 100_000 }, () => of[Math.floor(Math.random() * of.length)]).join('');
  const brackets = [['[]'], ['{}'], ['[', ']'], ['[]', '{}'], ['[]', ','], ['{', '}', '[', ']', ':', ',', '"a"', ' ']];
  for (const begin of ['{"a" ', '{"a":[', '{"a":', '{"kind":"goal","a":', '[', 'x'])
    for (const of of brackets) {
      const text = random(of);
      const [one, four] = [await least(begin + text), await least(begin + text.repeat(4))];
      expect(four / Math.max(one, 25), `${begin}${of.join('')}: ${one} and ${four} ms`).toBeLessThan(10);
    }
});

test('so does a file of very many lists', async () => {
  const lists = (count: number) => `{${Array.from({ length: count }, (_, n) => `"a${n}":[]`).join(',')}}`;
  const [one, four] = [await least(lists(5_000)), await least(lists(20_000))];
  expect(four / Math.max(one, 25), `${one} and ${four} ms`).toBeLessThan(10);
});
