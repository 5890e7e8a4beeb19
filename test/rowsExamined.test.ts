import { beforeAll, describe, expect, test } from 'vitest';
import { dataSql, ids, callersToken as token, usualSizes } from './bench/comparison/dataset.js';
import { graphql } from './bench/comparison/spelling.js';
import { plansOf } from './support/plans.js';
import { statementsOf } from './support/statements.js';
import { type Answer, createWorld, restPaths } from './support/world.js';

const world = await createWorld();
const table = 4_000;
const large = ['goals', 'activities', 'document_versions', 'resource_hub_documents', 'resource_hub_files', 'comments'];

const read = (call: Parameters<typeof graphql>[0]) => world.post('/graphql', token, graphql(call).body);

const requests: [string, () => Promise<Answer>][] = [
  ['a full goal', () => read({ kind: 'goal', id: ids.goal(7) })],
  ['a page of goals', () => read({ kind: 'page' })],
  ['a reopened goal', () => world.post(restPaths.reopenGoal, token, { id: ids.closedGoal(7) })],
  ['a deleted file', () => world.post(restPaths.deleteResourceHubFile, token, { file_id: ids.file(7) })],
  [
    'a restored document',
    () =>
      world.post(restPaths.restoreDocumentVersion, token, {
        document_id: ids.document(7),
        version_number: 1,
        expected_current_version: 3,
      }),
  ],
];

describe('among thousands of records', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const sizes = { ...usualSizes, goals: table, documents: table, versions: 3, recipients: 10, pool: table };
    await world.sql(dataSql(sizes));
    await world.sql('VACUUM ANALYZE');
    await world.graphql(token, '{ viewer { person { id } } }');
  }, 120_000);

  test.each(requests)('no statement for %s examines more than its own', async (_, request) => {
    const { result, statements } = await statementsOf(request);
    expect(result.status).toBe(200);
    const plans = await plansOf(world.url, statements);
    // Most are the hundred records of each folder above, which are counted.
    for (const { rows } of plans) expect(rows).toBeLessThan(table / 4);
    const whole = plans.flatMap(({ sequential }) => sequential);
    expect(whole.filter((name) => large.includes(name))).toEqual([]);
  });
});
