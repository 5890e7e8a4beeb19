import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { walk } from '../support/walk.js';
import { createWorld, type World } from '../support/world.js';

/** A world whose database, and whose role there, prefer another time zone and another spelling of dates. */
async function worldIn(zone: string): Promise<World> {
  // Connections that are there already would keep what they began with.
  const world = await createWorld({ isAlone: true });
  const { pathname, username } = new URL(world.url);
  const database = pathname.slice(1);
  for (const whose of [`DATABASE ${database}`, `ROLE ${username} IN DATABASE ${database}`]) {
    await world.sql(`ALTER ${whose} SET timezone = '${zone}'`);
    await world.sql(`ALTER ${whose} SET datestyle = 'German'`);
  }
  return world;
}

const world = await worldIn('America/New_York');

describe('with a PostgreSQL that prefers the time of another place', () => {
  test('a list by time is paged through in both directions, each row once', async () => {
    const { caller, space } = await world.team();
    const times = [1, 2, 3, 4, 5].map((hour) => new Date(Date.UTC(2026, 1, 1, hour)));
    for (const insertedAt of times) await world.goal(space, { insertedAt });
    const document = `query ($after: String, $direction: OrderDirection!) {
      goals(first: 1, after: $after, orderBy: { field: INSERTED_AT, direction: $direction }) {
        nodes { insertedAt } pageInfo { endCursor hasNextPage } } }`;
    const seen = async (direction: string) => {
      const ask = (after: string | null) => world.graphql(caller.token, document, { after, direction });
      return (await walk(async (after) => (await ask(after)).body.data.goals)).map(({ insertedAt }) => insertedAt);
    };
    const expected = times.map((time) => time.toISOString());
    expect([await seen('ASC'), await seen('DESC')]).toEqual([expected, expected.toReversed()]);
  });

  test.each([
    ['has expired half an hour ago', -30, 401],
    ['expires in half an hour', 30, 200],
  ])('a token that %s has the right time', async (_, minutes, status) => {
    const { caller } = await world.team();
    const expiresAt = new Date(Date.now() + minutes * 60_000);
    const owner = { companyId: caller.companyId, personId: caller.id };
    const { id, token } = await createToken(world.db, { ...owner, name: 'test', expiresAt });
    const answer = await world.graphql(token, '{ viewer { token { expiresAt } } }');
    expect(answer.status).toBe(status);
    const stored = `SELECT expires_at = $2::timestamptz AS "isRight" FROM api_tokens WHERE id = $1`;
    expect(await world.sql(stored, [id, expiresAt.toISOString()])).toEqual([{ isRight: true }]);
  });

  test('a date from before time zones is read', async () => {
    const { caller, space } = await world.team();
    const { id } = await world.goal(space, { insertedAt: new Date('1000-06-01T00:00:00Z') });
    const { body } = await world.graphql(caller.token, 'query ($id: ID!) { goal(id: $id) { insertedAt } }', { id });
    expect(body).toEqual({ data: { goal: { insertedAt: '1000-06-01T00:00:00.000Z' } } });
  });
});
