import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { crawlQueries, inParallel, questionsAbout } from './isolation/asking.js';
import type { Caller } from './isolation/callers.js';
import { type Facts, readFacts } from './isolation/crawl.js';
import { expected } from './isolation/matrix.js';
import { fields, texts, triedElsewhere } from './isolation/policy.js';
import { openScene, testLog } from './isolation/scene.js';
import { mayKnow, withheldTexts, wrongFacts, wrongTexts } from './isolation/shown.js';

const { ladder, links, people, owner, matrix, targets } = await openScene('what is shown');
/** Each person once: what a token may do is nothing of this. */
const others = people.filter(({ name, canWrite }) => name !== 'owner' && canWrite);

describe('what is shown', () => {
  /** Asks for everything that the caller can reach, and fails if something is not for them. */
  async function crawl(caller: Caller): Promise<Facts> {
    const facts: Facts = new Map();
    const wrong: string[] = [];
    const open = questionsAbout(targets).filter(({ need, target }) => expected(ladder, caller, need, target) === 'OK');
    await inParallel(crawlQueries(schema, open), async (query) => {
      const { status, body } = await matrix.graphql(caller, `{ ${query} }`);
      expect([status, body.errors]).toEqual([200, undefined]);
      readFacts(schema, body.data, facts, (record) => {
        if (!mayKnow(ladder, caller, record.id)) wrong.push(`a record: ${JSON.stringify(record).slice(0, 200)}`);
        for (const field of withheldTexts(links, record)) withheld.add(field);
        wrong.push(...wrongTexts(ladder, links, caller, record));
      });
    });
    expect(wrong).toEqual([]);
    matrix.cells += facts.size;
    return facts;
  }

  const withheld = new Set<string>();
  let asOwner: Facts;
  beforeAll(async () => {
    asOwner = await crawl(owner);
  });

  test('to the owner is everything there is: each field reaches something', () => {
    const facts = asOwner;
    expect(wrongFacts(ladder, links, owner, facts, facts)).toEqual([]);
    const reached = new Set([...facts].filter(([, ids]) => ids.size > 0).map(([key]) => key.split(' ')[1]));
    const asksNoQuery = /Payload\.|^Subscription\./;
    expect(
      Object.keys(fields).filter(
        (field) => !reached.has(field) && !triedElsewhere.includes(field) && !asksNoQuery.test(field),
      ),
    ).toEqual([]);
  });

  test.each(others)('to $name is what the policy says, field by field', async (caller) => {
    expect(wrongFacts(ladder, links, caller, await crawl(caller), asOwner)).toEqual([]);
  });

  test('to some lacks each text that not everyone may read', () => {
    expect([...withheld].sort()).toEqual(Object.keys(texts).sort());
  });
});

testLog(matrix);
