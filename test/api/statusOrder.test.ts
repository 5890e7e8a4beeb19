import { describe, expect, test } from 'vitest';
import { type Operation, operations, operationsUnderTest } from '../support/operations.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const bodyLimit = 4096;
const world = await createWorld({ bodyLimit });
const { db } = world;
const { company, caller, space } = await world.team();

/** Every failure of a REST request, in the order in which it is found; each earlier one hides the later ones. */
const failures = [
  ['unknown path', 404, 'NOT_FOUND'],
  ['wrong method', 405, 'METHOD_NOT_ALLOWED'],
  ['refused Accept', 406, 'NOT_ACCEPTABLE'],
  ['revoked token', 401, 'UNAUTHENTICATED'],
  ['read-only token', 403, 'READ_ONLY_TOKEN'],
  ['wrong media type', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['too large a body', 413, 'PAYLOAD_TOO_LARGE'],
  ['malformed JSON', 400, 'MALFORMED_JSON'],
  ['unknown field', 400, 'BAD_USER_INPUT'],
  ['used key', 422, 'IDEMPOTENCY_KEY_REUSED'],
  ['invisible', 404, 'NOT_FOUND'],
  ['not permitted', 403, 'FORBIDDEN'],
  ['conflict', 409, ''],
] as const;
type Failure = (typeof failures)[number][0];

/** A target of the operation that is invisible, not to be changed or in conflict, as wanted. */
function inputOf(operation: Operation, wrong: Set<Failure>): Promise<Json> {
  const level = wrong.has('invisible') ? 0 : wrong.has('not permitted') ? 40 : 70;
  return operationsUnderTest[operation].input(world, {
    company,
    space,
    caller,
    level,
    conflict: wrong.has('conflict'),
  });
}

const tokens = await (async () => {
  const gone = await world.person(company);
  await db.apiToken.updateMany({ where: { personId: gone.id }, data: { revokedAt: new Date() } });
  return {
    write: caller.token,
    readOnly: caller.readOnlyToken,
    revoked: gone.token,
    revokedReadOnly: gone.readOnlyToken,
  };
})();

async function request(operation: Operation, ...failing: Failure[]) {
  const wrong = new Set(failing);
  const input = await inputOf(operation, wrong);
  let body = JSON.stringify({ ...input, ...(wrong.has('unknown field') && { nonsense: 1 }) });
  if (wrong.has('malformed JSON')) body = body.slice(0, -1);
  if (wrong.has('too large a body')) body += ' '.repeat(bodyLimit);
  const readOnly = wrong.has('read-only token');
  const token = wrong.has('revoked token')
    ? readOnly
      ? tokens.revokedReadOnly
      : tokens.revoked
    : readOnly
      ? tokens.readOnly
      : tokens.write;
  return world.fetch(`${restPaths[operation]}${wrong.has('unknown path') ? '/more' : ''}`, {
    method: wrong.has('wrong method') ? 'PUT' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: wrong.has('refused Accept') ? 'text/html' : 'application/json',
      'content-type': wrong.has('wrong media type') ? 'text/plain' : 'application/json',
      ...(wrong.has('used key') && headers),
    },
    body,
  });
}

// The key is used up by another payload of each operation.
const headers = { 'idempotency-key': 'used' };
for (const operation of operations) {
  const body = await operationsUnderTest[operation].noOp(world, { company, space, caller });
  expect((await world.post(restPaths[operation], tokens.write, body, headers)).status).toBe(200);
}

const invalid = 'Bearer error="invalid_token"';
const insufficient = 'Bearer error="insufficient_scope"';
/** The challenge in `WWW-Authenticate`. */
const challenges: Record<string, string> = {
  'revoked token': invalid,
  token: invalid,
  'read-only token': insufficient,
  'read-only': insufficient,
};

const foundOf = (operation: Operation) =>
  failures.filter(([name]) => name !== 'conflict' || operationsUnderTest[operation].conflict !== null);

describe('the order of checks of restoreDocumentVersion', () => {
  const operation = 'restoreDocumentVersion';
  const { conflict } = operationsUnderTest[operation];
  const found = foundOf(operation);

  test.each(found)('%s is %i, and comes before all that is checked later', async (name, status, code) => {
    const answer = await request(operation, name);
    expect(answer).toMatchObject({ status, body: { status, code: code || conflict } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('allow')).toBe(name === 'wrong method' ? 'POST' : null);
    expect(answer.headers.get('www-authenticate')).toBe(challenges[name] ?? null);
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
    for (const [second] of found.slice(found.findIndex(([other]) => other === name) + 1))
      expect(await request(operation, name, second), second).toMatchObject({ status, body: { code } });
  });
});

test.each(operations)(
  '%s: nothing wrong is 200; all of it is the unknown path, without that the method, and so on',
  async (operation) => {
    expect(await request(operation)).toMatchObject({ status: 200 });
    const found = foundOf(operation);
    const names = found.map(([name]) => name);
    for (const [index, [, status, code]] of found.entries()) {
      expect(await request(operation, ...names.slice(index))).toMatchObject({
        status,
        body: { code: code || operationsUnderTest[operation].conflict },
      });
    }
  },
);

describe('the order of checks of GraphQL', () => {
  const reopen = 'mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id } } }';
  type Wrong =
    | 'method'
    | 'token'
    | 'media type'
    | 'size'
    | 'JSON'
    | 'syntax'
    | 'read-only'
    | 'document'
    | 'input'
    | 'invisible'
    | 'not permitted'
    | 'conflict';
  const order: [Wrong, number, string][] = [
    ['method', 405, 'METHOD_NOT_ALLOWED'],
    ['token', 401, 'UNAUTHENTICATED'],
    ['media type', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['size', 413, 'PAYLOAD_TOO_LARGE'],
    ['JSON', 400, 'MALFORMED_JSON'],
    ['syntax', 400, 'GRAPHQL_PARSE_FAILED'],
    // Whether it is a mutation is known only now.
    ['read-only', 403, 'READ_ONLY_TOKEN'],
    ['document', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['input', 400, 'BAD_USER_INPUT'],
    ['invisible', 404, 'NOT_FOUND'],
    ['not permitted', 403, 'FORBIDDEN'],
    ['conflict', 409, 'GOAL_ARCHIVED'],
  ];

  async function graphql(...failing: Wrong[]) {
    const wrong = new Set(failing);
    const input = await inputOf('reopenGoal', wrong as Set<Failure>);
    let query = wrong.has('document') ? reopen.replace('goal {', 'nothing {') : reopen;
    if (wrong.has('syntax')) query += ' }';
    let body = JSON.stringify({
      query,
      variables: { input: { ...input, ...(wrong.has('input') && { nonsense: 1 }) } },
    });
    if (wrong.has('JSON')) body = body.slice(0, -1);
    if (wrong.has('size')) body += ' '.repeat(bodyLimit);
    const token = { write: tokens.write, 'read-only': tokens.readOnly }[wrong.has('read-only') ? 'read-only' : 'write'];
    return world.fetch('/graphql', {
      method: wrong.has('method') ? 'PUT' : 'POST',
      headers: {
        accept: 'application/graphql-response+json',
        authorization: `Bearer ${wrong.has('token') ? tokens.revoked : token}`,
        'content-type': wrong.has('media type') ? 'text/plain' : 'application/json',
      },
      body,
    });
  }

  const sees = (status: number, code: string) => ({
    status,
    body: { errors: [{ extensions: { code, requestId: expect.any(String) } }] },
  });

  test.each(order)('bad %s is %i, and comes before all that is checked later', async (name, status, code) => {
    const answer = await graphql(name);
    expect(answer).toMatchObject(sees(status, code));
    expect(answer.headers.get('allow')).toBe(name === 'method' ? 'GET, POST' : null);
    expect(answer.headers.get('www-authenticate')).toBe(challenges[name] ?? null);
    for (const [second] of order.slice(order.findIndex(([other]) => other === name) + 1))
      expect(await graphql(name, second), second).toMatchObject(sees(status, code));
  });

  test('a query that fails in part is 200 with what it found', async () => {
    const goal = await world.goal(space);
    const { status, body } = await world.graphql(
      tokens.readOnly,
      `{ found: goal(id: "${goal.id}") { id } lost: goal(id: "x") { id } }`,
    );
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data: { found: { id: goal.id }, lost: null },
        errors: [{ path: ['lost'], extensions: { code: 'NOT_FOUND' } }],
      },
    });
  });
});
