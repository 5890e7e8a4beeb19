import { describe, expect, test } from 'vitest';
import '../../src/errors/catalogue.js';
import { ResponseBudget } from '../../src/platform/graphql/budget.js';
import { jsonInTurns } from '../../src/platform/graphql/responding.js';
import { Turns } from '../../src/platform/process/turns.js';

describe('long responses', () => {
  test('are built one at a time, and leave their turn to others also when they fail', async () => {
    const turns = new Turns(1);
    const order: string[] = [];
    const build = (name: string, fails = false) =>
      turns.take(async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
        if (fails) throw new Error('failed');
      });
    await Promise.allSettled([build('a'), build('b', true), build('c')]);
    expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test('complete nothing of what has become too long while it waited', async () => {
    const budget = new ResponseBudget({ responseCharacters: 2_000_000, becomeLong: async () => {} });
    const count = async () => budget.itemsOf(Array(15_000).fill(null));
    const [first, second] = await Promise.allSettled([count(), count()]);
    for (const each of [first, second]) {
      expect(each).toMatchObject({ status: 'rejected', reason: { extensions: { code: 'QUERY_TOO_COMPLEX' } } });
    }
  });

  test.each<[string, object]>([
    ['nothing', {}],
    [
      'null, empty and missing members',
      { data: null, list: [], object: {}, missing: undefined, items: [undefined, null] },
    ],
    [
      'names and texts with quotes, and letters of several bytes',
      { 'a"b': 'ü"\\\n\u2028\ud83d\ude00', lone: '\ud800' },
    ],
    ['lists in lists', { data: { matrix: [[1, [2.5, -0]], [[]], [true, false]] } }],
    [
      'short items and long ones',
      { items: Array.from({ length: 3_000 }, (_, n) => ({ n, text: 'é'.repeat(n % 7 ? 5 : n) })) },
    ],
  ])('are written as JSON: %s', async (_what, value) => {
    expect(Buffer.from(await jsonInTurns(value)).toString()).toBe(JSON.stringify(value));
  });

  test('let others have their turn while they are written', async () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({
      id,
      name: 'a name that is quite long',
      isMember: id % 2 === 0,
    }));
    let isWritten = false;
    const written = jsonInTurns({ data: { items } }).finally(() => {
      isWritten = true;
    });
    let turns = 0;
    for (; !isWritten; turns += 1) await new Promise(setImmediate);
    expect((await written).length / turns).toBeLessThan(500_000);
  });
});
