import { Plan } from '@pothos/selection-mapper';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { keptQuery, onlyIds } from '../../../src/schema/plans.js';
import { createToken } from '../../../src/tokens.js';
import { textOf } from '../../support/documents.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import { type RandomRequest, randomRequest } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';
import { createWorld } from '../../support/world.js';

const demo = await createWorld();
const count = Number(process.env.KEPT_PLANS ?? 100);
const seed = seedOf('KEPT_PLANS_SEED');

describe('a document that is sent again', () => {
  test(
    `is answered as it was at first, to each caller (KEPT_PLANS_SEED=${seed})`,
    async () => {
      const { readOnly } = await openRandomDemo(demo);
      const known = await knownTo(demo, readOnly);
      const people = await demo.sql(
        'SELECT company_id, id FROM people WHERE suspended_at IS NULL ORDER BY company_id DESC, id',
      );
      const tokens = [readOnly];
      for (const { company_id: companyId, id: personId } of people.slice(0, 4)) {
        tokens.push((await createToken(demo.db, { companyId, personId, name: 'Random' })).token);
      }
      const schema = buildSchema(textOf('schema.graphql'));
      const loadedAlone = vi.spyOn(Plan, 'forParentRow');
      const answers = async (token: string, { query, variables }: RandomRequest) => {
        const { data, errors } = (await demo.graphql(token, query, variables)).body;
        // Which of several errors are reported depends on which happens first.
        return { data, failed: errors !== undefined };
      };
      const property = fc.asyncProperty(fc.gen(), async (draw) => {
        const request = randomRequest(schema, known, 'query', draw);
        const first = [];
        // Another text is another document, for which nothing is kept.
        for (const [index, token] of tokens.entries()) {
          first.push(await answers(token, { ...request, query: request.query + ' '.repeat(index + 1) }));
        }
        for (const _ of [1, 2, 3]) {
          for (const [index, token] of tokens.entries()) expect(await answers(token, request)).toEqual(first[index]);
        }
      });
      await fc.assert(property, { seed, numRuns: count, ...timeLimit(30_000 + count * 1000) });
      expect(loadedAlone, 'a field that does not find what was planned for it').not.toHaveBeenCalled();
      loadedAlone.mockRestore();
    },
    60_000 + count * 1000,
  );
});

describe('a query that is kept', () => {
  test('may depend on nothing else of the request, and on no part of an id', () => {
    const { actor, ...others } = onlyIds() as { actor: { personId: string; tokenId?: string }; now?: Date };
    expect(others).toEqual({});
    expect(() => (onlyIds() as { now?: Date }).now).toThrow('now');
    expect(() => actor.tokenId).toThrow('tokenId');
    const where = { id: `${actor.personId}!` };
    expect(() => keptQuery({ include: { checks: { where } } })).toThrow('part of a text');
    expect(() => keptQuery({ select: { id: true }, where: {} })).toThrow('only selects');
  });
});
