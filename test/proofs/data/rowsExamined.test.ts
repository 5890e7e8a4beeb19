import { beforeAll, describe, expect, test } from 'vitest';
import { dataSql, ids, callersToken as token, usualSizes } from '../../../bench/comparison/dataset.js';
import { graphql } from '../../../bench/comparison/spelling.js';
import { eventCursor } from '../../../src/events/event.js';
import { eventSource } from '../../../src/events/source.js';
import { numberEvents, poll, waitingCompanies } from '../../../src/platform/outbox/sequence.js';
import { newId } from '../../../src/platform/postgres/values.js';
import { usesPgbouncer } from '../../support/pgbouncer.js';
import { forAnother, plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { type Answer, createWorld, restPaths } from '../../support/world.js';

const world = await createWorld();
const table = 4_000;
let inTheMiddle: string;
let companyId: string;
const people = 3_000;
const large = [
  'goals',
  'activities',
  'document_versions',
  'resource_hub_documents',
  'resource_hub_files',
  'comments',
  'people',
  'space_members',
];

const feed =
  'query ($after: String) { events(after: $after) { nodes { type activity { name } } pageInfo { endCursor } } }';

const nodes = `{ resourceHub(id: "hub") { nodes(first: 10) { nodes {
  id ... on ResourceHubFolder { childrenCount nodes(first: 10) { nodes { ... on ResourceHubFile { pathToFile { name } } } } }
} } } }`;

const read = (call: Parameters<typeof graphql>[0], to = world) => to.post('/graphql', token, graphql(call).body);

/** Each for the nth record of its kind. */
const requests: [string, (n: number, to?: typeof world) => Promise<Answer>][] = [
  ['a full goal', (n, to) => read({ kind: 'goal', id: ids.goal(n) }, to)],
  ['a page of goals', (_n, to) => read({ kind: 'page' }, to)],
  ['a reopened goal', (n, to = world) => to.post(restPaths.reopenGoal, token, { id: ids.closedGoal(n) })],
  [
    'a reopened goal that names people',
    (n, to = world) =>
      to.post(restPaths.reopenGoal, token, { id: ids.closedGoal(n), subscriber_ids: [1, 2, 3].map(ids.person) }),
  ],
  [
    'a page of events',
    (_n, to = world) => to.post('/graphql', token, { query: feed, variables: { after: inTheMiddle } }),
  ],
  ['a deleted file', (n, to = world) => to.post(restPaths.deleteResourceHubFile, token, { file_id: ids.file(n) })],
  [
    'a restored document',
    (n, to = world) =>
      to.post(restPaths.restoreDocumentVersion, token, {
        document_id: ids.document(n),
        version_number: 1,
        expected_current_version: 3,
      }),
  ],
  ['a hub and its folders', (_n, to = world) => to.post('/graphql', token, { query: nodes })],
];

/** The ids of the nth record of each kind, and of one that no request is for. */
const another = (n: number) =>
  new Map([ids.goal, ids.closedGoal, ids.file, ids.document].map((of) => [of(n), of(n + table / 2)]));

describe('among thousands of records', () => {
  beforeAll(async () => {
    const sizes = { ...usualSizes, goals: table, documents: table, versions: 3, recipients: people, pool: table };
    await world.sql(dataSql(sizes));
    const companies = await world.sql('SELECT company_id AS id, count(*) FROM activities GROUP BY 1 ORDER BY 2 DESC');
    companyId = companies[0]?.id;
    for (const { id } of companies) while ((await numberEvents(world.db, eventSource, id)).hasMore);
    await world.sql('VACUUM ANALYZE');
    const [{ id }] = await world.sql('SELECT id FROM activities WHERE company_id = $1 AND sequence = $2', [
      companyId,
      table / 2,
    ]);
    inTheMiddle = eventCursor(table / 2, id);
    await world.graphql(token, '{ viewer { person { id } } }');
  });

  test.each(requests.map(([what, request], n) => ({ what, request, n })))(
    'no statement for $what examines more than its own',
    async ({ request, n }) => {
      const since = newId();
      const { result, statements } = await statementsOf(() => request(n));
      expect(result.status).toBe(200);
      const plans = await plansOf(world.url, forAnother(another(n), since, statements));
      // Most are the hundred records of each folder above, which are counted.
      for (const { rows } of plans) expect(rows).toBeLessThan(table / 4);
      const whole = plans.flatMap(({ sequential }) => sequential);
      expect(whole.filter((name) => large.includes(name))).toEqual([]);
    },
  );

  // Debian's PgBouncer prepares nothing.
  test.skipIf(usesPgbouncer)(
    'no statement is planned for each request, but those that find a page of events',
    async () => {
      const alone = world.twin(1);
      for (const [, request] of requests) {
        for (let n = 100; n < 110; n += 1) expect((await request(n, alone)).status).toBe(200);
      }
      const prepared = await alone.db.$queryRaw<{ statement: string }[]>`
      SELECT statement, custom_plans FROM pg_prepared_statements WHERE custom_plans > 6 AND statement !~ 'AS looked'`;
      expect(prepared).toEqual([]);
      expect(await alone.db.$queryRaw`SELECT 1 FROM pg_prepared_statements WHERE generic_plans > 0`).not.toEqual([]);
    },
  );

  test('numbering examines what waits, and the poll finds it by what waits', async () => {
    const reopen = (n: number) => world.post(restPaths.reopenGoal, token, { id: ids.closedGoal(n) });
    for (const n of [50, 51]) await reopen(n);
    const parts = [{ select: waitingCompanies(eventSource), onFound: () => {} }];
    const { statements } = await statementsOf(async () => {
      await poll(world.db, parts);
      await numberEvents(world.db, eventSource, companyId);
    });
    for (const n of [52, 53]) await reopen(n);
    const plans = await plansOf(world.url, statements);
    for (const { rows } of plans) expect(rows).toBeLessThan(40);
    expect(plans.flatMap(({ sequential }) => sequential).filter((name) => large.includes(name))).toEqual([]);
  });
});

// As after an upgrade of PostgreSQL, which forgets its statistics, and for a minute after many rows have come.
describe('among hundreds of hubs of which PostgreSQL knows nothing yet', async () => {
  const hubs = 150;
  const fresh = await createWorld();
  const { company, caller, space } = await fresh.team();
  let last: { goal: string; document: string; file: string };

  const answers: [string, () => Promise<Answer>][] = [
    [
      'a document',
      () => fresh.graphql(caller.token, '{ resourceHubDocument(id: "ID") { id } }'.replace('ID', last.document)),
    ],
    ['a goal', () => fresh.graphql(caller.token, '{ goal(id: "ID") { id } }'.replace('ID', last.goal))],
    ['a reopened goal', () => fresh.post(restPaths.reopenGoal, caller.token, { id: last.goal })],
    [
      'a restored document',
      () =>
        fresh.post(restPaths.restoreDocumentVersion, caller.token, {
          document_id: last.document,
          version_number: 1,
          expected_current_version: 2,
        }),
    ],
    ['a deleted file', () => fresh.post(restPaths.deleteResourceHubFile, caller.token, { file_id: last.file })],
  ];

  beforeAll(async () => {
    const tables = ['goals', 'resource_hubs', 'resource_hub_documents', 'document_versions', 'activities'];
    for (const name of tables) await fresh.sql(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
    for (let n = 0; n < hubs; n += 1) {
      const goal = await fresh.closedGoal(space);
      const hub = await fresh.hub(company, { goalId: goal.id });
      const document = await fresh.document(hub, caller, ['one', 'two']);
      last = { goal: goal.id, document: document.id, file: (await fresh.file(hub, caller)).id };
    }
    await fresh.graphql(caller.token, '{ viewer { person { id } } }');
  });

  test.each(answers)('no statement for %s compares each with each', async (_what, answer) => {
    const { result, statements } = await statementsOf(answer);
    expect(result.status).toBe(200);
    // What was done is asked for again: it is found in the same way, and nothing is written.
    const plans = await plansOf(fresh.url, statements);
    for (const { handled } of plans) expect(handled).toBeLessThan(40 * hubs);
  });
});
