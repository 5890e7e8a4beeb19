import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { reopening, sending } from '../support/rawHttp.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const parent = await world.goal(space);
for (const _ of [1, 2]) await world.goal(space, { parentGoalId: parent.id });

beforeEach(() => {
  world.log.length = 0;
});

describe('an unexpected failure', () => {
  /** Runs a query while a table is missing. */
  async function without(table: string, query: string): Promise<Json> {
    await world.sql(`ALTER TABLE ${table} RENAME TO ${table}_elsewhere`);
    try {
      return (await world.graphql(caller.token, query)).body;
    } finally {
      await world.sql(`ALTER TABLE ${table}_elsewhere RENAME TO ${table}`);
    }
  }

  test.each([
    ['one field', `{ goal(id: "${parent.id}") { activities { nodes { id } } } }`, 1],
    ['several fields that one query loads', '{ goals { nodes { parentGoal { activities { nodes { id } } } } } }', 2],
  ])('of %s is logged once, with the cause', async (_what, query, failures) => {
    const { errors } = await without('activities', query);
    expect(errors.length).toBeGreaterThanOrEqual(failures);
    const logged = world.log.filter(({ level }) => level === 50);
    expect(logged).toMatchObject([
      { msg: 'unexpected error', err: { code: '42P01', stack: expect.stringMatching(/\n +at /) } },
    ]);
  });
});

describe('what the database cannot do', () => {
  /** Makes each reopening of a goal fail as that state says, before or after what it has written is committed. */
  async function failing(when: string, state: string, run: () => Promise<Json>): Promise<Json> {
    await world.sql(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}', MESSAGE = 'cannot'; END $$;
      CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON activities ${when} FOR EACH ROW EXECUTE FUNCTION fail()`);
    try {
      return await run();
    } finally {
      await world.sql('DROP TRIGGER fail ON activities; DROP FUNCTION fail()');
    }
  }

  const unconfirmed = /The change may have been made: repeat it with the same Idempotency-Key/;

  test.each([
    ['DEFERRABLE INITIALLY DEFERRED', '53100'],
    ['NOT DEFERRABLE', '57P01'],
    ['NOT DEFERRABLE', '57014'],
  ])('%s, %s is the problem of its request, and no bug; and the change may have been made', async (when, state) => {
    const { id } = await world.closedGoal(space);
    world.log.length = 0;
    const { status, body } = await failing(when, state, () => world.post(restPaths.reopenGoal, caller.token, { id }));
    expect([status, body.code, body.detail]).toEqual([503, 'SERVICE_UNAVAILABLE', expect.stringMatching(unconfirmed)]);
    expect(world.log).toMatchObject([{ level: 30, msg: 'request', status: 503, problem: 'cannot' }]);
  });

  test('says nothing of a change if the request was none, or a lock was not to be had', async () => {
    const { id } = await world.closedGoal(space);
    const locked = await failing('NOT DEFERRABLE', '55P03', () =>
      world.post(restPaths.reopenGoal, caller.token, { id }),
    );
    expect([locked.status, locked.body.detail]).toEqual([503, expect.not.stringMatching(unconfirmed)]);
  });

  test('with a key, says it too; and so on GraphQL', async () => {
    const { id } = await world.closedGoal(space);
    const query = 'mutation ($id: ID!) { reopenGoal(input: { id: $id }) { goal { id } } }';
    for (const headers of [{}, { 'idempotency-key': 'lost' }]) {
      const { body } = await failing('NOT DEFERRABLE', '53100', () =>
        world.graphql(caller.token, query, { id }, headers),
      );
      expect(body.errors[0].message).toMatch(unconfirmed);
    }
  });
});

describe('a client that goes away', () => {
  const logged = () => expect.poll(() => world.log.length).toBe(1);

  test('in the middle of its body is one line of its request, and no error', async () => {
    const client = await sending(`${reopening(caller.token, 1000)}{"id":`, world);
    client.destroy();
    await logged();
    expect(world.log).toMatchObject([
      { level: 30, msg: 'request', status: 400, problem: expect.stringContaining('it ends before it is complete') },
    ]);
  });

  test('before its answer is one line of its request, and no error', async () => {
    const { release } = await world.holding('LOCK TABLE people IN ACCESS EXCLUSIVE MODE');
    const client = await sending(`${reopening(caller.token, 2)}{}`, world);
    await world.untilOneWaits();
    client.destroy();
    await setTimeout(100);
    await release();
    await logged();
    expect(world.log).toMatchObject([{ level: 30, msg: 'request', clientGone: true }]);
  });
});
