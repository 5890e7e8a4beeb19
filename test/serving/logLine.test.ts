import { once } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { NodeServer } from '../../src/platform/http/server.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { exchange as exchanged, reopening } from '../support/rawHttp.js';
import { listening } from '../support/temporary.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller, company, space } = await world.team();
// So that no request has to record the use of its token.
await world.sql('UPDATE api_tokens SET last_used_at = now()');

beforeEach(() => {
  world.log.length = 0;
});

const person = { personId: caller.id, companyId: company.companyId };
const reopen = (input: Json, headers = {}) => world.post(restPaths.reopenGoal, caller.token, input, headers);
const asked = (query: string, variables = {}) => world.graphql(caller.token, query, variables);

const exchange = (bytes: string, at = world) => exchanged(bytes, at);

test('a token that is sent as X-Request-Id is no id, and not logged', async () => {
  const { headers } = await world.graphql(
    caller.token,
    '{ viewer { person { id } } }',
    {},
    { 'x-request-id': caller.token },
  );
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.stringify(world.log)).not.toContain(caller.token);
});

/** What is asked, and what its line says. */
const requests: [string, () => Promise<unknown>, Json][] = [
  [
    'a change through REST',
    async () => reopen({ id: (await world.closedGoal(space)).id }),
    { method: 'POST', path: restPaths.reopenGoal, operation: 'reopenGoal', status: 200, ...person },
  ],
  [
    'a read-only token',
    () => world.post(restPaths.reopenGoal, caller.readOnlyToken, {}),
    { operation: 'reopenGoal', status: 403, codes: ['READ_ONLY_TOKEN'], ...person },
  ],
  [
    'a bad token',
    () => world.post(restPaths.reopenGoal, 'gp_bad', {}),
    { operation: 'reopenGoal', status: 401, codes: ['UNAUTHENTICATED'], statements: 0 },
  ],
  [
    'a path that looks like a host',
    () => exchange('GET //gone HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    { operation: 'unknown', status: 404, path: '//gone', codes: ['NOT_FOUND'] },
  ],
  ['a page', () => world.fetch('/healthz'), { operation: '/healthz', status: 200, path: '/healthz', statements: 0 }],
  [
    'several fields, one of them twice and in a fragment',
    () => asked('query Mine { viewer { person { id } } ...Goals } fragment Goals on Query { a: goals { totalCount } }'),
    { operation: 'goals,viewer', operationName: 'Mine', status: 200 },
  ],
  ['a question about the schema', () => asked('{ __schema { queryType { name } } }'), { operation: 'introspection' }],
  [
    'a query that fails in part',
    () => asked('{ viewer { person { id } } goal(id: "none") { id } }'),
    { operation: 'goal,viewer', status: 200, codes: ['NOT_FOUND'] },
  ],
  ['a document that is no GraphQL', () => asked('{'), { operation: '/graphql', codes: ['GRAPHQL_PARSE_FAILED'] }],
  [
    'what the parser cannot read',
    () => exchange('nonsense\r\n\r\n'),
    { operation: 'unknown', status: 400, codes: ['MALFORMED_REQUEST'], problem: expect.any(String) },
  ],
];

describe('the line in the log', () => {
  test.each(requests)('of %s says what it was, who asked, and how it ended', async (_what, send, expected) => {
    await send();
    expect(world.log).toMatchObject([
      { level: 30, msg: 'request', requestId: expect.any(String), milliseconds: expect.any(Number), ...expected },
    ]);
  });

  test('of a request with long values is short', async () => {
    const long = 'x'.repeat(7_000);
    await world.fetch(`/${long}?${long}`);
    expect(world.log).toMatchObject([{ path: `/${long.slice(0, 199)}…`, status: 404 }]);
    await asked(`query ${long} { viewer { person { id } } }`, { [long]: long });
    await reopen({ [long]: long, id: long }, { 'x-request-id': long, traceparent: long, 'idempotency-key': long });
    await world.fetch('/healthz', { headers: { 'x-forwarded-for': long, 'user-agent': long } });
    for (const line of world.log) expect(JSON.stringify(line).length).toBeLessThan(1_000);
  });

  test('of a replay says so', async () => {
    const input = { id: (await world.closedGoal(space)).id };
    for (const _ of [1, 2]) await reopen(input, { 'idempotency-key': 'once' });
    expect(world.log).toMatchObject([{ status: 200 }, { status: 200, replayed: true }]);
    expect(world.log[0]).not.toHaveProperty('replayed');
  });

  test('of a preflight is one too', async () => {
    const open = new World(world.db, world.url, { corsOrigins: ['*'] });
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    const response = await fetch(`${await open.base()}/graphql`, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(open.log).toMatchObject([{ operation: 'preflight', status: 204 }]);
  });

  test('of a request that does not come in time is one, whether or not its headers came', async () => {
    const hasty = new World(world.db, world.url, { requestTimeout: 300 });
    await exchange('GET /healthz HTTP/1.1\r\nHost: x\r\n', hasty);
    await exchange(`${reopening(caller.token, 9)}{`, hasty);
    expect(hasty.log).toMatchObject([
      { operation: 'unknown', status: 408, codes: ['REQUEST_TIMEOUT'] },
      { operation: 'reopenGoal', status: 408, codes: ['REQUEST_TIMEOUT'] },
    ]);
  });

  test('of a request that is cut off when the server stops says so, without a status', async () => {
    const app = { ...world.app, handle: () => new Promise<never>(() => {}) };
    const log: Json[] = [];
    const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line)) });
    const nodeServer = new NodeServer({ app, logger });
    const port = await listening(nodeServer.server);
    const client = fetch(`http://127.0.0.1:${port}/healthz`).catch(() => 'lost');
    await once(nodeServer.server, 'request');
    expect(await nodeServer.stop({ milliseconds: 10, delayMilliseconds: 0 })).toBe(1);
    expect(await client).toBe('lost');
    expect(log).toMatchObject([{ path: '/healthz', cutOff: true }]);
    expect(log[0]).not.toHaveProperty('status');
  });

  test('has no token, key, variable or body, wherever they were sent', async () => {
    const secret = 'canary-7f3a';
    const key = `key-${secret}`;
    await reopen({ id: secret, message: secret }, { 'idempotency-key': key, cookie: secret, 'user-agent': secret });
    await asked(`query ($id: ID!) { goal(id: $id) { id } } # ${secret}`, { id: secret });
    await asked(`{ goal(id: "${secret}") { ${secret.replace('-', '_')} } }`);
    await reopen(`{"${secret}`);
    await world.fetch(`/${caller.token}?token=${caller.token}&${secret}`);
    await exchange(`GET http://user:${secret}@x/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await exchange(`GET /#${secret} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(world.log).toHaveLength(7);
    const logged = JSON.stringify(world.log);
    expect(logged).not.toContain(secret);
    expect(logged).not.toContain(caller.token);
  });
});

describe('the address of the client', () => {
  const clientOf = async (at: World, headers = {}) => {
    at.log.length = 0;
    await at.post(restPaths.reopenGoal, 'wrong', {}, headers);
    return at.log.find(({ msg }) => msg === 'request')?.client;
  };
  const gateway = (options: ConstructorParameters<typeof World>[2]) => new World(world.db, world.url, options);
  const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };

  test('is on the line of each request, so that a storm of 401 can be traced', async () => {
    expect(await clientOf(world, forwarded)).toBe('127.0.0.1');
    expect(await exchange('nonsense\r\n\r\n')).toContain('400');
    expect(world.log.at(-1)).toMatchObject({ client: '127.0.0.1', problem: expect.any(String) });
  });

  test('is the one that a trusted proxy reports; of an IPv6 address its network', async () => {
    const behind = gateway({ trustedProxies: 1 });
    expect(await clientOf(behind, forwarded)).toBe('198.51.100.7');
    expect(await clientOf(behind, { 'x-forwarded-for': '2001:db8:1:2:3::4' })).toBe('2001:db8:1:2::');
  });

  test('is without the port that some proxies add, and what is no address is named once', async () => {
    const behind = gateway({ trustedProxies: 1 });
    expect(await clientOf(behind, { 'x-forwarded-for': '192.0.2.1, 203.0.113.7:5678' })).toBe('203.0.113.7');
    for (const hop of ['[2001:db8:1:2::1]:443', '[2001:db8:1:2::1]'])
      expect(await clientOf(behind, { 'x-forwarded-for': hop })).toBe('2001:db8:1:2::');
    const named = [];
    for (const hop of ['', 'unknown', '_hidden']) {
      await clientOf(behind, { 'x-forwarded-for': hop });
      named.push(...behind.log.flatMap(({ forwarded }) => forwarded ?? []));
      expect(behind.log.find(({ msg }) => msg === 'request')).toMatchObject({ client: '127.0.0.1' });
    }
    expect(named).toEqual(['unknown']);
  });
});
