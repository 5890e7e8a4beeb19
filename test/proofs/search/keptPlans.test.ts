import { Plan } from '@pothos/selection-mapper';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { modelClass } from '../../../src/database.js';
import { keptQuery, onlyIds } from '../../../src/schema/plans.js';
import { createToken } from '../../../src/tokens.js';
import { textOf } from '../../support/documents.js';
import { filledGoal } from '../../support/filled.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import { type RandomRequest, randomRequest } from '../../support/randomQueries.js';
import { withFragments } from '../../support/restFragments.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();
const demo = await createWorld();
const count = Number(process.env.KEPT_PLANS ?? 100);
const seed = seedOf('KEPT_PLANS_SEED');

/** How much of the schema Pothos walks for the work. */
async function planned(work: () => Promise<Json>): Promise<number> {
  const collect = vi.spyOn(Plan.prototype, 'collect');
  try {
    const { body } = await work();
    expect(body.errors).toBeUndefined();
    return collect.mock.calls.length;
  } finally {
    collect.mockRestore();
  }
}

describe('a document that is sent again', () => {
  test('is planned once, whoever sends it and whatever it asks for', async () => {
    const made = [await filledGoal(world, 1), await filledGoal(world, 2)];
    const query = withFragments(
      'query ($id: ID!) { goal(id: $id) { ...GoalFields activities(first: 2) { nodes { id } } } }',
    );
    const walked = [];
    for (const { goal, caller } of [made[0], made[0], made[0], made[1], made[1]] as typeof made) {
      walked.push(await planned(() => world.graphql(caller.token, query, { id: goal.id })));
    }
    expect(walked).toEqual([walked[0], 0, 0, 0, 0]);
    expect(walked[0]).toBeGreaterThan(100);
  });

  test('is planned anew with other variables beneath a field, and then as before', async () => {
    const { caller, goal } = await filledGoal(world, 3);
    const query =
      'query ($id: ID!, $all: Boolean!) { goal(id: $id) { id ...More @include(if: $all) } } fragment More on Goal { name }';
    const answer = async (all: boolean) =>
      (await world.graphql(caller.token, query, { id: goal.id, all })).body.data.goal;
    const { id, name } = goal;
    for (const all of [true, false, true, false, false, true]) {
      expect(await answer(all)).toEqual(all ? { id, name } : { id });
    }
    expect(await planned(() => world.graphql(caller.token, query, { id, all: true }))).toBe(0);
  });

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
      const byPrisma = vi.spyOn(modelClass.reader, 'client');
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
      expect(byPrisma, 'a read that the reader does not know').not.toHaveBeenCalled();
      loadedAlone.mockRestore();
      byPrisma.mockRestore();
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
