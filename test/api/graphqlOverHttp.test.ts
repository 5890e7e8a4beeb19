import { serverAudits } from 'graphql-http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld, type Json, World } from '../support/world.js';

const world = await createWorld();
let authorization: string;
let token: string;

beforeAll(async () => {
  const { readOnlyToken } = await world.person(await world.company());
  token = readOnlyToken;
  authorization = `Bearer ${token}`;
});

// The audits of graphql-http, with a token: without one the answer to everything is 401 (docs/errors.md, "Order of checks").
const fetchFn = (url: string, init: RequestInit = {}) =>
  world.fetchAt(
    new Request(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), authorization } }),
  );

const audits = serverAudits({ url: 'http://gateway.test/graphql', fetchFn });

test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
  const result = await audit.fn();
  expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
});

test('the fields of an answer come in the order of the request, whichever is read first', async () => {
  const query = `{ goals(first: 1) { totalCount nodes { id } pageInfo { hasNextPage } } viewer { person { id } } __typename }`;
  const { body } = await world.graphql(token, query);
  expect(Object.keys(body.data)).toEqual(['goals', 'viewer', '__typename']);
  expect(Object.keys(body.data.goals)).toEqual(['totalCount', 'nodes', 'pageInfo']);
});

test.each(['catch', 'toJSON', '__proto__'])('a field of an answer may be named %s, whatever its type', async (name) => {
  const { caller, space } = await world.team();
  const { id } = await world.closedGoal(space);
  const goals = `goals(first: 1) { nodes { ${name}: id } }`;
  const query = `{ viewer { ${name}: person { ${name}: id } } ${goals} ${name}: __typename }`;
  const { status, body } = await world.graphql(caller.token, query);
  expect([status, body.errors]).toEqual([200, undefined]);
  const own = (value: object) => Object.getOwnPropertyDescriptor(value, name)?.value;
  expect(own(own(body.data.viewer))).toBe(caller.id);
  expect(own(body.data.goals.nodes[0])).toBe(id);
  expect(own(body.data)).toBe('Query');
});

test('no field of a response may be named then, for which JavaScript would take its object for a promise', async () => {
  const { body } = await world.graphql(token, '{ viewer { then: person { id } } }');
  expect(body.errors[0].extensions.code).toBe('BAD_REQUEST');
  expect(body.errors[0].message).toBe(
    'An alias cannot be "then": JavaScript takes an object with that member for a promise.',
  );
});

describe('a failure', () => {
  const query = '{ viewer { person { id } } }';
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    Object.assign(tokens, { UNAUTHENTICATED: 'gp_x', NOT_FOUND: (await world.person(await world.company())).token });
  });

  test.each([
    ['a syntax error', '{', 'GRAPHQL_PARSE_FAILED', 200, 400],
    ['an argument of the wrong type', '{ goals(first: 1000) { nodes { id } } }', 'BAD_USER_INPUT', 200, 400],
    [
      'a change of what nobody has',
      'mutation { reopenGoal(input: { id: "x" }) { goal { id } } }',
      'NOT_FOUND',
      200,
      404,
    ],
    [
      'a mutation with a read-only token',
      'mutation { reopenGoal(input: {}) { goal { id } } }',
      'READ_ONLY_TOKEN',
      403,
      403,
    ],
    ['an unknown token', query, 'UNAUTHENTICATED', 401, 401],
  ])('%s has the status that docs/errors.md says', async (_what, document, code, json, response) => {
    for (const [accept, status] of [
      ['application/json', json],
      ['*/*', json],
      ['application/graphql-response+json', response],
    ] as const) {
      const answer = await world.graphql(tokens[code] ?? token, document, {}, { accept });
      expect([answer.status, answer.body.errors[0].extensions.code, accept]).toEqual([status, code, accept]);
      expect(answer.body.data ?? null).toBeNull();
    }
  });
});

test.each([
  ['{ viewer { person { id } } }', 200],
  ['query A { __typename } query B { __typename }', 400],
])('%s with an empty operationName is %i, as without one', async (query, expected) => {
  for (const name of [{}, { operationName: '' }]) {
    const search = new URLSearchParams({ query, ...name });
    const { status } = await world.fetch(`/graphql?${search}`, { headers: { authorization } });
    expect([status, name]).toEqual([expected, name]);
    const posted = await world.post(
      '/graphql',
      token,
      { query, ...name },
      { accept: 'application/graphql-response+json' },
    );
    expect([posted.status, name]).toEqual([expected, name]);
  }
});

test('a variable that is missing is 400', async () => {
  const { status, body } = await world.graphql(token, 'query ($n: Int!) { goals(first: $n) { totalCount } }');
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
});

test.each([0, 1, 10])('a batch of %i gets one refusal', async (size) => {
  const batch = Array(size).fill({ query: '{ viewer { person { id } } }' });
  const { status, body } = await world.post('/graphql', token, batch);
  const message = expect.stringMatching(/^Batches are not supported\./);
  expect([status, body]).toEqual([400, { errors: [expect.objectContaining({ message })] }]);
});

test.each([
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['SERVICE_UNAVAILABLE', 'NOT_FOUND'],
])(
  'of several failures a response without data has the highest status, in whatever order they are asked: %s, %s',
  async (...order) => {
    const db = openModels({ url: world.url, poolSize: 3, preparedStatements });
    const small = new World(db, world.url, { databaseTimeouts: { response: 1_000 } });
    onTestFinished(async () => {
      await small.close();
      await db.$disconnect();
    });
    const { caller: someone } = await small.team();
    const failing: Json = { NOT_FOUND: 'goal(id: "unknown") { id }', SERVICE_UNAVAILABLE: 'spaces { nodes { id } }' };
    await world.holding('LOCK TABLE spaces IN ACCESS EXCLUSIVE MODE');
    const query = `{ ${order.map((code) => failing[code]).join(' ')} }`;
    const { status, body } = await small.graphql(someone.token, query);
    expect(body.data).toBeNull();
    expect([status, body.errors.map(({ extensions }: Json) => extensions.code)]).toEqual([
      503,
      ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    ]);
  },
);
