import fc from 'fast-check';
import { type ExecutionResult, execute as executeAsGraphqlJs } from 'graphql';
import { expect, test } from 'vitest';
import { execute } from '../../../src/platform/graphql/executor.js';
import { schema } from '../../../src/schema/index.js';
import { knownTo, openRandomDemo } from '../../support/randomDemo.js';
import { randomRequest } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';
import { validDocument } from '../../support/validDocument.js';
import { createWorld } from '../../support/world.js';

const demo = await createWorld();
const count = Number(process.env.EXECUTIONS ?? 200);
const seed = seedOf('EXECUTIONS_SEED');

/** Of several failures beneath one value that is null, which is reported depends on which is first. */
const shown = ({ data, errors }: ExecutionResult) => ({
  data: JSON.parse(JSON.stringify(data ?? null)),
  hasFailed: errors !== undefined,
});

test(
  `a query of the demo workspace has the response that graphql-js would make (EXECUTIONS_SEED=${seed})`,
  async () => {
    const { readOnly } = await openRandomDemo(demo);
    const known = await knownTo(demo, readOnly);
    const [token] = await demo.sql('SELECT id, company_id, person_id FROM api_tokens ORDER BY id');
    const actor = { companyId: token.company_id, personId: token.person_id, tokenId: token.id, canWrite: true };
    const contextOf = () => ({
      db: demo.db,
      actor,
      now: new Date(),
      appUrl: 'http://localhost',
      webhooks: { keys: [], allow: [], own: [] },
      lastEventId: null,
    });
    let found = 0;
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const { query, variables } = randomRequest(schema, known, 'query', draw);
      const document = validDocument(schema, query);
      if (!document) return;
      const run = async (by: typeof execute | typeof executeAsGraphqlJs) =>
        shown(await by({ schema, document, variableValues: variables, contextValue: contextOf() }));
      const expected = await run(executeAsGraphqlJs);
      if (expected.data) found += 1;
      for (const _ of [1, 2, 3]) expect(await run(execute)).toEqual(expected);
    });
    await fc.assert(property, { seed, numRuns: count, ...timeLimit(30_000 + count * 500) });
    expect(found).toBeGreaterThan(count / 10);
  },
  60_000 + count * 500,
);
