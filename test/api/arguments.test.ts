import { describe, expect, test } from 'vitest';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

const wrong = { code: 'BAD_USER_INPUT' };
const tooLarge = { field: 'first', code: 'too_large', message: 'must be at most 100' };

test.each([{}, { 'idempotency-key': 'arguments' }])(
  'a bad argument in what a change returns changes nothing, and is not stored, with the headers %j',
  async (headers) => {
    const { company, caller, space } = await world.team();
    const { id } = await world.closedGoal(space);
    const send = (first: number) => {
      const query = mutation('reopenGoal', `goal { id activities(first: ${first}) { totalCount } }`);
      return world.graphql(caller.token, query, { input: { id } }, headers);
    };
    const activities = () => world.db.activity.count({ where: company });
    for (const _ of [1, 2]) {
      const { status, body } = await send(1000);
      expect([status, body.data]).toEqual([400, undefined]);
      expect(body.errors).toMatchObject([{ extensions: { ...wrong, errors: [tooLarge] } }]);
      expect(await activities()).toBe(0);
    }
    const { status, body } = await send(10);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(await activities()).toBe(1);
  },
);

describe('a bad argument is found before anything runs', () => {
  const cursors = 'is not a cursor of this list in this order';
  test.each([
    [
      'in a fragment',
      'query ($n: Int) { goals { ...Goals } } fragment Goals on GoalConnection { nodes { activities(first: $n) { totalCount } } }',
      { n: -1 },
      { field: 'first', code: 'too_small', message: 'must be at least 0' },
    ],
    [
      'in an inline fragment',
      '{ resourceHubs(first: 1) { nodes { nodes(first: 1) { nodes { ... on ResourceHubDocument { versions(after: "x") { totalCount } } } } } } }',
      {},
      { field: 'after', code: 'invalid', message: cursors },
    ],
    [
      'in a default value',
      'query ($n: Int = 101) { viewer { notifications(last: $n) { totalCount } } }',
      {},
      { field: 'last', code: 'too_large', message: 'must be at most 100' },
    ],
  ])('%s', async (_where, query, variables: Json, error) => {
    const { caller } = await world.team();
    const { status, body } = await world.graphql(caller.token, query, variables);
    expect([status, body.data]).toEqual([400, undefined]);
    expect(body.errors).toMatchObject([{ extensions: { ...wrong, errors: [error] } }]);
  });

  test.each([
    ['@skip(if: $no)', { no: true }],
    ['@include(if: $no)', { no: false }],
  ])('but not in a part that %s leaves out', async (directive, variables) => {
    const { caller } = await world.team();
    const query = `query ($no: Boolean!) { viewer { person { id } notifications(first: -1) ${directive} { totalCount } } }`;
    const { status, body } = await world.graphql(caller.token, query, variables);
    expect([status, body.data]).toEqual([200, { viewer: { person: { id: caller.id } } }]);
  });
});

test('each bad argument can be located: the path of its field, with the aliases, and its place in the document', async () => {
  const { caller } = await world.team();
  const query = `query ($n: Int) {
    one: goals(first: $n) { nodes { id } }
    two: goals(first: 1) { page: nodes { last: activities(first: -1, after: "x") { totalCount } } }
    events(first: 200) { nodes { id } }
  }`;
  const { body } = await world.graphql(caller.token, query, { n: 101 });
  const located = body.errors.map(({ path, locations, extensions: { code, errors } }: Json) => [
    path.join('.'),
    locations,
    code,
    errors.map(({ field }: Json) => field),
  ]);
  expect(located).toEqual([
    ['one', [{ line: 2, column: 5 }], 'BAD_USER_INPUT', ['first']],
    ['two.page.last', [{ line: 3, column: 42 }], 'BAD_USER_INPUT', ['first', 'after']],
    ['events', [{ line: 4, column: 5 }], 'BAD_USER_INPUT', ['first']],
  ]);
});
