import { describe, expect, test } from 'vitest';
import { ResponseBudget } from '../../src/platform/graphql/budget.js';
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
});
