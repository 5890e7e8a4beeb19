import { describe, expect, test } from 'vitest';
import { LongResponses } from '../../src/platform/fairness/turns.js';
import { ResponseBudget } from '../../src/platform/graphql/budget.js';
import { jsonInTurns } from '../../src/platform/graphql/responding.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();

describe('long responses', () => {
  test('are complete when many are asked for at once', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const content = 'x'.repeat(600_000);
    const { id } = await world.document(hub, caller, [content]);
    const query = `{ resourceHubDocument(id: "${id}") { content again: content once: content } }`;
    const responses = await Promise.all(Array.from({ length: 12 }, () => world.graphql(caller.token, query)));
    for (const { status, body } of responses) {
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(Object.values(body.data.resourceHubDocument)).toEqual([content, content, content]);
    }
  });

  test('are built one at a time, and callers take turns', async () => {
    const long = new LongResponses();
    const order: string[] = [];
    const build = (company: string, fails = false) =>
      long.build({ id: company, flow: company }, async (becomeLong) => {
        await Promise.all([becomeLong(), becomeLong()]);
        order.push(`${company} begins`);
        await new Promise(setImmediate);
        order.push(`${company} ends`);
        if (fails) throw new Error('failed');
      });
    const all = [build('a'), build('a', true), build('a'), build('b')];
    await Promise.allSettled(all);
    expect(order).toEqual(['a', 'b', 'a', 'a'].flatMap((company) => [`${company} begins`, `${company} ends`]));
  });

  test('leave their turn to others when they fail while they wait for it', async () => {
    const long = new LongResponses();
    const caller = { id: 'token', flow: 'company' };
    let finish = () => {};
    const first = long.build(caller, async (becomeLong) => {
      await becomeLong();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const failed = long.build(caller, async (becomeLong) => {
      void becomeLong();
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    finish();
    await first;
    expect(await long.build(caller, (becomeLong) => becomeLong().then(() => 'built'))).toBe('built');
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
