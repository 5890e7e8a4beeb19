import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { NodeServer } from '../../src/platform/http/server.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { exchange as exchanged, lines, reopening, sending } from '../support/rawHttp.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const authorization = `Authorization: Bearer ${caller.token}`;

const exchange = (bytes: string, at = world) => exchanged(bytes, at);

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

const host = 'Host: localhost';
const viewer = encodeURIComponent('{ viewer { person { id } } }');

describe('a request that is no HTTP', () => {
  test.each([
    ['a host with a space', lines('GET /healthz HTTP/1.1', 'Host: a b')],
    ['a host with a user', lines('GET / HTTP/1.1', 'Host: evil@localhost')],
    ['two hosts', lines('GET /healthz HTTP/1.1', host, 'Host: other')],
    ['two tokens', lines('GET /healthz HTTP/1.1', host, 'Authorization: Bearer one', 'Authorization: Bearer two')],
    ['no host', lines('GET /healthz HTTP/1.1', 'Accept: */*')],
    ['an asterisk', lines('GET * HTTP/1.1', host)],
    ['a URL of another scheme', lines('GET ftp://localhost/healthz HTTP/1.1', host)],
    ['a URL with a user', lines('GET http://user@localhost/healthz HTTP/1.1', host)],
    ['a fragment', lines('GET /healthz#top HTTP/1.1', host)],
    ['what is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
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

  test('does not cut off a long answer, which is still being sent', async () => {
    const socket = await sending(lines('GET /docs HTTP/1.1', host), world);
    await once(socket, 'readable');
    for (const _ of [1, 2, 3]) {
      socket.write('garbage\r\n\r\n');
      await setTimeout(30);
    }
    const [answer] = answersIn(await text(socket));
    expect(answer?.status).toBe(200);
    expect(answer?.body.endsWith('</html>\n')).toBe(true);
  });
});

describe('a request that is answered before its body is read', () => {
  test.each([
    ['ends too early', 'Content-Length: 16', '{}'],
    ['has a chunk whose size is no number', 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n'],
  ])('gets no second answer if the body %s', async (_what, framing, body) => {
    const socket = await sending(lines('GET /healthz HTTP/1.1', host, framing), world);
    const received = text(socket);
    await once(socket, 'readable');
    socket.end(body, 'latin1');
    expect(answersIn(await received).map(({ status }) => status)).toEqual([200]);
  });
});

describe('a request', () => {
  test('for a whole URL is for its path', async () => {
    const target = `HTTP://evil.example:99/graphql?query=${viewer}`;
    const [answer] = answersIn(
      await exchange(lines(`GET ${target} HTTP/1.1`, host, authorization, 'Connection: close')),
    );
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.body ?? '').data.viewer.person.id).toBe(caller.id);
  });

  test('in a pipeline runs when the one before it has its answer, and not before', async () => {
    const goal = await world.closedGoal(space);
    const body = JSON.stringify({ id: goal.id });
    const release = await world.holdGoals();
    world.log.length = 0;
    const slow = reopening(caller.token, body.length) + body;
    const received = exchange(`${slow}${lines('GET /nothing HTTP/1.1', host, 'Connection: close')}`);
    await setTimeout(300);
    expect(world.log).toEqual([]);
    await release();
    expect(answersIn(await received).map(({ status }) => status)).toEqual([200, 404]);
    expect(world.log.map(({ status }) => status)).toEqual([200, 404]);
  });

  test('in a pipeline leaves the process to others before the next one, although all have come in one piece', async () => {
    const one = `${lines('POST /nothing HTTP/1.1', host, 'Content-Length: 2')}{}`;
    world.log.length = 0;
    const received = exchange(`${one.repeat(60)}${lines('GET /nothing HTTP/1.1', host, 'Connection: close')}`);
    let most = 0;
    for (let before = 0; world.log.length < 61; before = world.log.length) {
      await new Promise(setImmediate);
      most = Math.max(most, world.log.length - before);
    }
    expect(answersIn(await received).map(({ status }) => status)).toEqual(Array(61).fill(404));
    expect(most).toBeLessThanOrEqual(2);
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
});

test('a request has 30 seconds to arrive', () => {
  const { server } = new NodeServer({ app: world.app, logger: createLogger('silent') });
  expect(server).toMatchObject({ requestTimeout: 30_000, headersTimeout: 30_000 });
});

test('a client whose request takes longer than an answer may lie unread is not disconnected', async () => {
  const hasty = new World(world.db, world.url, { readTimeout: 100 });
  const goal = await world.closedGoal(space);
  const release = await world.holdGoals();
  const answer = hasty.post(restPaths.reopenGoal, caller.token, { id: goal.id });
  await setTimeout(400);
  await release();
  expect((await answer).status).toBe(200);
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
    const socket = await sending(head, world);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
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
    ['401 for chunks without end', 401, post(json, 'Transfer-Encoding: chunked')],
  ] as const)('%s, a body without end is read for a moment only', async ([, status, head], { expect }) => {
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const { received, sent, milliseconds } = await taken(head, chunk);
    expect(answersIn(received)).toMatchObject([{ status }]);
    // What is in the buffers of both ends counts as sent.
    expect(sent).toBeLessThan(30_000_000);
    expect(milliseconds).toBeLessThan(10_000);
  });

  test.each([
    ['401', 401, post(json, 'Content-Length: 65537')],
    ['401 in chunks', 401, post(json, 'Transfer-Encoding: chunked')],
    ['406', 406, post(json, 'Accept: text/html', authorization, 'Content-Length: 65537')],
    ['415', 415, post('Content-Type: text/plain', authorization, 'Content-Length: 1048576')],
    ['413', 413, post(json, authorization, 'Content-Length: 1048577')],
  ])('%s before a long body says that the connection ends, and ends it', async (_what, status, head) => {
    const [answer, ...others] = answersIn(await exchange(head));
    expect({ status: answer?.status, connection: answer?.headers.connection }).toEqual({ status, connection: 'close' });
    expect(others).toEqual([]);
  });

  test('a client that sends all of a long body before it reads gets the response', async () => {
    const socket = await sending(post(json, 'Content-Length: 1000000'), world);
    socket.pause();
    for (let sent = 0; sent < 1_000_000; sent += 100_000) {
      socket.write('x'.repeat(100_000));
      await setTimeout(5);
    }
    await setTimeout(100);
    expect(answersIn(await text(socket))).toMatchObject([{ status: 401, headers: { connection: 'close' } }]);
  });

  test('a short body is read, and the connection serves the next request', async () => {
    const body = '{}';
    const bytes = `${post(json, `Content-Length: ${body.length}`)}${body}${lines('GET /healthz HTTP/1.1', host, 'Connection: close')}`;
    expect(answersIn(await exchange(bytes)).map(({ status }) => status)).toEqual([401, 200]);
  });

  test.concurrent('a short body that never comes ends the connection', async ({ expect }) => {
    const answers = answersIn(await exchange(post(json, 'Content-Length: 10')));
    expect(answers).toMatchObject([{ status: 401 }]);
  });
});

test('a client that waits to be asked for its body is asked', async () => {
  const [expects, json] = ['Expect: 100-continue', 'Content-Type: application/json'];
  const length = 'Content-Length: 2';
  const socket = await sending(
    lines(`POST ${restPaths.reopenGoal} HTTP/1.1`, host, authorization, expects, json, length, 'Connection: close'),
    world,
  );
  const [first] = await once(socket, 'data');
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{}');
  expect(answersIn(await text(socket))).toMatchObject([{ status: 200 }]);
});

test.each([
  ['/graphql', { query: '{ viewer { person { id } } }' }],
  [restPaths.reopenGoal, {}],
])('an answer of %s says its length, and may be kept by nobody', async (path, body) => {
  const { status, headers, body: json } = await world.post(path, caller.token, body);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(json))));
});
