import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NodeServer } from '../../src/platform/http/server.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { holdGoals } from '../support/holdGoals.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const authorization = `Authorization: Bearer ${caller.token}`;

async function socketTo(at: World) {
  const { hostname, port } = new URL(await at.base());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes, and returns everything that comes back until the server ends the connection. */
async function exchange(bytes: string, at = world): Promise<string> {
  const socket = await socketTo(at);
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  return text(socket);
}

const answersIn = (received: string) =>
  received.split(/(?=HTTP\/1\.1 \d)/).map((answer) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const headers = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/).map((part, index) => (index === 0 ? part.toLowerCase() : part))),
    );
    return { status: Number(head.split(' ')[1]), headers, body };
  });

const lines = (...given: string[]) => `${given.join('\r\n')}\r\n\r\n`;
const host = 'Host: localhost';
const viewer = encodeURIComponent('{ viewer { person { id } } }');

describe('a request that is no HTTP', () => {
  test.each([
    ['a host with a space', lines('GET /healthz HTTP/1.1', 'Host: a b')],
    ['half an IPv6 address', lines('GET /healthz HTTP/1.1', 'Host: [::1')],
    ['a host with a query', lines('GET /healthz HTTP/1.1', 'Host: a?b')],
    ['a host with a user', lines('GET / HTTP/1.1', 'Host: evil@localhost')],
    ['an empty host', lines('GET /healthz HTTP/1.1', 'Host:')],
    ['two hosts', lines('GET /healthz HTTP/1.1', host, 'Host: other')],
    ['two tokens', lines('GET /healthz HTTP/1.1', host, 'Authorization: Bearer one', 'Authorization: Bearer two')],
    ['no host', lines('GET /healthz HTTP/1.1', 'Accept: */*')],
    ['an asterisk', lines('GET * HTTP/1.1', host)],
    ['a URL of another scheme', lines('GET ftp://localhost/healthz HTTP/1.1', host)],
    ['a URL with a user', lines('GET http://user@localhost/healthz HTTP/1.1', host)],
    ['a URL with a bad Host beside it', lines('GET http://localhost/healthz HTTP/1.1', 'Host: a b')],
    ['a fragment', lines('GET /healthz#top HTTP/1.1', host)],
    ['a target without a slash', lines('GET healthz HTTP/1.1', host)],
    ['a method that does not exist', lines('FETCH /healthz HTTP/1.1', host)],
    ['a method in lower case', lines('get /healthz HTTP/1.1', host)],
    ['no version of HTTP', lines('GET /healthz', host)],
    ['a header without a colon', lines('GET /healthz HTTP/1.1', host, 'Broken')],
    ['a header value with NUL', lines('GET /healthz HTTP/1.1', host, 'X: a\0b')],
    ['a header that is folded', lines('GET /healthz HTTP/1.1', host, 'X: a', ' b')],
    ['two lengths', lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, 'Content-Length: 2', 'Content-Length: 3')],
    [
      'a length beside chunks',
      lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    ],
    ['an encoding that is not known', lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, 'Transfer-Encoding: zip')],
    ['what is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['binary', '\0\x01\x02\xff\r\n\r\n'],
  ])('%s is 400 with everything an answer has, and a line in the log', async (_what, bytes) => {
    world.log.length = 0;
    const received = await exchange(bytes);
    const [{ status, headers, body } = { status: 0, headers: {} as Json, body: '' }, ...others] = answersIn(received);
    expect(others).toEqual([]);
    expect(status).toBe(400);
    expect(headers).toMatchObject({
      connection: 'close',
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(JSON.parse(body)).toMatchObject({
      type: '/errors/MALFORMED_REQUEST',
      code: 'MALFORMED_REQUEST',
      request_id: headers['x-request-id'],
    });
    expect(received).not.toMatch(/node_modules|\.[jt]s\b|\n {4}at /);
    expect(world.log).toMatchObject([{ level: 30, msg: 'request', status: 400, requestId: headers['x-request-id'] }]);
  });

  test('keeps the id that the caller gave', async () => {
    const [answer] = answersIn(await exchange(lines('GET * HTTP/1.1', host, 'X-Request-Id: mine-1')));
    expect(answer?.headers['x-request-id']).toBe('mine-1');
  });

  test.each([
    ['a header', lines('GET /healthz HTTP/1.1', host, `X: ${'x'.repeat(17_000)}`)],
    ['a target', lines(`GET /${'x'.repeat(17_000)} HTTP/1.1`, host)],
  ])('%s of more than 16 KiB is 431', async (_what, bytes) => {
    const [answer] = answersIn(await exchange(bytes));
    expect(answer?.status).toBe(431);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'HEADERS_TOO_LARGE' });
  });

  test.each([
    ['headers', `GET /healthz HTTP/1.1\r\n${host}\r\n`],
    [
      'a body',
      lines(
        `POST ${restPaths.reopenGoal} HTTP/1.1`,
        host,
        authorization,
        'Content-Type: application/json',
        'Content-Length: 9',
      ),
    ],
  ])('%s that never ends is 408', async (_what, bytes) => {
    const [answer] = answersIn(await exchange(bytes, new World(world.db, world.url, { requestTimeout: 300 })));
    expect(answer?.status).toBe(408);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  test.each([
    ['a chunk whose size is no number', 'zz\r\n{}\r\n'],
    ['a chunk size that is too large', 'fffffffffffffffffffff\r\n'],
  ])('%s is 400, and closes the connection', async (_what, body) => {
    const head = [`POST ${restPaths.reopenGoal} HTTP/1.1`, host, authorization, 'Content-Type: application/json'];
    const answers = answersIn(await exchange(lines(...head, 'Transfer-Encoding: chunked') + body));
    expect(answers).toMatchObject([{ status: 400, headers: { connection: 'close' } }]);
    expect(JSON.parse(answers[0]?.body ?? '').code).toBe('MALFORMED_REQUEST');
  });

  test('does no harm when the client resets the connection at once', async () => {
    for (let size = 0; size < 20_000; size += 200) {
      const socket = await socketTo(world);
      socket.on('error', () => {});
      socket.write(`garbage\r\n\r\n${'x'.repeat(size)}`);
      if (size % 400 === 0) await setTimeout(1);
      socket.resetAndDestroy();
    }
    expect((await world.fetch('/healthz')).status).toBe(200);
  });

  test('does not spoil the answer to the request before it', async () => {
    const first = lines(`GET /graphql?query=${viewer} HTTP/1.1`, host, authorization);
    const answers = answersIn(await exchange(`${first}garbage\r\n\r\n`));
    expect(answers).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
  });

  test.each([['that keeps the connection', lines('GET /docs HTTP/1.1', host)]])(
    'does not cut off a long answer %s, which is still being sent',
    async (_, request) => {
      const socket = await socketTo(world);
      socket.write(request);
      await once(socket, 'readable');
      for (const _ of [1, 2, 3]) {
        socket.write('garbage\r\n\r\n');
        await setTimeout(30);
      }
      const [answer] = answersIn(await text(socket));
      expect(answer?.status).toBe(200);
      expect(answer?.body.endsWith('</html>\n')).toBe(true);
    },
  );
});

test('a client that reads no answer and goes on sending what is no HTTP leaves nothing behind for each piece', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const socket = await socketTo(world);
  socket.on('error', () => {}).pause();
  socket.write(lines('GET /docs HTTP/1.1', host).repeat(60));
  await setTimeout(500);
  for (let piece = 0; piece < 50; piece += 1) {
    socket.write('\0garbage\r\n\r\n');
    await setTimeout(5);
  }
  socket.destroy();
  expect(warnings).toEqual([]);
  expect((await world.fetch('/healthz')).status).toBe(200);
});

test('a request for a tunnel ends the connection', async () => {
  expect(await exchange(lines('CONNECT example.com:443 HTTP/1.1', host))).toBe('');
});

describe('a request that is answered before its body is read', () => {
  test.each([
    ['ends too early', 'Content-Length: 16', '{}'],
    ['breaks off', 'Content-Length: 60000', 'x'.repeat(30_000)],
    ['has a chunk whose size is no number', 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n'],
    ['has chunks that end too early', 'Transfer-Encoding: chunked', '5\r\n{}'],
  ])('gets no second answer if the body %s', async (_what, framing, body) => {
    const socket = await socketTo(world);
    socket.on('error', () => {});
    const received = text(socket);
    socket.write(lines('GET /healthz HTTP/1.1', host, framing));
    await once(socket, 'readable');
    socket.end(body, 'latin1');
    expect(answersIn(await received).map(({ status }) => status)).toEqual([200]);
  });
});

describe('a request', () => {
  test.each(['http://evil.example/graphql', 'HTTP://127.0.0.1:99/graphql', 'https://[::1]/graphql'])(
    'for %s is for its path',
    async (target) => {
      const bytes = lines(`GET ${target}?query=${viewer} HTTP/1.1`, host, authorization, 'Connection: close');
      const [answer] = answersIn(await exchange(bytes));
      expect(answer?.status).toBe(200);
      expect(JSON.parse(answer?.body ?? '').data.viewer.person.id).toBe(caller.id);
    },
  );

  test('for a URL without a path is for the start page', async () => {
    const [answer] = answersIn(await exchange(lines('GET http://evil.example HTTP/1.1', host, 'Connection: close')));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  });

  test('without a host is answered in HTTP/1.0', async () => {
    expect(answersIn(await exchange('GET /healthz HTTP/1.0\r\n\r\n'))).toMatchObject([{ status: 200 }]);
  });

  test.each(['TRACE', 'PROPFIND', 'PUT'])('with the method %s is 405', async (method) => {
    const [answer] = answersIn(await exchange(lines(`${method} /healthz HTTP/1.1`, host, 'Connection: close')));
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test('in a pipeline is answered in its turn', async () => {
    const slow = lines(`GET /graphql?query=${viewer} HTTP/1.1`, host, authorization);
    const answers = answersIn(
      await exchange(
        `${slow}${lines('GET /healthz HTTP/1.1', host)}${lines('GET /nothing HTTP/1.1', host, 'Connection: close')}`,
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  });

  test('in a pipeline runs when the one before it has its answer, and not before', async () => {
    const goal = await world.closedGoal(space);
    const body = JSON.stringify({ id: goal.id });
    const release = await holdGoals(world.url);
    world.log.length = 0;
    const slow = `${lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, authorization, 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
    const received = exchange(`${slow}${lines('GET /nothing HTTP/1.1', host, 'Connection: close')}`);
    await setTimeout(300);
    expect(world.log).toEqual([]);
    await release();
    expect(answersIn(await received).map(({ status }) => status)).toEqual([200, 404]);
    expect(world.log.map(({ status }) => status)).toEqual([200, 404]);
  });

  test('in a long pipeline is read whole, wherever the pieces end that it comes in', async () => {
    const bodies = Array.from({ length: 120 }, (_, index) => 'x'.repeat((index * 379) % 9_000));
    const requests = bodies.map(
      (body, index) =>
        `${lines('POST /graphql HTTP/1.1', host, `X-Request-Id: turn-${index}`, `Content-Length: ${body.length}`)}${body}`,
    );
    const last = lines('GET /healthz HTTP/1.1', host, 'X-Request-Id: last', 'Connection: close');
    const answers = answersIn(await exchange(`${requests.join('')}${last}`));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual([...bodies.map((_, index) => `turn-${index}`), 'last']);
  });

  test('in a pipeline before what is no HTTP is answered, and then the connection ends', async () => {
    const slow = lines(`GET /graphql?query=${viewer} HTTP/1.1`, host, authorization);
    const healthy = lines('GET /healthz HTTP/1.1', host);
    const answers = answersIn(await exchange(`${slow}${healthy}${healthy}garbage\r\n\r\n`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.at(-1)?.headers.connection).toBe('close');
    const broken = `${lines('POST /graphql HTTP/1.1', host, 'Transfer-Encoding: chunked')}zz\r\n`;
    const others = answersIn(await exchange(`${slow}${healthy}${broken}`));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  test('may expect what nobody knows', async () => {
    const bytes = lines('GET /healthz HTTP/1.1', host, 'Expect: the-unexpected', 'Connection: close');
    expect(answersIn(await exchange(bytes))).toMatchObject([{ status: 200 }]);
  });
});

test('a request has 30 seconds to arrive', () => {
  const { server } = new NodeServer({ app: world.app, logger: createLogger('silent') });
  expect(server).toMatchObject({ requestTimeout: 30_000, headersTimeout: 30_000 });
});

describe('a client that reads nothing of its answers', () => {
  test('is not one whose request takes longer than that', async () => {
    const hasty = new World(world.db, world.url, { readTimeout: 300 });
    const goal = await world.closedGoal(space);
    const release = await holdGoals(world.url);
    const answer = hasty.post(restPaths.reopenGoal, caller.token, { id: goal.id });
    await setTimeout(1000);
    await release();
    expect((await answer).status).toBe(200);
  });
});

test('a header counts however many come before it', async () => {
  const many = Array.from({ length: 2_100 }, () => 'x:');
  const [answer] = answersIn(
    await exchange(lines(`GET /graphql?query=${viewer} HTTP/1.1`, host, 'Connection: close', ...many, authorization)),
  );
  expect(answer?.status).toBe(200);
});

test('the server keeps a connection without a request for longer than proxies do', async () => {
  const { headers } = await world.fetch('/healthz', { headers: { connection: 'keep-alive' } });
  expect(headers.get('keep-alive')).toBe('timeout=65');
});

describe('a failure outside of the steps of a request', () => {
  test('is 500 without details, and its cause is in the log', async () => {
    const app = { ...world.app, handle: () => Promise.reject(new Error('the insides')) };
    const failing = new World(world.db, world.url, { app });
    const received = await exchange(lines('GET /healthz HTTP/1.1', host, 'Connection: close'), failing);
    const [answer] = answersIn(received);
    expect(answer?.status).toBe(500);
    expect(received).not.toContain('insides');
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    const requestId = answer?.headers['x-request-id'];
    expect(failing.log).toMatchObject([
      { level: 50, requestId, err: { message: 'the insides' } },
      { level: 30, requestId, status: 500, path: '/healthz' },
    ]);
  });
});

describe('after a refusal', () => {
  const post = (...headers: string[]) => lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, ...headers);
  const json = 'Content-Type: application/json';
  const large = 'Content-Length: 1000000000';

  /** How many bytes the server takes after the headers, from a client that sends as fast as it can. */
  async function taken(head: string, chunk: Buffer): Promise<{ received: string; sent: number; milliseconds: number }> {
    const started = performance.now();
    const socket = await socketTo(world);
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(head);
    await once(socket, 'data');
    const send = () => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await new Promise((resolve) => void socket.once('close', resolve));
    return { received, sent: socket.bytesWritten, milliseconds: performance.now() - started };
  }

  test.concurrent.for([
    ['401 without a token', 401, post(json, large)],
    ['405 for a method', 405, lines('PUT /healthz HTTP/1.1', host, large)],
    ['400 for the host', 400, lines('POST /graphql HTTP/1.1', 'Host: a b', large)],
    ['401 for chunks without end', 401, post(json, 'Transfer-Encoding: chunked')],
  ] as const)('%s, a body without end is read for a moment only', async ([, status, head], { expect }) => {
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const { received, sent, milliseconds } = await taken(head, chunk);
    expect(answersIn(received)).toMatchObject([{ status }]);
    // What is in the buffers of both ends counts as sent.
    expect(sent).toBeLessThan(30_000_000);
    expect(milliseconds).toBeLessThan(10_000);
  });

  test('a short body is read, and the connection serves the next request', async () => {
    const body = '{}';
    const bytes = `${post(json, `Content-Length: ${body.length}`)}${body}${lines('GET /healthz HTTP/1.1', host, 'Connection: close')}`;
    expect(answersIn(await exchange(bytes)).map(({ status }) => status)).toEqual([401, 200]);
  });

  test('a short body that never comes ends the connection', async () => {
    const answers = answersIn(await exchange(post(json, 'Content-Length: 10')));
    expect(answers).toMatchObject([{ status: 401 }]);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (path: string, ...headers: string[]) =>
    lines(`POST ${path} HTTP/1.1`, host, 'Expect: 100-continue', ...headers);
  const json = 'Content-Type: application/json';
  const size = 'Content-Length: 11';

  test.each([
    [401, expecting(restPaths.reopenGoal, json, size)],
    [404, expecting('/nothing', json, size)],
    [405, expecting('/healthz', json, size)],
    [406, expecting(restPaths.reopenGoal, authorization, json, size, 'Accept: text/html')],
    [403, expecting(restPaths.reopenGoal, `Authorization: Bearer ${caller.readOnlyToken}`, json, size)],
    [415, expecting(restPaths.reopenGoal, authorization, 'Content-Type: text/plain', size)],
    [413, expecting(restPaths.reopenGoal, authorization, json, 'Content-Length: 99999999')],
    [401, expecting('/graphql', json, size)],
    [415, expecting('/graphql', authorization, size)],
    [400, expecting('/graphql', authorization, json, size).replace(host, 'Host: a b')],
  ])('is answered with %i instead, where the headers say enough', async (status, bytes) => {
    expect(answersIn(await exchange(bytes))).toMatchObject([{ status, headers: { connection: 'close' } }]);
  });

  test.each([
    [restPaths.reopenGoal, '{}'],
    ['/graphql', JSON.stringify({ query: '{ viewer { person { id } } }' })],
  ])('is answered with 100 once %s wants the body', async (path, body) => {
    const socket = await socketTo(world);
    const length = `Content-Length: ${body.length}`;
    socket.write(expecting(path, authorization, json, length, 'Connection: close'));
    const [first] = await once(socket, 'data');
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    expect(answersIn(await text(socket))).toMatchObject([{ status: 200 }]);
  });
});

describe.each([
  ['GraphQL', 'POST', '/graphql', 200],
  ['REST', 'POST', restPaths.reopenGoal, 200],
  ['a refusal', 'POST', '/nothing', 404],
  ['the health check', 'GET', '/healthz', 200],
] as const)('an answer of %s', (_what, method, path, status) => {
  const body = path === '/graphql' ? { query: '{ viewer { person { id } } }' } : {};
  const ask = () => (method === 'POST' ? world.post(path, caller.token, body) : world.fetch(path));

  test('may be kept by nobody', async () => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('says its length', async () => {
    const { headers, body: json } = await ask();
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(json))));
  });
});
