import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { createToken } from '../../src/tokens.js';
import { asAdministrator } from '../support/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { space } = await world.team();

/** A token that this gateway has looked up, and that is not valid any more. */
async function revoked(ending: string) {
  const owner = await world.person(space, { isOwner: true });
  await world.db.spaceMember.create({
    data: { companyId: space.companyId, spaceId: space.id, personId: owner.id },
  });
  const given = { companyId: owner.companyId, personId: owner.id, name: 'test', canWrite: true };
  const { id, token } = await createToken(world.db, given);
  for (let use = 0; use < 2; use += 1)
    expect((await world.graphql(token, '{ viewer { person { id } } }')).status).toBe(200);
  await world.sql(ending, [id]);
  return token;
}

const refused = { status: 401, code: 'UNAUTHENTICATED' };
const outcomeOf = ({ status, body }: { status: number; body: Json }) => ({
  status,
  code: body?.code ?? body?.errors?.[0]?.extensions?.code,
});

describe('a token that a gateway knows is refused by the request after its revocation, whatever that asks for:', async () => {
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
    const before = await world.sql(
      'SELECT (SELECT count(*) FROM activities) AS a, (SELECT count(*) FROM webhooks) AS w',
    );
    for (const ending of [
      'UPDATE api_tokens SET revoked_at = now() WHERE id = $1',
      'UPDATE api_tokens SET expires_at = now() WHERE id = $1',
      'UPDATE people SET suspended_at = now() WHERE id = (SELECT person_id FROM api_tokens WHERE id = $1)',
    ]) {
      const token = await revoked(ending);
      expect(outcomeOf(await ask(token)), ending).toEqual(refused);
      expect(outcomeOf(await ask(token)), 'again').toEqual(refused);
    }
    expect(
      await world.sql('SELECT (SELECT count(*) FROM activities) AS a, (SELECT count(*) FROM webhooks) AS w'),
    ).toEqual(before);
  });
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
  const holder = new pg.Client({ connectionString: asAdministrator(world.url) });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const startedAt = performance.now();
  const release = setTimeout(() => void holder.query('ROLLBACK'), 3_000);
  const response = await ask();
  const took = performance.now() - startedAt;
  clearTimeout(release);
  await holder.end();
  expect(outcomeOf(response)).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(took).toBeLessThan(2_500);
});
