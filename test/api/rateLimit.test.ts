import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { Overload } from '../../src/platform/http/admission.js';
import { createRateLimiters, type RateLimiterSettings } from '../../src/platform/limits/rateLimit.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, restPaths, World } from '../support/world.js';

const furniture = await createWorld({ isAlone: true });
const { company, caller } = await furniture.team();
/** Whose request takes a place. */
const somebody = { id: 'somebody', flow: 'somebody' };
const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** A gateway with limits, on the database that all tests of this file share. */
function gateway(
  limits: Partial<RateLimiterSettings> = {},
  options: {
    trustedProxies?: number;
    databaseTimeouts?: { response: number };
    overload?: Overload;
    corsOrigins?: string[];
  } = {},
) {
  const rateLimiters = createRateLimiters({
    store: 'memory',
    databaseUrl: furniture.url,
    windowSeconds: 60,
    perToken: 3,
    perAddress: 3,
    preparedStatements,
    ...limits,
  });
  const world = new World(furniture.db, furniture.url, { rateLimiters, ...options });
  cleanups.push(async () => {
    await world.close();
    await rateLimiters.close();
  });
  return world;
}

const fresh = async () => (await furniture.person(company)).token;
const badToken = `gp_${'x'.repeat(43)}`;
const reopen = (world: World, token: string | null, headers = {}) =>
  world.post(restPaths.reopenGoal, token, {}, headers);
const viewer = (world: World, token: string | null) => world.graphql(token, '{ viewer { person { id } } }');

describe('a token', () => {
  test('over its limit gets 429 on both surfaces, and every answer reports the limit', async () => {
    const world = gateway();
    const token = await fresh();
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = remaining === 1 ? await viewer(world, token) : await reopen(world, token);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"token";q=3;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"token";r=${remaining};t=[56]\\d$`));
    }
    const rest = await reopen(world, token);
    expect([rest.status, rest.body.code, rest.body.title]).toEqual([429, 'RATE_LIMITED', 'Too many requests']);
    expect(rest.body.retry_after).toBeGreaterThan(50);
    expect(rest.headers.get('retry-after')).toBe(String(rest.body.retry_after));
    expect(rest.headers.get('ratelimit')).toMatch(/^"token";r=0;t=\d+$/);
    const graphql = await viewer(world, token);
    const { extensions } = graphql.body.errors[0];
    expect([graphql.status, extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(graphql.headers.get('retry-after')).toBe(String(extensions.retryAfter));
    expect(graphql.headers.get('ratelimit')).toMatch(/^"token";r=0/);
  });

  test('does not use up the limit of another token, not even of the same person', async () => {
    const world = gateway();
    const person = await furniture.person(company);
    for (let index = 0; index < 4; index++) await viewer(world, person.readOnlyToken);
    expect((await viewer(world, person.readOnlyToken)).status).toBe(429);
    expect((await viewer(world, person.token)).status).toBe(200);
  });

  test('over its limit costs no place, no look-up and no count any more', async () => {
    const overload = new Overload({ maxConcurrentRequests: 1 }, createLogger('silent'));
    const world = gateway({ store: 'postgres', perToken: 1 }, { overload, trustedProxies: 1 });
    const token = await fresh();
    for (const status of [200, 429]) expect((await reopen(world, token)).status).toBe(status);
    overload.queue.enter(somebody);
    const { statements, result: answers } = await statementsOf(() =>
      Promise.all([reopen(world, token), viewer(world, token), reopen(world, token, { accept: 'text/html' })]),
    );
    overload.queue.leave(somebody);
    expect([statements, answers.map(({ status }) => status)]).toEqual([[], [429, 429, 429]]);
    const [rest, graphql] = answers;
    expect(rest?.body).toMatchObject({ code: 'RATE_LIMITED', limit: 'token', retry_after: expect.any(Number) });
    expect(graphql?.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', limit: 'token' });
    for (const { headers } of answers) {
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-policy')).toBe('"token";q=1;w=60');
      expect(headers.get('ratelimit')).toMatch(/^"token";r=0;t=\d+$/);
    }
    expect(world.log.at(-1)).toMatchObject({ status: 429, codes: ['RATE_LIMITED'], tokenId: expect.any(String) });
    // From an address of its own, as the store counts the page for it.
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.77' };
    expect((await world.fetch('/docs', { headers })).status).toBe(200);
  });
});

describe('a document', () => {
  const left = ({ headers }: { headers: Headers }) =>
    Number(/"token";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  /** Of complexity 201 + 100 for each activity, however few goals there are. */
  const listing = (activities: number) =>
    `{ goals(first: 100) { nodes { activities(first: ${activities}) { nodes { id } } } } }`;

  test.each([
    [0, 1],
    [27, 1],
    [28, 2],
    [97, 4],
  ])('with pages of %i costs a point for each 3,000 of its complexity that it begins: %i', async (size, points) => {
    const world = gateway({ perToken: 100 });
    const answer = await world.graphql(await fresh(), listing(size), {}, { 'graphql-cost': 'report' });
    expect(answer.body.extensions.cost.complexity).toBe(201 + 100 * size);
    expect(left(answer)).toBe(100 - points);
  });

  test('that is refused before its cost is known costs one', async () => {
    const world = gateway({ perToken: 100 });
    const token = await fresh();
    const answers = [
      await world.graphql(token, listing(98)),
      await world.graphql(token, '{ nothing }'),
      await world.post('/graphql', token, '{'),
    ];
    expect(answers.map(left)).toEqual([99, 98, 97]);
  });

  test('that costs more than is left is 429 before it runs, with the name of the limit, and not for another token', async () => {
    const world = gateway({ perToken: 5 });
    const [token, other] = [await fresh(), await fresh()];
    const first = await world.graphql(token, listing(97));
    expect([first.status, left(first)]).toEqual([200, 1]);
    const { statements, result: refused } = await statementsOf(() => world.graphql(token, listing(97)));
    const { extensions } = refused.body.errors[0];
    expect([refused.status, extensions.code, extensions.limit, left(refused)]).toEqual([
      429,
      'RATE_LIMITED',
      'token',
      0,
    ]);
    expect(refused.headers.get('retry-after')).toBe(String(extensions.retryAfter));
    expect(statements.filter(({ text }) => text.includes('activities'))).toEqual([]);
    const again = await statementsOf(() => reopen(world, token));
    expect([again.statements, again.result.status, again.result.body.limit]).toEqual([[], 429, 'token']);
    expect((await viewer(world, other)).status).toBe(200);
  });

  test('that costs more than the whole limit runs once in a window', async () => {
    const world = gateway({ perToken: 3, windowSeconds: 1 });
    const token = await fresh();
    const statuses = [];
    for (const _ of [1, 2]) statuses.push((await world.graphql(token, listing(97))).status);
    await sleep(1100);
    statuses.push((await world.graphql(token, listing(97))).status);
    expect(statuses).toEqual([200, 429, 200]);
  });
});

describe('an address', () => {
  test('that guesses tokens is refused, without looking them up', async () => {
    const world = gateway();
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = await reopen(world, badToken);
      expect([status, headers.get('ratelimit-policy')]).toEqual([401, '"address";q=3;w=60']);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"address";r=${remaining};t=`));
    }
    // A few unknown tokens are looked up nevertheless: one may be valid.
    for (let index = 0; index < 6; index++) expect((await reopen(world, badToken)).status).toBe(429);
    const { statements, result: answer } = await statementsOf(() => reopen(world, badToken));
    expect([statements, answer.status, answer.body.code]).toEqual([[], 429, 'RATE_LIMITED']);
    expect(answer.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    expect(Number(answer.headers.get('retry-after'))).toBe(answer.body.retry_after);
    const graphql = await viewer(world, badToken);
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
  });

  test('that is over its limit still serves valid tokens: known ones all, and new ones a few at a time', async () => {
    const world = gateway({ perToken: 100 });
    const known = await fresh();
    const unknown = await Promise.all(Array.from({ length: 7 }, fresh));
    expect((await reopen(world, known)).status).toBe(200);
    for (let index = 0; index < 5; index++) await reopen(world, null);
    expect((await reopen(world, known)).status).toBe(200);
    expect((await reopen(world, null, { authorization: `bearer   ${known}` })).status).toBe(200);
    const statuses = (await Promise.all(unknown.map((token) => reopen(world, token)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test('is not counted for a failure of the server, which is not its fault', async () => {
    const world = gateway({ perAddress: 1 });
    const token = await fresh();
    await furniture.sql('ALTER TABLE token_companies RENAME TO away');
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await reopen(world, token)).status);
    await furniture.sql('ALTER TABLE away RENAME TO token_companies');
    expect(statuses).toEqual([500, 500, 500]);
    expect((await reopen(world, badToken)).status).toBe(401);
  });

  test('is counted for unknown paths, wrong methods and no token too; never for the health checks', async () => {
    const world = gateway();
    for (let index = 0; index < 10; index++) {
      const { status, headers } = await world.fetch(index % 2 ? '/healthz' : '/readyz');
      expect([status, headers.get('ratelimit-policy')]).toEqual([200, null]);
    }
    const first = await world.fetch('/nowhere');
    expect([first.status, first.headers.get('ratelimit')]).toEqual([404, expect.stringMatching(/^"address";r=2;t=/)]);
    expect((await world.fetch(restPaths.reopenGoal)).status).toBe(405);
    expect((await reopen(world, null)).status).toBe(401);
    expect((await world.fetch('/nowhere')).status).toBe(429);
    expect((await world.fetch('/healthz')).status).toBe(200);
  });

  test.each(['/docs', '/openapi.json'])('counts %s, also with a token, which needs none', async (path) => {
    const world = gateway();
    const authorization = `Bearer ${caller.token}`;
    const ask = async (headers = {}) => (await world.fetchAt(`http://localhost${path}`, { headers })).status;
    expect([await ask(), await ask({ authorization }), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
    expect(await ask({ authorization })).toBe(429);
  });

  test('over its limit costs no place and no count any more, but health checks, files of pages and preflights pass', async () => {
    const overload = new Overload({ maxConcurrentRequests: 2 }, createLogger('silent'));
    const corsOrigins = ['https://app.example.com'];
    const world = gateway({ store: 'postgres', perAddress: 1 }, { overload, trustedProxies: 1, corsOrigins });
    const headers = { 'x-forwarded-for': '203.0.113.5' };
    const statusOf = async (path: string, options = {}) => (await world.fetch(path, { headers, ...options })).status;
    expect([await statusOf('/docs'), await statusOf('/docs')]).toEqual([200, 429]);
    overload.queue.enter(somebody);
    overload.queue.enter(somebody);
    const refused = statementsOf(() => Promise.all(['/docs', '/graphql', '/nowhere'].map((path) => statusOf(path))));
    expect(await refused).toMatchObject({ statements: [], result: [429, 429, 429] });
    overload.queue.leave(somebody);
    overload.queue.leave(somebody);
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/pages/icon.svg')).toBe(200);
    const preflight = { ...headers, origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    expect(await statusOf('/graphql', { method: 'OPTIONS', headers: preflight })).toBe(204);
  });

  test('is the peer, whatever X-Forwarded-For claims, unless proxies are trusted', async () => {
    const world = gateway();
    const statuses = [];
    for (const index of [1, 2, 3, 4]) {
      statuses.push((await reopen(world, badToken, { 'x-forwarded-for': `203.0.113.${index}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test.each<[string, number, string, string, boolean]>([
    ['one proxy: the last entry', 1, '203.0.113.1', '203.0.113.2', false],
    [
      'one proxy: what the client made up does not matter',
      1,
      '198.51.100.1, 203.0.113.1',
      '198.51.100.2, 203.0.113.1',
      true,
    ],
    ['two proxies: the last but one', 2, '203.0.113.1, 10.0.0.1', '203.0.113.2, 10.0.0.1', false],
    ['two proxies, one entry: the first there is', 2, '203.0.113.1', '203.0.113.1', true],
    ['not an address: the peer', 1, 'unknown', '"; DROP TABLE"', true],
    ['one IPv6 network', 1, '2001:db8:1:2::1', '2001:DB8:1:2:ffff::9', true],
    ['two IPv6 networks', 1, '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['IPv4 written as IPv6', 1, '::ffff:203.0.113.1', '203.0.113.1', true],
    ['one IPv6 network with zones', 1, '2001:db8:1:2::1%a.b', '2001:db8:1:2::2%eth0', true],
  ])('with %s', async (_what, trustedProxies, one, other, same) => {
    const world = gateway({ perAddress: 1 }, { trustedProxies });
    await reopen(world, badToken, { 'x-forwarded-for': one });
    expect((await reopen(world, badToken, { 'x-forwarded-for': other })).status).toBe(same ? 429 : 401);
  });
});

/** Holds a lock for which every count waits, until the test is over. */
const holdCounts = () => furniture.holding('LOCK TABLE rate_limits');

describe('the store', () => {
  test('in Postgres lets two gateways count together, with one statement', async () => {
    const [one, other] = [gateway({ store: 'postgres', perToken: 4 }), gateway({ store: 'postgres', perToken: 4 })];
    const token = await fresh();
    for (const world of [one, other, one]) expect((await reopen(world, token)).status).toBe(200);
    const { statements, result: last } = await statementsOf(() => reopen(other, token));
    expect([last.status, last.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"token";r=0;t=/)]);
    expect(statements.filter(({ text }) => text.includes('rate_limits'))).toHaveLength(1);
    for (const world of [one, other]) expect((await reopen(world, token)).status).toBe(429);
  });

  test('lets exactly as many requests at once through as the limit allows', async () => {
    const [one, other] = [gateway({ store: 'postgres', perToken: 20 }), gateway({ store: 'postgres', perToken: 20 })];
    const token = await fresh();
    const statuses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const answers = [one, other, one, other, one].map((world) => viewer(world, token));
      statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('that is down lets everybody pass, says so in the log, and not for each request', async () => {
    const world = gateway({ store: 'postgres', databaseUrl: 'postgresql://nobody:x@127.0.0.1:1/none', perToken: 1 });
    const token = await fresh();
    for (let index = 0; index < 5; index++) {
      const { status, headers } = await reopen(world, token);
      expect([status, headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
        200,
        '"token";q=1;w=60',
        null,
      ]);
    }
    const lines = world.log.filter(({ msg }) => msg.startsWith('the rate limit store is down'));
    expect(lines).toMatchObject([{ level: 40, err: { code: 'ECONNREFUSED' } }]);
  });
});

describe('the store that does not answer', () => {
  test('takes half of what a request may wait for the database, and lets it pass', async () => {
    const world = gateway({ store: 'postgres' }, { databaseTimeouts: { response: 2000 } });
    const token = await fresh();
    await viewer(world, token);
    await holdCounts();
    const startedAt = performance.now();
    expect((await viewer(world, token)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  test('is not left waiting for the lock when nobody waits for its answer any more', async () => {
    const world = gateway({ store: 'postgres' });
    await holdCounts();
    expect((await viewer(world, await fresh())).status).toBe(200);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'goalpost rate limit' AND wait_event_type = 'Lock'`;
    expect(await furniture.sql(waiting)).toEqual([]);
  });

  test('leaves a request that finds the database slow too no more time than any other', async () => {
    const world = gateway({ store: 'postgres' }, { databaseTimeouts: { response: 2000 } });
    const { caller: owner, space } = await furniture.team();
    const { id } = await furniture.closedGoal(space);
    await holdCounts();
    await furniture.holdGoals();
    const startedAt = performance.now();
    expect((await world.post(restPaths.reopenGoal, owner.token, { id })).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(3500);
  });
});

test('a clock that is set back keeps nobody limited', async () => {
  const world = gateway({ windowSeconds: 1 });
  const token = await fresh();
  const statuses = async () => Promise.all([1, 2, 3, 4].map(async () => (await viewer(world, token)).status));
  expect((await statuses()).sort()).toEqual([200, 200, 200, 429]);
  const now = Date.now;
  Date.now = () => now() - 3_600_000;
  onTestFinished(() => {
    Date.now = now;
  });
  await expect.poll(async () => (await viewer(world, token)).status, { interval: 300 }).toBe(200);
});
