import { describe, expect, test } from 'vitest';
import { type Operation, operations, operationsUnderTest, recordOf } from '../support/operations.js';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

const wrong = { code: 'BAD_USER_INPUT' };
const tooLarge = { field: 'first', code: 'too_large', message: 'must be at most 100' };

/** A setting of its own with something to change for an operation, and what tells whether it has changed. */
async function setting(operation: Operation) {
  const { company, caller, space } = await world.team();
  return {
    caller,
    input: camelKeys(await operationsUnderTest[operation].input(world, { company, space, caller })),
    activities: () => world.db.activity.count({ where: { companyId: company.companyId } }),
  };
}

const camelKeys = (input: Json): Json =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]),
  );

describe.each(operations)('a bad argument in what %s returns', (name) => {
  test.each([{}, { 'idempotency-key': 'arguments' }])(
    'changes nothing, and is not stored, with the headers %j',
    async (headers) => {
      const { caller, input, activities } = await setting(name);
      const send = (first: number) =>
        world.graphql(
          caller.token,
          mutation(name, `${recordOf(name)} { id activities(first: ${first}) { totalCount } }`),
          { input },
          headers,
        );
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
});

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
    [
      'with a cursor of another order',
      'query ($after: String) { goals(after: $after, orderBy: { field: NAME }) { totalCount } }',
      { after: Buffer.from('["goals.insertedAt",0,"2026-01-01T00:00:00.000Z","x"]').toString('base64url') },
      { field: 'after', code: 'invalid', message: cursors },
    ],
    [
      'with a text that is too short',
      '{ goals(filter: { text: " ab " }) { totalCount } }',
      {},
      {
        field: 'filter.text',
        code: 'too_short',
        message: 'must have a word of at least 3 characters, or of 2 in Chinese, Japanese or Korean',
      },
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
