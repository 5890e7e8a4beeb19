import { describe, expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { space, caller } = await world.team();

/** A token that this gateway has looked up, and that is not valid any more. */
async function ended(ending: string): Promise<string> {
  const owner = await world.person(space, { isOwner: true });
  await world.grant(space, owner, 70, { spaceId: space.id });
  for (let use = 0; use < 2; use += 1)
    expect((await world.graphql(owner.token, '{ viewer { person { id } } }')).status).toBe(200);
  await world.sql(ending, [owner.id]);
  return owner.token;
}

const endings = [
  'UPDATE api_tokens SET revoked_at = now() WHERE person_id = $1',
  'UPDATE api_tokens SET expires_at = now() WHERE person_id = $1',
  'UPDATE people SET suspended_at = now() WHERE id = $1',
];

const refused = { status: 401, code: 'UNAUTHENTICATED' };
const outcomeOf = ({ status, body }: { status: number; body: Json }) => ({
  status,
  code: body?.code ?? body?.errors?.[0]?.extensions?.code,
});

describe('a token that a gateway knows is refused as soon as it is revoked or expires, or its person is suspended:', async () => {
  const goal = await world.closedGoal(space);
  const graphql = (query: string) => (token: string) => world.graphql(token, query);
  const rest =
    (body: Json, headers = {}) =>
    (token: string) =>
      world.post(restPaths.reopenGoal, token, body, headers);
  test.each<[string, (token: string) => Promise<{ status: number; body: Json }>]>([
    ['a query', graphql(`{ goal(id: "${goal.id}") { id } }`)],
    ['nothing of the database', graphql('{ __typename }')],
    ['the schema', graphql('{ __schema { types { name } } }')],
    ['a mutation', graphql(`mutation { reopenGoal(input: { id: "${goal.id}" }) { goal { id } } }`)],
    ['a webhook', graphql('mutation { createWebhook(input: { url: "https://example.com/" }) { webhook { id } } }')],
    ['a change over REST', rest({ id: goal.id })],
    ['a change with a key', rest({ id: goal.id }, { 'idempotency-key': 'once' })],
    ['a tool', (token) => world.post('/mcp', token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })],
  ])('%s', async (_what, ask) => {
    const written = 'SELECT (SELECT count(*) FROM activities) AS a, (SELECT count(*) FROM webhooks) AS w';
    const before = await world.sql(written);
    for (const ending of endings) {
      const token = await ended(ending);
      expect(outcomeOf(await ask(token)), ending).toEqual(refused);
      expect(outcomeOf(await ask(token)), 'again').toEqual(refused);
    }
    expect(await world.sql(written)).toEqual(before);
  });
});

test('the token goes with the first statement, in one message, and the others wait for it', async () => {
  await world.graphql(caller.token, '{ viewer { person { id } } }');
  const goal = await world.goal(space);
  const query = `{ a: goal(id: "${goal.id}") { id } b: goal(id: "${goal.id}") { name } viewer { person { id } } }`;
  const { statements, result } = await statementsOf(() => world.graphql(caller.token, query));
  expect(result.status).toBe(200);
  expect(statements.filter(({ text }) => text.includes('require_known_token'))).toHaveLength(1);
  expect(statements[0]?.text).toContain('require_known_token');
});

test.each([
  ['the company of an unknown token', 'token_companies', 'unknown'],
  ['a token', 'api_tokens', 'new'],
  ['the person of a token', 'people', 'new'],
  ['a token that is in use', 'api_tokens', 'known'],
])('a look-up of %s that hangs is given up within what a request may wait', async (_what, table, kind) => {
  const db = openModels({ url: world.url, poolSize: 3, preparedStatements });
  const small = new World(db, world.url, { databaseTimeouts: { response: 500 } });
  onTestFinished(async () => {
    await small.close();
    await db.$disconnect();
  });
  const { token } = await small.person(space);
  const ask = () => small.graphql(kind === 'unknown' ? `gp_${'x'.repeat(43)}` : token, '{ viewer { person { id } } }');
  if (kind === 'known') expect((await ask()).status).toBe(200);
  const { release } = await world.holding(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const startedAt = performance.now();
  const released = setTimeout(() => void release(), 3_000);
  const response = await ask();
  const took = performance.now() - startedAt;
  clearTimeout(released);
  expect(outcomeOf(response)).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(took).toBeLessThan(2_500);
});

test('a first statement that fails says so, and the connection serves the next request', async () => {
  const goal = await world.closedGoal(space);
  await world.graphql(caller.token, '{ viewer { person { id } } }');
  await world.sql('ALTER TABLE goals RENAME COLUMN name TO other_name');
  const query = `{ goal(id: "${goal.id}") { id name } }`;
  const failed = await world
    .graphql(caller.token, query)
    .finally(() => world.sql('ALTER TABLE goals RENAME COLUMN other_name TO name'));
  expect(outcomeOf(failed).code).toBe('INTERNAL_SERVER_ERROR');
  for (let again = 0; again < 3; again += 1)
    expect(await world.graphql(caller.token, query)).toMatchObject({
      status: 200,
      body: { data: { goal: { id: goal.id } } },
    });
});
