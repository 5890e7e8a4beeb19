import { describe, expect, test } from 'vitest';
import type { Operation } from '../support/operations.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { caller } = await world.team();

type Errors = [field: string, code: string][];

const spelled: Record<string, string> = {
  documentId: 'document_id',
  versionNumber: 'version_number',
  expectedCurrentVersion: 'expected_current_version',
};
const restoration = { documentId: 'nobody-knows', versionNumber: 1, expectedCurrentVersion: 3 };
const numbers = ['versionNumber', 'expectedCurrentVersion'] as const;

const bad: [Operation, string, Json, Errors][] = [
  ...Object.entries(spelled).flatMap(([name, field]): [Operation, string, Json, Errors][] => [
    ['restoreDocumentVersion', `${field} missing`, { ...restoration, [name]: undefined }, [[field, 'required']]],
    ['restoreDocumentVersion', `${field} null`, { ...restoration, [name]: null }, [[field, 'null']]],
    ['restoreDocumentVersion', `${field} an array`, { ...restoration, [name]: [1] }, [[field, 'type']]],
    ['restoreDocumentVersion', `${field} an object`, { ...restoration, [name]: {} }, [[field, 'type']]],
  ]),
  ...numbers.flatMap((name): [Operation, string, Json, Errors][] =>
    (
      [
        [0, 'too_small'],
        [-1, 'too_small'],
        [2_147_483_648, 'too_large'],
        [1.5, 'type'],
        ['1', 'type'],
        [true, 'type'],
      ] as const
    ).map(([value, code]) => [
      'restoreDocumentVersion',
      `${spelled[name]} ${JSON.stringify(value)}`,
      { ...restoration, [name]: value },
      [[spelled[name] ?? '', code]],
    ]),
  ),
  ['restoreDocumentVersion', 'nothing', {}, Object.values(spelled).map((field) => [field, 'required'])],
  ['restoreDocumentVersion', 'a field too many', { ...restoration, force: true }, [['force', 'unknown']]],
  [
    'restoreDocumentVersion',
    'everything wrong',
    { versionNumber: 0, expectedCurrentVersion: null, force: 1 },
    [
      ['document_id', 'required'],
      ['version_number', 'too_small'],
      ['expected_current_version', 'null'],
      ['force', 'unknown'],
    ],
  ],
  ['deleteResourceHubFile', 'file_id an object', { fileId: {} }, [['file_id', 'type']]],
  [
    'reopenGoal',
    'every field ill-typed',
    { id: {}, message: 1, sendNotificationsToEveryone: 'yes', subscriberIds: [{}] },
    [
      ['id', 'type'],
      ['message', 'type'],
      ['send_notifications_to_everyone', 'type'],
      ['subscriber_ids[0]', 'type'],
    ],
  ],
  [
    'reopenGoal',
    'an ill-typed and a null subscriber id',
    { subscriberIds: ['a', {}, null] },
    [
      ['subscriber_ids[1]', 'type'],
      ['subscriber_ids[2]', 'null'],
    ],
  ],
  ['reopenGoal', 'an unknown field named like a method', { toString: 1 }, [['to_string', 'unknown']]],
];

const sorted = (errors: Json[]) => errors.map(({ field, code }) => [field, code]).sort();

describe.each(surfaces)('bad input through %s is 400, naming every bad field', (surface) => {
  test.each(bad)('%s: %s', async (operation, _, input, errors) => {
    const outcome = await perform(world, surface, operation, caller.token, input);
    expect(outcome).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(Object.keys(outcome.members)).toEqual(['errors']);
    expect(sorted(outcome.members.errors)).toEqual(errors.sort());
    for (const { message } of outcome.members.errors) expect(message).toMatch(/\w/);
  });

  test.each(numbers)('but the largest %s is fine', async (name) => {
    const input = { ...restoration, [name]: 2_147_483_647 };
    const outcome = await perform(world, surface, 'restoreDocumentVersion', caller.token, input);
    expect(outcome).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});

describe('REST takes JSON as it is documented', () => {
  test.each([
    ['a number for an id', { id: 7 }, 'id'],
    ['one id for a list of ids', { subscriber_ids: 'a' }, 'subscriber_ids'],
    ['a name as GraphQL spells it', { subscriberIds: [] }, 'subscriberIds'],
    ['a field of every object', '{"__proto__": 1}', '__proto__'],
  ])('%s is 400', async (_, body, field) => {
    const answer = await world.post(restPaths.reopenGoal, caller.token, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', errors: [{ field }] } });
  });

  test('a misspelled field gets a hint', async () => {
    const { body } = await world.post(restPaths.deleteResourceHubFile, caller.token, { file_di: 'a' });
    expect(body.errors).toEqual([
      { field: 'file_di', code: 'unknown', message: 'is not a field (did you mean "file_id"?)' },
    ]);
  });
});

describe('GraphQL checks what it is given however it is written', () => {
  const tooLong = 'a'.repeat(100_001);
  const reopenings: [string, string, Json][] = [
    ['a literal', `mutation { reopenGoal(input: { message: "${tooLong}" }) { goal { id } } }`, {}],
    [
      'a second field',
      'mutation ($m: String) { a: reopenGoal(input: {}) { goal { id } } b: reopenGoal(input: { message: $m }) { goal { id } } }',
      { m: tooLong },
    ],
  ];
  test.each(reopenings)('a message that is too long in %s is 400', async (_, document, variables) => {
    const { status, body } = await world.graphql(caller.token, document, variables);
    expect({ status, code: body.errors?.[0].extensions.code }).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
    expect(body.errors[0].extensions.errors).toMatchObject([{ field: 'input.message', code: 'too_long' }]);
  });

  test('a variable named __proto__, which would lose its value, is refused', async () => {
    const document = 'mutation ($__proto__: ID) { reopenGoal(input: { id: $__proto__ }) { goal { id } } }';
    const { body } = await world.graphql(caller.token, document, JSON.parse('{"__proto__": "x"}'));
    expect(body.errors[0].extensions.code).toBe('BAD_REQUEST');
  });

  test.each(['constructor', 'toString'])('a variable named %s that is not given is absent', async (name) => {
    const document = `mutation ($${name}: ID) { reopenGoal(input: { id: $${name} }) { goal { id } } }`;
    expect(await world.graphql(caller.token, document)).toMatchObject({
      status: 200,
      body: { data: { reopenGoal: { goal: null } } },
    });
  });
});

describe('of more than a hundred bad fields', () => {
  const subscriberIds = Array.from({ length: 101 }, () => ({}));
  const last = { field: '', code: 'too_many', message: 'there are more invalid fields than are named' };

  test.each(surfaces)('%s names a hundred, and says that there are more', async (surface) => {
    const outcome = await perform(world, surface, 'reopenGoal', caller.token, { subscriberIds });
    expect(outcome).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(outcome.members.errors).toHaveLength(101);
    expect(outcome.members.errors[99]).toMatchObject({ field: 'subscriber_ids[99]', code: 'type' });
    expect(outcome.members.errors[100]).toEqual(last);
    expect(outcome.detail).toMatch(/\[4\]: must be a string[^;]*; and more$/);
  });

  test.each(surfaces)('%s names a hundred, also if they are people who do not exist', async (surface) => {
    const unknown = subscriberIds.map((_, index) => `nobody-${index}`);
    const outcome = await perform(world, surface, 'reopenGoal', caller.token, { id: 'x', subscriberIds: unknown });
    expect(outcome.members.errors).toHaveLength(101);
    expect(outcome.members.errors[99]).toMatchObject({ field: 'subscriber_ids[99]', code: 'not_found' });
    expect(outcome.members.errors[100]).toEqual(last);
  });
});

describe('the answer to a large bad request is small:', () => {
  const long = 'x'.repeat(400_000);
  const numbered = (count: number) => Array.from({ length: count }, (_, number) => `n${number}`);
  const aliased = (field: string, count = 19) =>
    numbered(count)
      .map((alias) => `${alias}: ${field}`)
      .join(' ');
  /** As many as the limit of complexity allows. */
  const previews = 4;
  const preview = aliased('previewReopenGoal(input: { id: "x", subscriberIds: $i }) { wouldChange }', previews);
  const viewer = '{ viewer { person { id } } }';
  const rest = (input: Json) => [restPaths.reopenGoal, JSON.stringify(input)] as const;
  const graphql = (query: string, variables: Json = {}, more: Json = {}) =>
    ['/graphql', JSON.stringify({ query, variables, ...more })] as const;

  const requests: [string, number, string, readonly [path: string, body: string]][] = [
    ['a list of bad values', 400, 'BAD_USER_INPUT', rest({ subscriber_ids: numbered(20_000).map(() => 0) })],
    ['a long text that is no JSON', 400, 'MALFORMED_JSON', [restPaths.reopenGoal, `{"${long}":1,${long}}`]],
    ['unknown people', 400, 'BAD_USER_INPUT', rest({ id: 'x', subscriber_ids: numbered(10_000) })],
    [
      'unknown people in many fields',
      200,
      'BAD_USER_INPUT',
      graphql(`query ($i: [ID!]) { ${preview} }`, { i: numbered(10_000) }),
    ],
    ['a syntax error in a long text', 400, 'GRAPHQL_PARSE_FAILED', graphql(`{ viewer(x: "${long}" "${long}`)],
    ['an unknown parameter with a long name', 400, 'BAD_REQUEST', graphql(viewer, {}, { [long]: 1 })],
  ];
  test.each(requests)('%s', async (_, status, code, [path, body]) => {
    const headers = { accept: 'application/graphql-response+json, application/json' };
    const answer = await world.post(path, caller.token, body, headers);
    const { extensions: members = answer.body } = answer.body.errors?.[0] ?? {};
    expect([answer.status, members.code ?? answer.body.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(50_000);
  });
});
