import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createWorld, restPaths } from '../support/world.js';

const world = await createWorld({ bodyLimit: 100_000 });
const { caller } = await world.team();
const rest = Object.values(restPaths);
const paths = [...rest, '/graphql'];
async function send(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const answer = await world.fetch(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      accept: path === '/graphql' ? 'application/graphql-response+json' : '*/*',
      ...headers,
    },
    body,
  });
  const problem = Array.isArray(answer.body) ? answer.body[0] : answer.body;
  return { status: answer.status, headers: answer.headers, ...(path === '/graphql' ? flat(problem) : problem) };
}

const flat = ({ errors: [error] }: { errors: { message: string; extensions: object }[] }) => ({
  detail: error?.message,
  ...error?.extensions,
});

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

/** What is not JSON, or too deep: what it is, the body, and what the detail says. */
const malformed: [string, string, string][] = [
  ['empty', '', 'end of JSON'],
  ['a word', 'goal', "token 'g'"],
  ['an open object', '{"id":"g"', 'position 9'],
  ['a key without a value', '{\n  "id":\n}', "token '}'"],
  ['a trailing comma', '{"id":"g",}', 'position 10'],
  ['a leading zero', '{"id":01}', 'position 7'],
  ['a control character in a string', '{"message":"a\u0001b"}', 'position 13'],
  ['a byte order mark', '\uFEFF{}', 'JSON'],
  ['arrays 101 levels deep', `{"id":${deep('[', ']', 100)}}`, 'deeper than 100 levels'],
];

describe('a REST operation', () => {
  const path = restPaths.reopenGoal;

  test.each(malformed)('refuses %s with 400 and says where', async (_what, body, place) => {
    const answer = await send(path, body);
    expect([answer.status, answer.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(answer.detail).toContain(place);
  });

  test.each([
    ['a lone byte', [0x7b, 0xff, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses what is not UTF-8 with 400: %s', async (_what, bytes) => {
    const answer = await send(path, Uint8Array.from(bytes));
    expect([answer.status, answer.code]).toEqual([400, 'MALFORMED_JSON']);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
    'application/json; charset=latin1',
    'application/json, text/plain',
  ])('refuses %s with 415', async (type) => {
    const answer = await send(path, '{}', { 'content-type': type });
    expect([answer.status, answer.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each(['gzip', 'x-unknown'])('refuses a body encoded with %s with 415', async (encoding) => {
    const answer = await send(path, gzipSync('{}'), { 'content-encoding': encoding });
    expect([answer.status, answer.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(answer.headers.get('accept-encoding')).toBe('identity');
    expect(answer.detail).toBe('The request body is compressed. Send it uncompressed, without Content-Encoding.');
  });

  test('refuses a body without a type with 415', async () => {
    const answer = await send(path, new TextEncoder().encode('{}'), { 'content-type': '' });
    expect([answer.status, answer.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each(['[]', 'null', '"id"'])('refuses %s, which is no object, with 400', async (body) => {
    const answer = await send(path, body);
    expect([answer.status, answer.code]).toEqual([400, 'BAD_USER_INPUT']);
  });

  test.each(['application/json;charset=utf-8', 'APPLICATION/JSON; Charset="UTF-8"'])('takes %s', async (type) => {
    const answer = await world.post(path, caller.token, '{}', { 'content-type': type });
    expect(answer.status).not.toBe(415);
  });
});

// All paths read their bodies in the same way.
test.each(paths)('%s refuses one of each kind', async (path) => {
  const codeOf = async (body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) =>
    (await send(path, body, headers)).code;
  expect(await codeOf('{"id":"g",}')).toBe('MALFORMED_JSON');
  expect(await codeOf(Uint8Array.from([0x7b, 0xff, 0x7d]))).toBe('MALFORMED_JSON');
  expect(await codeOf('{}', { 'content-type': 'text/plain' })).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect(await codeOf(gzipSync('{}'), { 'content-encoding': 'gzip' })).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect(await codeOf('[{"id":"g"}]')).toBe(path === '/graphql' ? 'BAD_REQUEST' : 'BAD_USER_INPUT');
  expect(await codeOf(`{"id":"${'x'.repeat(100_000)}"}`)).toBe('PAYLOAD_TOO_LARGE');
});

// As a number, JSON.parse makes another id of it.
test.each(['1234567890123456789', '-9007199254740993', '1e30', '2.5', '1e400'])(
  'the number %s is no id and no version, wherever it stands',
  async (number) => {
    const graphql = (query: string, variables: string) =>
      send('/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`);
    const preview = 'query ($i: [ID!]) { previewReopenGoal(input: { subscriberIds: $i }) { state } }';
    const restored =
      'mutation ($i: RestoreDocumentVersionInput!) { restoreDocumentVersion(input: $i) { document { id } } }';
    const version = (value: string) => `{"documentId":"d","versionNumber":1,"expectedCurrentVersion":${value}}`;
    for (const [answer, field] of [
      [send(restPaths.reopenGoal, `{"id":${number}}`), 'id'],
      [send(restPaths.reopenGoal, `{"subscriber_ids":["a",${number}]}`), 'subscriber_ids[1]'],
      [
        send(
          restPaths.restoreDocumentVersion,
          `{"document_id":"d","version_number":1,"expected_current_version":${number}}`,
        ),
        'expected_current_version',
      ],
      [graphql('query ($i: ID!) { goal(id: $i) { id } }', `{"i":${number}}`), 'id'],
      [graphql(preview, `{"i":["a",${number}]}`), 'input.subscriberIds[1]'],
      [graphql(restored, `{"i":${version(number)}}`), 'input.expectedCurrentVersion'],
    ] as const) {
      const { status, code, errors } = await answer;
      expect([status, code, errors[0].field]).toEqual([400, 'BAD_USER_INPUT', field]);
    }
  },
);

describe('a value the database cannot hold', () => {
  const nul = '\\u0000';
  const surrogate = '\\ud83d';

  test.each([
    [restPaths.reopenGoal, '{"id":"VALUE"}', 404, 'NOT_FOUND'],
    [restPaths.reopenGoal, '{"id":null,"message":"VALUE"}', 400, 'BAD_USER_INPUT'],
    [restPaths.reopenGoal, '{"id":"g","subscriber_ids":["VALUE"]}', 400, 'BAD_USER_INPUT'],
    [restPaths.reopenGoal, '{"VALUE":1}', 400, 'BAD_USER_INPUT'],
    ['/graphql', '{"query":"query ($id: ID!) { goal(id: $id) { id } }","variables":{"id":"VALUE"}}', 200, 'NOT_FOUND'],
    ['/graphql', '{"query":"VALUE"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['/graphql', '{"query":"{ viewer { person { id } } }","operationName":"VALUE"}', 400, 'BAD_REQUEST'],
  ])('%s %s is %i %s', async (path, body, status, code) => {
    for (const value of [nul, surrogate]) {
      const answer = await send(path, body.replace('VALUE', value));
      expect([answer.status, answer.code]).toEqual([status, code]);
    }
  });
});

test.each([
  [{ query: null }, 'Send one JSON object with a query.'],
  [
    { query: '{ viewer { person { id } } }', documentId: 'x' },
    'Unexpected parameter "documentId" in the request body.',
  ],
])('%j is 400 for every client, and says what to send', async (body, message) => {
  for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
    const answer = await world.post('/graphql', caller.token, body, { accept });
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, message]);
  }
});
