import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/schema.js';
import { crawlRequests, inParallel, type Question, questionsAbout } from './asking.js';
import type { Caller } from './callers.js';
import { type Facts, readFacts } from './crawl.js';
import { expected } from './matrix.js';
import { fields, texts, triedElsewhere } from './policy.js';
import type { Scene } from './scene.js';
import { mayKnow, withheldTexts, wrongFacts, wrongTexts } from './shown.js';

/** Everything that each person can reach. */
export function tryFields({ ladder, links, people, owner, matrix, targets, isWhole, cellsOf, hasTime }: Scene): void {
  /** Each person once: what a token may do is nothing of this. */
  const others = people.filter(({ name, canWrite }) => name !== 'owner' && canWrite);
  const questions = questionsAbout(targets).filter(
    ({ need, target }) => expected(ladder, owner, need, target) === 'OK',
  );
  const everyQuestion = questionsAbout(targets).map((question) => ({ ...question, way: question.field }));
  const open = cellsOf([owner, ...others], everyQuestion).filter(({ wanted }) => wanted === 'OK');
  const isAbout = (question: Question) => (cell: Question) =>
    cell.field === question.field && cell.target === question.target;

  describe('what is shown', () => {
    /** Asks for everything that the caller can reach, and fails if something is not for them. */
    async function crawl(caller: Caller): Promise<Facts> {
      const facts: Facts = new Map();
      const wrong: string[] = [];
      const own = open.filter((one) => one.caller === caller);
      // The owner, with whom the others are compared, asks for what any of them does.
      const asked = caller === owner ? questions.filter((question) => open.some(isAbout(question))) : own;
      const ask = async ({ query, variables }: ReturnType<typeof crawlRequests>[number]) => {
        const { status, body } = await matrix.graphql(caller, query, variables);
        expect([status, body.errors]).toEqual([200, undefined]);
        readFacts(schema, body.data, facts, (record) => {
          if (!mayKnow(ladder, caller, record.id)) wrong.push(`a record: ${JSON.stringify(record).slice(0, 200)}`);
          for (const field of withheldTexts(links, record)) withheld.add(field);
          wrong.push(...wrongTexts(ladder, links, caller, record));
        });
      };
      await inParallel(crawlRequests(schema, asked, isWhole ? 2 : 1), ask, hasTime);
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
}
