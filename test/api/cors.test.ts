import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/platform/settings/configError.js';
import { readConfig } from '../../src/settings.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, restPaths, World } from '../support/world.js';

/** The Vary header without Accept, which depends on the path and not on CORS. */
function varyOf(headers: Headers): string | null {
  const names = headers
    .get('vary')
    ?.split(', ')
    .filter((name) => name !== 'Accept');
  return names?.length ? names.join(', ') : null;
}

const page = 'https://app.example.com';
const world = await createWorld({ corsOrigins: [page, 'http://localhost:3000'] });
const { caller } = await world.team();
const bodies: Record<string, object> = {
  [restPaths.reopenGoal]: {},
  '/graphql': { query: '{ viewer { person { id } } }' },
};
const paths = Object.keys(bodies);

const preflight = (path: string, origin: string, at = world) =>
  at.fetch(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control'));

describe.each(paths)('%s', (path) => {
  test('answers the preflight of a listed origin, without a token and without SQL', async () => {
    const { statements, result } = await statementsOf(() => preflight(path, page));
    const { status, headers } = result;
    expect([status, statements]).toEqual([204, []]);
    expect(headers.get('access-control-allow-origin')).toBe(page);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    expect(headers.get('access-control-allow-headers')).toMatch(
      /Authorization, Content-Type, Idempotency-Key, If-Match, GraphQL-Cost/,
    );
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(varyOf(headers)).toBe('Origin');
    expect(headers.get('x-request-id')).toMatch(/./);
  });

  test.each([
    ['a success', caller.token, 200],
    ['a failure', null, 401],
  ])('lets the page read %s and our headers', async (_what, token, expected) => {
    const { status, headers } = await world.post(path, token, bodies[path], { origin: 'http://localhost:3000' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([expected, 'http://localhost:3000']);
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    for (const name of [
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Idempotency-Replayed',
      'Goalpost-Changed',
    ]) {
      expect(exposed).toContain(name);
    }
  });

  test.each(['http://app.example.com', 'https://app.example.com:8443', 'null'])(
    'tells another origin nothing: %j',
    async (origin) => {
      const { status, headers } = await world.post(path, caller.token, bodies[path], { origin });
      expect([status, corsHeaders(headers), varyOf(headers)]).toEqual([200, [], 'Origin']);
      const refused = await preflight(path, origin);
      expect([refused.status, corsHeaders(refused.headers)]).toEqual([405, []]);
    },
  );

  test('is closed to all origins by default', async () => {
    const closed = new World(world.db, world.url);
    await preflight(path, page, closed);
    const answer = await preflight(path, page, closed);
    const { detail, errors } = answer.body;
    expect(detail ?? errors[0].message).toBe(
      `Web pages of "${page}" may not call this server. Its setting CORS_ORIGINS lists those that may.`,
    );
    const message = 'a web page of an origin that CORS_ORIGINS does not list has called';
    expect(closed.log.filter(({ msg }) => msg === message)).toEqual([expect.objectContaining({ origin: page })]);
    expect([answer.status, corsHeaders(answer.headers), varyOf(answer.headers)]).toEqual([405, [], null]);
  });

  test('is open to all when the list says so', async () => {
    const open = new World(world.db, world.url, { corsOrigins: ['*'] });
    const { status, headers } = await preflight(path, 'null', open);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });
});

test('an origin of an extension or an app is one, and none with a path', async () => {
  const listed = [
    'chrome-extension://aapocclcgogkmnckokdopfmhonfmgoek',
    'capacitor://localhost',
    'app://-',
    'tauri://localhost',
  ];
  const read = (origins: string) => readConfig({ CORS_ORIGINS: origins }).corsOrigins;
  expect(read(listed.join())).toEqual(listed);
  const apps = new World(world.db, world.url, { corsOrigins: read(listed.join()) });
  for (const origin of listed) {
    const { status, headers } = await preflight('/graphql', origin, apps);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const { status: ofAgent } = await apps.post('/mcp', caller.token, {}, { origin });
    expect(ofAgent).not.toBe(403);
  }
  for (const origin of ['app://host/path', 'capacitor://*', 'localhost', 'data:text/html', 'tauri://'])
    expect(() => read(origin)).toThrow(ConfigError);
});

test('OPTIONS that is no preflight is 405 as ever', async () => {
  const { status, headers } = await world.fetch('/graphql', { method: 'OPTIONS', headers: { origin: page } });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
});

test.each<[string, () => Promise<{ status: number; headers: Headers }>, number]>([
  ['a GraphQL answer', () => world.graphql(caller.token, '{ viewer { person { id } } }'), 200],
  ['an unknown path', () => world.fetch('/nowhere'), 404],
  ['a health check', () => world.fetch('/healthz'), 200],
  ['a preflight', () => preflight('/graphql', page), 204],
])('%s has the security headers and a request id', async (_what, ask, expected) => {
  const { status, headers } = await ask();
  expect(status).toBe(expected);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

describe('CORS_ORIGINS', () => {
  test.each(['app.example.com', `${page}/`, 'null', 'https://*.example.com'])('%j is refused', (value) => {
    expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(ConfigError);
  });
});
