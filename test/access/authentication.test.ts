import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { operations } from '../support/operations.js';
import { statementsOf } from '../support/statements.js';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const { company, caller } = await world.team();
const query = '{ viewer { person { id } token { name lastFour canWrite expiresAt lastUsedAt } } }';

const tokenOf = async (data: Partial<Parameters<typeof createToken>[1]> = {}) =>
  createToken(db, { companyId: caller.companyId, personId: caller.id, name: 'test', canWrite: true, ...data });

const revoked = await tokenOf();
await db.apiToken.updateMany({ where: { id: revoked.id }, data: { revokedAt: new Date() } });
const expired = await tokenOf({ expiresAt: new Date(0) });
const expiring = await tokenOf();
await world.sql('UPDATE api_tokens SET expires_at = now() WHERE id = $1', [expiring.id]);
const { token: suspended } = await world.person(company, { suspendedAt: new Date() });

const noHeader = 'The request has no header Authorization.';
const notBearer = 'The scheme of the header Authorization is not Bearer.';
const notSent: [string, string | null, string][] = [
  ['no header', null, noHeader],
  ['a token alone', caller.token, notBearer],
  ['a token in Basic', `Basic ${Buffer.from(`${caller.token}:`).toString('base64')}`, notBearer],
  ['a scheme that begins with Bearer', `Bearer2 ${caller.token}`, notBearer],
];

const invalid: [string, string][] = [
  ['a scheme alone', 'Bearer'],
  ['two tokens', `Bearer ${caller.token} ${caller.token}`],
  ['a token with more behind it', `Bearer ${caller.token}x`],
  ['a token cut short', `Bearer ${caller.token.slice(0, -1)}`],
  ['an unknown token', `Bearer gp_${'A'.repeat(43)}`],
  ['an expired token', `Bearer ${expired.token}`],
  ['a token that expires now', `Bearer ${expiring.token}`],
  ['a revoked token', `Bearer ${revoked.token}`],
  ['a token of a suspended person', `Bearer ${suspended}`],
];

const places: [string, string, Json][] = [
  ...operations.map((name): [string, string, Json] => [restPaths[name], restPaths[name], {}]),
  ['a GraphQL mutation', '/graphql', { query: mutation('reopenGoal'), variables: { input: {} } }],
  ['a GraphQL query', '/graphql', { query }],
  ['a GraphQL document that is not valid', '/graphql', { query: '{ nothing }' }],
];

const withoutRequestId = (body: Json) =>
  JSON.parse(JSON.stringify(body, (key, value) => (/^request_?id$/i.test(key) ? undefined : value)));

describe.each(places)('at %s', (_, path, body) => {
  async function requireRefusal(authorization: string | null, scheme: string, why: string) {
    const answer = await world.post(path, null, body, authorization === null ? {} : { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(scheme);
    const detail = `${why} Send a valid token as Authorization: Bearer <API_TOKEN>.`;
    expect(withoutRequestId(path === '/graphql' ? answer.body.errors : answer.body)).toEqual(
      path === '/graphql'
        ? [{ message: detail, extensions: { code: 'UNAUTHENTICATED' } }]
        : {
            type: '/errors/UNAUTHENTICATED',
            title: 'A valid API token is required',
            status: 401,
            detail,
            code: 'UNAUTHENTICATED',
          },
    );
  }

  // All places ask the same code: one of them with every header, the others with one of each kind.
  const some = <Row>(rows: Row[]) => (path === '/graphql' ? rows : rows.slice(0, 1));

  test.each(some(notSent))('%s is a 401 that says so', async (_name, authorization, why) => {
    await requireRefusal(authorization, 'Bearer', why);
  });

  test.each(some(invalid))('%s is one and the same 401, invalid_token', async (_name, authorization) => {
    const why = 'The API token is malformed, unknown, expired or revoked, or its person is suspended.';
    await requireRefusal(authorization, 'Bearer error="invalid_token"', why);
  });

  test.each(some(['bEaReR', 'Bearer  ']))('the scheme may be written %j', async (scheme) => {
    const answer = await world.post(path, null, body, { authorization: `${scheme} ${caller.token}` });
    expect(answer.status).not.toBe(401);
  });
});

test('a token in the URL or in the body is no token', async () => {
  const answer = await world.post(`${restPaths.reopenGoal}?access_token=${caller.token}`, null, {
    access_token: caller.token,
  });
  expect(answer.status).toBe(401);
});

test.each([
  ['can only read', 'can_write = false', 'can_write = true', 'READ_ONLY_TOKEN'],
  ['has other scopes', "scopes = 'restore_document_version'", 'scopes = NULL', 'INSUFFICIENT_SCOPE'],
  ['has other surfaces', "surfaces = 'mcp'", 'surfaces = NULL', 'INSUFFICIENT_SCOPE'],
])('a token in use that %s by now is refused, and no longer once it may again', async (...row) => {
  const [, narrow, widen, code] = row;
  const { id, token } = await tokenOf();
  const calls = {
    rest: async () => (await world.post(restPaths.reopenGoal, token, { id: 'unknown' })).body.code,
    graphql: async () =>
      (await world.graphql(token, mutation('reopenGoal'), { input: { id: 'unknown' } })).body.errors[0].extensions.code,
  };
  const change = (columns: string) => world.sql(`UPDATE api_tokens SET ${columns} WHERE id = $1`, [id]);
  for (const call of Object.values(calls)) {
    expect(await call()).toBe('NOT_FOUND');
    for (const [columns, wanted] of [
      [narrow, code],
      [widen, 'NOT_FOUND'],
    ] as const) {
      await change(columns);
      // A request that was let in as the token was before is asked to come again.
      const first = await call();
      expect(first === 'SERVICE_UNAVAILABLE' ? await call() : first).toBe(wanted);
    }
  }
});

test("a token in use that is another person's by now asks as that person, after a 503", async () => {
  const { id, token } = await tokenOf();
  const asks = async () => (await world.graphql(token, query)).body;
  expect((await asks()).data.viewer.person.id).toBe(caller.id);
  const other = await world.person(company);
  await world.sql('UPDATE api_tokens SET person_id = $2 WHERE id = $1', [id, other.id]);
  expect((await asks()).errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
  expect((await asks()).data.viewer.person.id).toBe(other.id);
});

describe('a read-only token', () => {
  test.each(operations)('may not run %s: 403 on both surfaces before anything is looked up', async (operation) => {
    const token = caller.readOnlyToken;
    await world.graphql(token, query);
    const calls = {
      REST: () => world.post(restPaths[operation], token, { nonsense: 1 }),
      GraphQL: () => world.graphql(token, mutation(operation), { input: { id: 'x' } }),
      'GraphQL, not valid': () => world.graphql(token, `mutation { ${operation}(nothing: 1) { nothing } }`),
    };
    for (const [surface, call] of Object.entries(calls)) {
      const { statements, result } = await statementsOf(call);
      const { status, body } = result;
      const { code } = body.errors?.[0].extensions ?? body;
      const expected = { status: 403, code: 'READ_ONLY_TOKEN', statements: 1 };
      expect({ status, code, statements: statements.length }, surface).toEqual(expected);
    }
  });

  test('cannot run a mutation from a document that also has a query', async () => {
    const document = `query Look { viewer { person { id } } } mutation Change { reopenGoal(input: {}) { goal { id } } }`;
    const call = (operationName: string) =>
      world.post('/graphql', caller.readOnlyToken, { query: document, operationName });
    expect(await call('Look')).toMatchObject({
      status: 200,
      body: { data: { viewer: { person: { id: caller.id } } } },
    });
    expect(await call('Change')).toMatchObject({ status: 403 });
  });
});

describe('the last use of a token', () => {
  const lastUse = async (id: string) =>
    (await db.apiToken.findFirstOrThrow({ where: { id } })).lastUsedAt?.toISOString();
  /** The last use, once it is no longer what it was. */
  const settled = async (id: string, before?: string) => {
    for (let wait = 0; wait < 100 && (await lastUse(id)) === before; wait++) await sleep(10);
    await sleep(20);
    return lastUse(id);
  };

  test('is kept at most once a minute, by the clock of the database', async () => {
    const { id, token } = await tokenOf();
    // Another gateway each time, which has not just kept it itself.
    const use = async () => expect((await world.twin().graphql(token, query)).status).toBe(200);
    const age = async (seconds: number) => {
      await world.sql(`UPDATE api_tokens SET last_used_at = now() - $2 * interval '1 second' WHERE id = $1`, [
        id,
        seconds,
      ]);
      return lastUse(id);
    };
    expect(await lastUse(id)).toBeUndefined();
    await use();
    expect(await settled(id)).toBeDefined();
    const recent = await age(50);
    await use();
    await sleep(200);
    expect(await lastUse(id)).toBe(recent);
    const old = await age(60);
    await use();
    const [row] = await world.sql('SELECT now() AS now');
    const kept = new Date((await settled(id, old)) ?? 0);
    expect(Math.abs(row.now - kept.getTime())).toBeLessThan(30_000);
  });

  test('of a hundred requests at once is one statement', async () => {
    const { id, token } = await tokenOf();
    const { statements } = await statementsOf(async () => {
      await Promise.all(Array.from({ length: 100 }, () => world.graphql(token, '{ __typename }')));
      await settled(id);
    });
    expect(statements.filter(({ text }) => /^\s*UPDATE/i.test(text))).toHaveLength(1);
  });

  test('is off the critical path: a request does not wait for it', async () => {
    // Of a company that has used nothing yet: one that uses much has few statements at once.
    const { caller: someone } = await world.team();
    const { companyId, id: personId } = someone;
    const { id, token } = await createToken(db, { companyId, personId, name: 'test' });
    const { release } = await world.holding('SELECT FROM api_tokens WHERE id = $1 FOR UPDATE', [id]);
    for (const _ of [1, 2]) expect((await world.graphql(token, query)).status).toBe(200);
    await release();
    expect(await settled(id)).toBeDefined();
  });

  test('is not kept for a token that is refused', async () => {
    await world.graphql(revoked.token, query);
    await sleep(50);
    expect(await lastUse(revoked.id)).toBeUndefined();
  });
});

describe('a token at rest', () => {
  test('is its SHA-256 and its last four characters, and nowhere else', async () => {
    const { id, token } = await tokenOf();
    expect(token).toMatch(/^gp_[A-Za-z0-9_-]{43}$/);
    const rows = await world.sql('SELECT to_jsonb(t) AS row FROM api_tokens t WHERE id = $1', [id]);
    expect(rows[0].row).toMatchObject({
      hash: `\\x${createHash('sha256').update(token).digest('hex')}`,
      last_four: token.slice(-4),
    });
    expect(JSON.stringify(rows)).not.toContain(token);
    await world.graphql(token, query);
    expect(JSON.stringify(world.log)).not.toContain(token);
  });

  test('is never shown by a query, and is read-only by default', async () => {
    const { id, token } = await createToken(db, { companyId: caller.companyId, personId: caller.id, name: 'mine' });
    const { body } = await world.graphql(token, query);
    expect(body.data.viewer.token).toMatchObject({ name: 'mine', lastFour: token.slice(-4), canWrite: false });
    expect(JSON.stringify(body)).not.toContain(token);
    expect(await db.apiToken.findFirstOrThrow({ where: { id } })).toMatchObject({
      canWrite: false,
      expiresAt: null,
    });
  });
});
