import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../../src/errors/catalogue.js';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import { storedMutations } from '../../../src/rest/routes.js';
import { textOf } from '../../support/documents.js';
import { randomRequest } from '../../support/randomQueries.js';
import { samplesIn, sumOf } from '../../support/scrape.js';
import { seedOf } from '../../support/seedOf.js';
import { createWorld, World } from '../../support/world.js';

const furniture = await createWorld();
const { caller } = await furniture.team();
const schema = buildSchema(textOf('schema.graphql'));
const seed = seedOf('METRIC_LABELS_SEED');

describe('the labels of the metrics', () => {
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const paths = [...storedMutations.map(({ path }) => path), '/graphql', '/healthz', '/readyz', '/', '/docs'];

  test('stay the same few after 1,000 random requests', async () => {
    const metrics = new Metrics({ poolSize: 20, connections: () => furniture.db.connectionUse() });
    const world = new World(furniture.db, furniture.url, { metrics });
    const pick = fc.sample(fc.gen(), { numRuns: 1000, seed });
    const known = { ids: ['none'], cursors: ['x'] };
    const send = (draw: fc.GeneratorValue) => {
      const word = draw(fc.string, { minLength: 1, maxLength: 20 });
      const name = `op_${draw(fc.nat)}`;
      const { query, variables } = randomRequest(schema, known, 'query', draw);
      const kinds = [
        () => world.graphql(caller.token, query.replace(/^query\b|^/, `query ${name} `), variables),
        () => world.graphql(caller.token, `query ${name} { ${name}: viewer { person { id } } ${name}x: __typename }`),
        () => world.graphql(caller.token, `{ ${name} { id } }`),
        () =>
          world.graphql(caller.readOnlyToken, `mutation ${name} { ${name}: reopenGoal(input: {}) { goal { id } } }`),
        () => fetchOf(`/${encodeURIComponent(word)}/${randomUUID()}`),
        () => fetchOf(`${draw(fc.constantFrom, ...paths)}?${encodeURIComponent(word)}`),
        () =>
          fetchOf(draw(fc.constantFrom, ...paths), {
            method: draw(fc.constantFrom, 'PUT', 'DELETE', 'OPTIONS', 'POST'),
          }),
      ];
      return draw(fc.constantFrom, ...kinds)();
    };
    const fetchOf = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${await world.base()}${path}`, { ...init, headers: { 'x-request-id': randomUUID() } })).text();
    for (let start = 0; start < pick.length; start += 20) await Promise.all(pick.slice(start, start + 20).map(send));

    const samples = samplesIn((await metrics.read()).text).filter(({ name }) => name.startsWith('goalpost_'));
    expect(sumOf(samples, 'goalpost_requests_total')).toBe(1000);
    const operations = new Set(samples.flatMap(({ labels }) => labels.operation ?? []));
    const allowed = [...roots, ...paths, 'several', 'introspection', 'unknown'];
    expect([...operations].filter((operation) => !allowed.includes(operation))).toEqual([]);
    const codes = new Set(samples.flatMap(({ labels }) => labels.code ?? []));
    expect([...codes].filter((code) => !errorCodes.some((known) => known === code))).toEqual([]);
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    expect([...labels].sort()).toEqual(['code', 'le', 'operation', 'status']);
    console.log(`${samples.length} samples with ${operations.size} operations after 1,000 random requests`);
  });
});
