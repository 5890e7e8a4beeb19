import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Admission } from '../../src/server/admission/admission.js';
import { Overload } from '../../src/server/admission/overload.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { holdGoals } from '../support/holdGoals.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const places = 2;
const log: Json[] = [];
const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
const overload = new Overload(places, logger);
const world = await createWorld({ overload, corsOrigins: ['https://app.example.com'] });
const { caller, space } = await world.team();

const lines: Json[] = [];
const linesOf = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
const crowded = await createWorld({ overload: new Overload(places, linesOf), maxConnections: 1 });

beforeEach(() => {
  log.length = 0;
});

const reopening = '{ reopenGoal(input: { id: "%" }) { goal { id } } }';
const reopen = (id: string, headers = {}) => world.post(restPaths.reopenGoal, caller.token, { id }, headers);

describe('a gateway whose places are all taken', () => {
  test('is one warning per second in the log, and a line only for each admitted request', async () => {
    const goal = await world.closedGoal(space);
    const release = await holdGoals(world.url);
    const admitted = [1, 2].map(() => reopen(goal.id));
    await vi.waitFor(() => expect(overload.admission.inProgress).toBe(places));
    world.log.length = 0;
    const refused = await Promise.all([1, 2, 3, 4, 5].map(() => reopen(goal.id)));
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    await vi.waitFor(() => expect(log.length).toBeGreaterThan(0), { timeout: 5_000 });
    expect(log).toMatchObject([{ level: 40, msg: 'overloaded', refused: 5, inProgress: 2 }]);
    // It is about them all, so in the context of none.
    expect(Object.keys(log[0] as Json)).not.toContain('requestId');
    expect(world.log).toEqual([]);
    await release();
    await Promise.all(admitted);
  });

  test('refuses further requests while the admitted ones wait, and these complete', async () => {
    const goals = await Promise.all([1, 2, 3, 4].map(() => world.closedGoal(space)));
    const [one, other, third, fourth] = goals.map(({ id }) => id) as [string, string, string, string];
    const release = await holdGoals(world.url);
    let answered = 0;
    const admitted = [one, other].map((id) => reopen(id).finally(() => answered++));
    await vi.waitFor(() => expect(overload.admission.inProgress).toBe(places));

    const origin = { origin: 'https://app.example.com' };
    const byRest = await reopen(third, { ...origin, 'x-request-id': 'mine', 'idempotency-key': 'again' });
    const byGraphql = await world.graphql(caller.token, `mutation ${reopening.replace('%', fourth)}`);
    const health = await world.fetch('/healthz?deep');
    expect(answered).toBe(0);
    await release();

    expect(byRest.status).toBe(503);
    expect(byRest.body).toEqual({
      type: '/errors/SERVICE_UNAVAILABLE',
      title: 'The service is temporarily unavailable',
      status: 503,
      detail: 'The server is overloaded, and nothing was changed. Try again in 5 seconds.',
      code: 'SERVICE_UNAVAILABLE',
      request_id: 'mine',
    });
    expect(Object.fromEntries(byRest.headers)).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': '5',
      'x-request-id': 'mine',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'access-control-allow-origin': 'https://app.example.com',
      vary: 'Origin',
    });
    expect(byGraphql).toMatchObject({
      status: 503,
      body: { errors: [{ message: byRest.body.detail, extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
    });
    expect(byGraphql.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(health.status).toBe(200);
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200]);
    const ids = [one, other, third, fourth];
    const open = await world.sql('SELECT id FROM goals WHERE closed_at IS NULL AND id = ANY($1)', [ids]);
    expect(open.map(({ id }) => id).sort()).toEqual([one, other].sort());
    expect(await reopen(third, { 'idempotency-key': 'again' })).toMatchObject({ status: 200 });
  });

  test.each(['/graphql', '/graphql?', '/graphql/', '/graphql/?query={viewer{person{id}}}'])(
    'answers %s as GraphQL',
    async (path) => {
      const goal = await world.closedGoal(space);
      const release = await holdGoals(world.url);
      const admitted = [1, 2].map(() => reopen(goal.id));
      await vi.waitFor(() => expect(overload.admission.inProgress).toBe(places));
      const refused = await world.post(path, caller.token, {});
      await release();
      await Promise.all(admitted);
      expect(refused).toMatchObject({
        status: 503,
        body: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
      });
    },
  );

  test('lends the place of a request whose body is still coming', async () => {
    const { hostname, port } = new URL(await world.base());
    const slow = [1, 2, 3].map(() => connect(Number(port), hostname));
    const body = '{"id":"unknown"}';
    for (const socket of slow) {
      socket.write(
        `POST ${restPaths.reopenGoal} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
      );
    }
    await vi.waitFor(async () => expect((await reopen('unknown')).status).toBe(404));
    await vi.waitFor(() => expect(overload.admission.inProgress).toBe(0));
    for (const socket of slow) {
      socket.write(body.slice(1));
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
      socket.destroy();
    }
    expect(overload.admission.inProgress).toBe(0);
  });
});

describe('bodies that are still coming', () => {
  const narrow = new World(world.db, world.url, { overload: new Overload(places, logger, 130_000) });
  const body = JSON.stringify({ id: 'unknown', message: 'x'.repeat(60_000) });
  const sized = `Content-Length: ${body.length}`;
  const head = (...headers: string[]) =>
    [`POST ${restPaths.reopenGoal} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${caller.token}`]
      .concat('Content-Type: application/json', headers, '', '')
      .join('\r\n');

  async function sending(text: string) {
    const { hostname, port } = new URL(await narrow.base());
    const socket = connect(Number(port), hostname);
    socket.write(text);
    return socket;
  }
  const statusOf = async (socket: Socket) => Number(String((await once(socket, 'data'))[0]).split(' ')[1]);

  test('have a bounded memory together: whoever finds none gets 503 at once, the others complete', async () => {
    const sockets = await Promise.all([1, 2, 3].map(() => sending(head(sized) + body.slice(0, 45_000))));
    const refused = await Promise.race(
      sockets.map(async (socket) => ((await statusOf(socket)) === 503 ? socket : null)),
    );
    const others = sockets.filter((socket) => socket !== refused);
    expect(others).toHaveLength(2);
    for (const socket of others) {
      socket.write(body.slice(45_000));
      expect(await statusOf(socket)).toBe(404);
    }
    refused?.write(body.slice(45_000) + head(sized) + body);
    expect(await statusOf(refused as Socket)).toBe(404);
    for (const socket of sockets) socket.destroy();
    // The warning of another gateway of this file may come as late.
    const warned = expect.objectContaining({ msg: 'overloaded', refused: 1 });
    await vi.waitFor(() => expect(log).toContainEqual(warned), { timeout: 5_000 });
    expect(narrow.log.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('take more than their bytes if they come in many small chunks', async () => {
    const socket = await sending(head('Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(600));
    expect(await statusOf(socket)).toBe(503);
    socket.destroy();
  });
});

test('a connection beyond the most is closed at once, and counted', async () => {
  const { hostname, port } = new URL(await crowded.base());
  const open = () => connect(Number(port), hostname);
  const first = open();
  await once(first, 'connect');
  const second = open();
  second.on('error', () => {});
  await once(second, 'close');
  first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(String((await once(first, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
  await vi.waitFor(
    () => expect(lines).toContainEqual(expect.objectContaining({ msg: 'overloaded', refused: 0, dropped: 1 })),
    5_000,
  );
  first.destroy();
});

describe('who waits for a place', () => {
  test('is admitted in order of arrival, but the newest first when more wait than there are places', async () => {
    const admission = new Admission(2);
    expect([admission.enter(), admission.enter()]).toEqual([true, true]);
    const order: number[] = [];
    const waiting = [1, 2, 3, 4].map(async (number) => {
      expect(await admission.enter()).toBe(true);
      order.push(number);
    });
    for (const _ of waiting) admission.leave();
    await Promise.all(waiting);
    expect(order).toEqual([4, 3, 1, 2]);
    for (const _ of [1, 2]) admission.leave();
    expect([admission.inProgress, admission.waiting]).toEqual([0, 0]);
  });

  test('is refused after a while, and almost at once when the queue has not emptied since', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const admission = new Admission(1, () => Date.now());
    admission.enter();
    const outcomes: string[] = [];
    const enter = async (name: string) => outcomes.push(`${name} ${(await admission.enter()) ? 'runs' : 'is refused'}`);
    enter('first');
    await vi.advanceTimersByTimeAsync(490);
    enter('second');
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(15);
    expect(outcomes).toEqual(['first is refused']);
    await vi.advanceTimersByTimeAsync(25);
    expect(outcomes).toEqual(['first is refused', 'second is refused']);
    enter('third');
    await vi.advanceTimersByTimeAsync(25);
    expect(outcomes.at(-1)).toBe('third is refused');

    // A place that nobody waits for ends the overload.
    admission.leave();
    expect(await admission.enter()).toBe(true);
    enter('fourth');
    await vi.advanceTimersByTimeAsync(400);
    admission.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.at(-1)).toBe('fourth runs');
  });

  test('waits longer where requests take longer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const admission = new Admission(1, () => Date.now());
    for (let count = 0; count < 500; count++) {
      admission.enter();
      admission.leave(100);
    }
    admission.enter();
    const outcomes: boolean[] = [];
    const enter = async () => outcomes.push(await admission.enter());
    enter();
    await vi.advanceTimersByTimeAsync(510);
    enter();
    await vi.advanceTimersByTimeAsync(190);
    expect(outcomes).toEqual([false]);
    await vi.advanceTimersByTimeAsync(20);
    expect(outcomes).toEqual([false, false]);
  });

  test('is bounded in number: the oldest makes room', async () => {
    const admission = new Admission(1);
    admission.enter();
    const [oldest, ...others] = Array.from({ length: 51 }, () => admission.enter());
    expect(admission.waiting).toBe(50);
    expect(await oldest).toBe(false);
    for (const _ of others) admission.leave();
    expect(await Promise.all(others)).toEqual(others.map(() => true));
  });
});
