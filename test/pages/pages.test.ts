import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { buildClientSchema, buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { openDemo } from '../../src/commands/demo.js';
import { DemoKey } from '../../src/pages/demoAccess.js';
import { curlCommand } from '../../src/pages/requests.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
await world.closedGoal(space, { id: 'goal-1' });
const secret = caller.token;
/** An empty database, which gets the demo workspace. */
const shown = await createWorld({ isAlone: true });
const key = new DemoKey();
const demo = worldWith({ demo: { token: secret, key } });

function worldWith(options: ConstructorParameters<typeof World>[2]) {
  return new World(world.db, world.url, { appUrl: 'https://work.example.com', ...options });
}

/** The cookie that a browser has at an origin once it opened the start address there. */
async function cookieAt(origin: string, at = demo): Promise<string> {
  const response = await at.fetchAt(key.addressAt(origin));
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Requests a page like a browser with that host in its address bar, after the start address of the demo. */
async function open(at: World, path: string, origin = 'http://localhost:4000', headers: Record<string, string> = {}) {
  return browse(at, path, origin, { cookie: await cookieAt(origin, at), ...headers });
}

/** The same for a visitor who has not opened it. */
async function browse(at: World, path: string, origin = 'http://localhost:4000', headers: Record<string, string> = {}) {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const response = await at.fetchAt(new Request(origin + path, { headers: { accept, ...headers } }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const settings = (text: string): Json =>
  JSON.parse(/<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(text)?.[1] ?? 'null');

const filesOf = (text: string) =>
  [...text.matchAll(/(?:src|href)="([^"]*\.(?:js|css|svg))"/g)].map(([, path]) => path ?? '');

describe('a page', () => {
  test.each(['/', '/graphql', '/docs', '/errors', '/guide', '/history'])(
    '%s needs no token, is never kept, may load our own files only, and be framed by nobody',
    async (path) => {
      const { status, headers } = await browse(world, path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = Object.fromEntries(
        (headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/s)),
      );
      const { 'style-src': styles = "'self'", ...others } = policy;
      expect(others).toEqual({
        'default-src': "'self'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(styles).toBe(path === '/graphql' ? "'self' 'unsafe-inline'" : "'self'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    },
  );

  test('has no inline script but data', async () => {
    for (const path of ['/', '/graphql']) {
      const { text } = await open(demo, path);
      const scripts = filesOf(text).filter((file) => file.endsWith('.js'));
      expect(text.match(/<script/g)).toHaveLength(scripts.length + 1);
    }
  });
});

describe('GraphiQL', () => {
  test.each([
    ['a GraphQL client', { accept: 'application/graphql-response+json, application/json' }],
    ['a client that takes HTML as well as JSON', { accept: 'application/json, text/html' }],
  ])('is not what %s gets from GET /graphql', async (_who, headers) => {
    const person = await world.person(await world.company());
    const query = `/graphql?query=${encodeURIComponent('{ viewer { person { id } } }')}`;
    const answer = await world.fetch(query, { headers: { ...headers, authorization: `Bearer ${person.token}` } });
    expect(answer).toMatchObject({ status: 200, body: { data: { viewer: { person: { id: person.id } } } } });
    expect(answer.headers.get('vary')).toMatch(/\bAccept\b/);
    expect((await world.fetch(query, { headers })).status).toBe(401);
  });

  test('none is served with PAGES=none but those of errors, and the API is', async () => {
    const none = worldWith({ pages: ['none'] });
    for (const path of ['/', '/docs', '/guide', '/history', '/graphiql/graphiql.js'])
      expect([path, (await browse(none, path)).status]).toEqual([path, 404]);
    expect((await browse(none, '/errors')).status).toBe(200);
    expect((await browse(none, '/openapi.json')).status).toBe(200);
    expect((await none.graphql(caller.token, '{ viewer { person { id } } }')).status).toBe(200);
  });

  test('is gone with PAGES without graphiql, and so is the link to it', async () => {
    const off = worldWith({ pages: ['start', 'docs', 'guide', 'history'] });
    const answer = await browse(off, '/graphql');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    for (const path of ['/graphiql/graphiql.js', '/graphiql/schema.json']) {
      expect((await browse(off, path)).status).toBe(404);
    }
    expect((await browse(off, '/')).text).not.toContain('href="/graphql"');
    expect((await browse(world, '/')).text).toContain('href="/graphql"');
  });

  test('has one worked example for each query, mutation and subscription that exists, and each is valid', async () => {
    const schema = buildClientSchema((await world.fetch('/graphiql/schema.json')).body.data);
    const { queries } = settings((await browse(world, '/graphql')).text);
    const documents = queries.map(({ query }: Json) => parse(query));
    for (const document of documents) expect(validate(schema, document)).toEqual([]);
    const placeholders = queries.flatMap(({ variables: { input, ...ids } }: Json) =>
      Object.values({ ...ids, ...input }),
    );
    for (const value of placeholders) expect(String(value)).toMatch(/^([A-Z_]+_ID|1)$/);
    const used = (documents as ReturnType<typeof parse>[]).flatMap(({ definitions }) =>
      definitions.flatMap((definition) =>
        definition.kind === 'OperationDefinition'
          ? definition.selectionSet.selections.map((field) => ('name' in field ? field.name.value : ''))
          : [],
      ),
    );
    const fields = [schema.getMutationType(), schema.getQueryType(), schema.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(used.sort()).toEqual(fields.sort());
  });
});

const cookieOfAnotherPort = await cookieAt('http://localhost:4001');
const anotherKey = new DemoKey();
const cookieOfAnotherProcess = anotherKey.cookieFor(new Request(anotherKey.addressAt('http://localhost:4000'))) ?? '';

describe('the demo token', () => {
  test.each(['http://localhost:4000', 'http://127.1.2.3', 'http://[::1]:4000'])(
    'is prefilled for a browser at %s',
    async (origin) => {
      const { token, queries } = settings((await open(demo, '/graphql', origin)).text);
      expect(token).toBe(secret);
      expect(JSON.stringify(queries)).toContain('"goal-launch-mobile-app"');
      const start = (await open(demo, '/', origin)).text;
      expect(start).toContain(`${origin}/api/external/v1/reopen_goal`);
      expect(start).toContain(secret);
    },
  );

  test.each([
    ['a name that was made to resolve to 127.0.0.1', 'http://rebound.example.com:4000', {}],
    ['a proxy', 'http://localhost:4000', { 'x-forwarded-for': '203.0.113.9' }],
  ])('is not shown through %s', async (_what, origin, headers) => {
    const cookie = (await cookieAt('http://localhost:4000')).replace('4000', new URL(origin).port || '80');
    for (const path of ['/', '/graphql', '/docs']) {
      const { status, text } = await browse(demo, path, origin, { cookie, ...headers });
      expect(status).toBe(200);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('"goal-launch-mobile-app"');
    }
    const opened = await demo.fetchAt(new Request(key.addressAt(origin), { headers }));
    expect(opened.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ['nothing', {}],
    ['the cookie of another port', { cookie: cookieOfAnotherPort }],
    ['the cookie of another process', { cookie: cookieOfAnotherProcess }],
  ])(
    'is not shown to a visitor of this machine with %s, who is told to open the start address',
    async (_what, headers) => {
      for (const path of ['/', '/graphql', '/docs']) {
        const { status, text } = await browse(demo, path, undefined, headers);
        expect(status).toBe(200);
        expect(text).not.toContain(secret);
        expect(text).not.toContain('"goal-launch-mobile-app"');
        if (path !== '/docs') expect(text).toContain('printed after <code>Open</code> when it started');
      }
    },
  );

  test('needs the start address, which sets a cookie for this machine and leaves the URL', async () => {
    for (const again of [1, 2]) {
      const { status, headers } = await demo.fetchAt(key.addressAt('http://localhost:4000'));
      expect({ again, status, location: headers.get('location') }).toEqual({ again, status: 303, location: '/' });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('set-cookie')).toMatch(/^goalpost_demo_4000=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
      expect(key.addressAt('')).not.toContain(headers.get('set-cookie')?.slice(19, 62));
    }
  });

  test('is not given for the wrong secret, which leaves the URL too', async () => {
    const { status, headers } = await demo.fetchAt(`http://localhost:4000/?demo=${'x'.repeat(43)}`);
    expect({ status, location: headers.get('location') }).toEqual({ status: 303, location: '/' });
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('is not sent by a browser: the API takes no cookie', async () => {
    const headers = { cookie: await cookieAt('http://localhost:4000'), 'content-type': 'application/json' };
    for (const path of ['/graphql', restPaths.reopenGoal]) {
      const request = new Request(`http://localhost:4000${path}`, { method: 'POST', headers, body: '{}' });
      expect((await demo.fetchAt(request)).status, path).toBe(401);
    }
  });

  test('or not, the commands use the address that callers use, and quote what a shell would run', async () => {
    const published = worldWith({ publicUrl: 'https://api.example.com' });
    const shown = (await browse(published, '/')).text;
    expect(shown).toContain('curl -sS https://api.example.com/api/external/v1/');
    expect(shown).toContain('curl -N https://api.example.com/graphql ');
    const hostile = "http://a'$(reboot)'.example.com";
    const { text } = await browse(world, '/', hostile);
    const quoted = '&#39;http://a&#39;\\&#39;&#39;$(reboot)&#39;\\&#39;&#39;.example.com';
    expect(text).toContain(`curl -sS ${quoted}/api/`);
    expect(text).toContain(`curl -N ${quoted}/graphql&#39; `);
  });

  test('is in no file that a cache may keep', async () => {
    const { text } = await open(demo, '/graphql');
    for (const file of [...filesOf(text), '/graphiql/schema.json', '/schema.graphql']) {
      expect((await browse(demo, file)).text, file).not.toContain(secret);
    }
  });

  test('follows the Host header of the real connection', async () => {
    const { port } = new URL(await demo.base());
    const cookie = await cookieAt(`http://localhost:${port}`);
    const ask = async (host: string) => {
      const request = send({ port, host: '127.0.0.1', path: '/', headers: { host, cookie } }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return (await response.toArray()).join('');
    };
    expect(await ask(`localhost:${port}`)).toContain(secret);
    for (const host of [`rebound.example.com:${port}`, `evil@localhost:${port}`, `localhost:${port}@evil.example`]) {
      expect(await ask(host), host).not.toContain(secret);
    }
  });
});

test('the requests of the demo succeed again and again, in the order of the page', async () => {
  const tokens = await openDemo(shown.db, await temporaryFolder());
  const gateway = new World(shown.db, shown.url, { demo: { token: tokens?.write ?? '', key } });
  const restored: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { token, requests } = settings((await open(gateway, '/')).text);
    const { undoChange: _, ...runnable } = restPaths;
    const runs = requests.filter(({ body }: Json) => body);
    expect(runs.map(({ path }: Json) => path)).toEqual(Object.values(runnable));
    expect(requests.map(({ path }: Json) => path)).toEqual(Object.values(restPaths));
    for (const { path, body } of runs) {
      const { status, body: answer } = await shown.post(path, token, body);
      expect([path, status]).toEqual([path, 200]);
      if (answer.restored_version) restored.push(answer.restored_version.restored_from_version_number);
      if (path === restPaths.recoverResourceHubFile) expect(answer.file.id).toBe('file-home-screen');
    }
  }
  // Each takes the one before back.
  expect(restored).toEqual([4, 5, 6]);
});

test('a command of the pages runs as it is, and what is run twice changes something once', async () => {
  const { caller: person, hub } = await world.teamWithHub('space');
  const { id } = await world.file(hub, person, { id: "it's $HOME" });
  const url = `${await world.base()}${restPaths.deleteResourceHubFile}`;
  const env = { ...process.env, TOKEN: person.token };
  const send = async () =>
    (await promisify(execFile)('sh', ['-c', curlCommand(url, { file_id: id }, 'key-1')], { env })).stdout;
  const first = await send();
  expect(JSON.parse(first).file.id).toBe(id);
  expect(await send()).toBe(first);
  const { status } = await world.post(restPaths.deleteResourceHubFile, person.token, { file_id: id });
  expect(status).toBe(404);
});

describe('the start page', () => {
  test('says where agents connect, if they may, and what GraphiQL has on the demo as elsewhere', async () => {
    expect((await browse(worldWith({ mcp: true }), '/')).text).toContain('<code>/mcp</code>');
    expect((await browse(worldWith({ mcp: false }), '/')).text).not.toContain('<code>/mcp</code>');
    const names = (text: string) => settings(text).queries.map(({ query }: Json) => /^\w+ \w+/m.exec(query)?.[0]);
    const elsewhere = names((await browse(world, '/graphql')).text);
    expect(names((await open(demo, '/graphql', 'http://localhost:4000')).text)).toEqual(elsewhere);
    expect(elsewhere).toContain('mutation UndoChange');
  });

  test('offers a schema that tools can read', async () => {
    const { body, headers } = await world.fetch('/schema.graphql');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(buildSchema(body.text).getMutationType()?.getFields()).toHaveProperty('reopenGoal');
  });
});

describe('a path', () => {
  test('that does not exist is a page for a browser', async () => {
    const { status, headers } = await browse(world, '/error');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('vary')).toMatch(/\bAccept\b/);
  });

  test.each(['/api', '/api/external/v1/', '/api/external/v1/documents'])(
    'above those of the API does not exist: %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await world.fetch(path, { method });
        expect(status).toBe(404);
        expect(headers.has('allow')).toBe(false);
        expect(body.detail).toBe(`The path ${path} does not exist.`);
      }
    },
  );

  test('for programs only is a page for a browser that opens it', async () => {
    const { status, headers, text } = await browse(world, restPaths.reopenGoal);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('This path is for programs');
    expect((await world.fetch(restPaths.reopenGoal)).body.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('cannot break out of the page that says that it does not exist', async () => {
    const { text } = await browse(world, '/<script>alert(1)</script>"onclick="');
    expect(text).not.toMatch(/<script|"onclick/);
  });

  test.each(['/docs', '/errors/NOT_FOUND', '/healthz'])(
    '%s/ is redirected to the same without the slash',
    async (path) => {
      const { status, headers } = await world.fetchAt(
        new Request(`http://localhost:4000${path}/?a=b`, { headers: { accept: 'text/html' }, redirect: 'manual' }),
      );
      expect({ status, location: headers.get('location') }).toEqual({ status: 308, location: `${path}?a=b` });
    },
  );

  test.each(['/docs//', '//docs/', '/nothing/'])('%s is none', async (path) => {
    const { status } = await world.fetchAt(new Request(`http://localhost:4000${path}`));
    expect(status).toBe(404);
  });

  test('of the API is the same with a slash at its end', async () => {
    const { goal } = (await world.post(`${restPaths.reopenGoal}/`, secret, { id: null })).body;
    expect(goal).toBeNull();
    const answer = await world.graphql(secret, '{ __typename }');
    expect((await world.post('/graphql/', secret, { query: '{ __typename }' })).body).toEqual(answer.body);
    const query = await world.fetch('/graphql/?query={__typename}', { headers: { authorization: `Bearer ${secret}` } });
    expect(query.body).toEqual(answer.body);
    expect((await world.post(`${restPaths.reopenGoal}/`, null, {})).status).toBe(401);
  });
});

describe('a page', () => {
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.fetchAt(new Request(`http://gateway.test${path}`, { method, headers: { accept: 'text/html', ...headers } }));

  test.each(['/docs', '/nothing'])('%s is compressed for those who can read that', async (path) => {
    const plain = await get(path);
    const zipped = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.status).toBe(plain.status);
    expect(zipped.headers.get('vary')).toMatch(/\bAccept-Encoding\b/);
    const [text, bytes] = [await plain.text(), Buffer.from(await zipped.arrayBuffer())];
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length * 0.7);
  });
});

describe('a static file', () => {
  const path = '/graphiql/react.js';
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await world.fetchAt(new Request(`http://gateway.test${path}`, { method, headers }));
    return { status: response.status, headers: response.headers, bytes: (await response.arrayBuffer()).byteLength };
  };

  test('is public, with its type and length, and asked for again each time', async () => {
    const { status, headers, bytes } = await get();
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(bytes),
      'cache-control': 'public, no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
  });

  test('that has not changed is 304, without a body', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      expect(await get({ 'if-none-match': given }), given).toMatchObject({ status: 304, bytes: 0 });
    }
    expect(await get({ 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
  });

  test('is compressed for those who can read that', async () => {
    const plain = await get();
    const zipped = await get({ 'accept-encoding': 'gzip, br' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.bytes / 2);
    expect(zipped.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect((await get({ 'accept-encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBeNull();
  });

  test('is only what is listed: there is no way to the folders around it', async () => {
    for (const other of ['/graphiql/', '/graphiql/../package.json', '/graphiql/%2e%2e/package.json', '/pages/start']) {
      expect((await browse(world, other)).status, other).toBe(404);
    }
  });
});
