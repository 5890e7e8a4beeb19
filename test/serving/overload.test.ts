import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Overload, Seat } from '../../src/platform/http/admission.js';
import { createRateLimiters, FairQueue, LongRequest } from '../../src/platform/limits/index.js';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { RequestRecord } from '../../src/platform/telemetry/telemetry.js';
import { eventually } from '../support/eventually.js';
import { reopening as reopeningOf, sending } from '../support/rawHttp.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const places = 2;
const log: Json[] = [];
const logger = createLogger('info', { write: (line: string) => void log.push(JSON.parse(line)) });
const overload = new Overload({ maxConcurrentRequests: places }, logger);
const world = await createWorld({ overload, corsOrigins: ['https://app.example.com'] });
const { caller, space } = await world.team();

const lines: Json[] = [];
const linesOf = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
const crowded = await createWorld({
  overload: new Overload({ maxConcurrentRequests: places }, linesOf),
  maxConnections: 1,
});

beforeEach(() => {
  log.length = 0;
});

const reopening = '{ reopenGoal(input: { id: "%" }) { goal { id } } }';
const reopen = (id: string, headers = {}) => world.post(restPaths.reopenGoal, caller.token, { id }, headers);

describe('a gateway whose places are all taken', () => {
  test('is one warning per second in the log, and a line only for each admitted request', async () => {
    const goal = await world.closedGoal(space);
    const release = await world.holdGoals();
    const admitted = [1, 2].map(() => reopen(goal.id));
    await eventually(() => expect(overload.queue.taken).toBe(places));
    world.log.length = 0;
    const refused = await Promise.all([1, 2, 3, 4, 5].map(() => reopen(goal.id)));
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    await eventually(() => expect(log.length).toBeGreaterThan(0));
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
    const release = await world.holdGoals();
    let answered = 0;
    const admitted = [one, other].map((id) => reopen(id).finally(() => answered++));
    await eventually(() => expect(overload.queue.taken).toBe(places));

    const origin = { origin: 'https://app.example.com' };
    const byRest = await reopen(third, { ...origin, 'x-request-id': 'mine', 'idempotency-key': 'again' });
    const byGraphql = await world.graphql(caller.token, `mutation ${reopening.replace('%', fourth)}`);
    const plain = await world.graphql(
      caller.token,
      `mutation ${reopening.replace('%', fourth)}`,
      {},
      { accept: '*/*' },
    );
    const health = await world.fetch('/healthz?deep');
    expect(plain.status).toBe(503);
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
      'content-type': 'application/problem+json',
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
    expect(byGraphql.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8');
    expect(health.status).toBe(200);
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200]);
    const ids = [one, other, third, fourth];
    const open = await world.sql('SELECT id FROM goals WHERE closed_at IS NULL AND id = ANY($1)', [ids]);
    expect(open.map(({ id }) => id).sort()).toEqual([one, other].sort());
    expect(await reopen(third, { 'idempotency-key': 'again' })).toMatchObject({ status: 200 });
  });

  test('does nothing for a client that left while it waited', async () => {
    const [held, left] = [await world.closedGoal(space), await world.closedGoal(space)];
    const release = await world.holdGoals();
    const admitted = [1, 2].map(() => reopen(held.id));
    await eventually(() => expect(overload.queue.taken).toBe(places));
    const body = JSON.stringify({ id: left.id });
    const client = await sending(reopeningOf(caller.token, body.length) + body, world);
    await eventually(() => expect(overload.queue.waiting).toBe(1));
    world.log.length = 0;
    client.destroy();
    // The server has to notice it before it has a seat.
    await pause(200);
    await release();
    await Promise.all(admitted);
    await eventually(() =>
      expect(world.log).toContainEqual(expect.objectContaining({ cutOff: true, clientGone: true })),
    );
    await eventually(() => expect(overload.queue.taken).toBe(0));
    expect(await world.sql('SELECT id FROM goals WHERE id = $1 AND closed_at IS NULL', [left.id])).toEqual([]);
  });

  test('lends the place of a request whose body is still coming', async () => {
    const body = '{"id":"unknown"}';
    const begun = `${reopeningOf(caller.token, body.length)}{`;
    const slow = await Promise.all([1, 2, 3].map(() => sending(begun, world)));
    await eventually(async () => expect((await reopen('unknown')).status).toBe(404));
    await eventually(() => expect(overload.queue.taken).toBe(0));
    for (const socket of slow) {
      socket.write(body.slice(1));
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
      socket.destroy();
    }
    expect(overload.queue.taken).toBe(0);
  });
});

describe('bodies that are still coming', () => {
  const narrow = new World(world.db, world.url, {
    overload: new Overload({ maxConcurrentRequests: places, bodyBytes: 130_000 }, logger),
  });
  const body = JSON.stringify({ id: 'unknown', message: 'x'.repeat(60_000) });
  const head = reopeningOf(caller.token, body.length);
  const statusOf = async (socket: Socket) => Number(String((await once(socket, 'data'))[0]).split(' ')[1]);

  test('have a bounded memory together: whoever finds none gets 503 at once, the others complete', async () => {
    const sockets = await Promise.all([1, 2, 3].map(() => sending(head + body.slice(0, 45_000), narrow)));
    const refused = await Promise.race(
      sockets.map(async (socket) => ((await statusOf(socket)) === 503 ? socket : null)),
    );
    const others = sockets.filter((socket) => socket !== refused);
    expect(others).toHaveLength(2);
    for (const socket of others) {
      socket.write(body.slice(45_000));
      expect(await statusOf(socket)).toBe(404);
    }
    refused?.write(body.slice(45_000) + head + body);
    expect(await statusOf(refused as Socket)).toBe(404);
    for (const socket of sockets) socket.destroy();
    // The warning of another gateway of this file may come as late.
    const warned = expect.objectContaining({ msg: 'overloaded', refused: 1 });
    await eventually(() => expect(log).toContainEqual(warned));
    expect(narrow.log.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('take more than their bytes if they come in many small chunks', async () => {
    const socket = await sending(
      head.replace(/Content-Length.*/, 'Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(600),
      narrow,
    );
    expect(await statusOf(socket)).toBe(503);
    socket.destroy();
  });
});

test('a connection beyond the most is closed at once, and counted', async () => {
  const first = await sending('', crowded);
  const second = await sending('', crowded);
  if (!second.closed) await once(second, 'close');
  first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(String((await once(first, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
  await eventually(() =>
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'overloaded', refused: 0, dropped: 1 })),
  );
  first.destroy();
});

describe('who waits for a place', () => {
  const from = (id: string, flow = id) => ({ id, flow });
  const own = from('token', 'company');

  test('is admitted in order of arrival, but the newest first when more wait than there are places', async () => {
    const admission = new FairQueue({ seats: 2 });
    expect([admission.enter(own), admission.enter(own)]).toEqual(['admitted', 'admitted']);
    const order: number[] = [];
    const waiting = [1, 2, 3, 4].map(async (number) => {
      expect(await admission.enter(own)).toBe('admitted');
      order.push(number);
    });
    for (const _ of waiting) admission.leave(own);
    await Promise.all(waiting);
    expect(order).toEqual([4, 3, 1, 2]);
    for (const _ of [1, 2]) admission.leave(own);
    expect([admission.taken, admission.waiting]).toEqual([0, 0]);
  });

  test.each<[string, string[], string[]]>([
    ['another company', ['a1/a', 'a1/a', 'a1/a', 'b1/b'], ['b1', 'a1', 'a1', 'a1']],
    ['another token of the company', ['a1/a', 'a1/a', 'a2/a'], ['a2', 'a1', 'a1']],
    ['tokens of another company together', ['b1/b', 'b2/b', 'b3/b', 'c1/c'], ['b1', 'c1', 'b2', 'b3']],
  ])('has its turn: %s', async (_who, arrivals, order) => {
    const admission = new FairQueue({ seats: 1 });
    admission.enter(from('a1', 'a'));
    const admitted: string[] = [];
    const running = arrivals.map(async (text) => {
      const [id = '', flow = ''] = text.split('/');
      expect(await admission.enter(from(id, flow))).toBe('admitted');
      admitted.push(id);
      admission.leave(from(id, flow));
    });
    admission.leave(from('a1', 'a'));
    await Promise.all(running);
    expect(admitted).toEqual(order);
  });

  test('finds half of the places free where somebody else has just been, and all of them otherwise', async () => {
    let now = 0;
    const admission = new FairQueue({ seats: 4, now: () => now });
    const take = (count: number) => Array.from({ length: count }, () => admission.enter(own));
    expect(take(4)).toEqual(['admitted', 'admitted', 'admitted', 'admitted']);
    for (let count = 0; count < 4; count++) admission.leave(own);
    admission.enter(from('other'));
    admission.leave(from('other'));
    const [first, second, third] = take(3);
    expect([first, second]).toEqual(['admitted', 'admitted']);
    expect(admission.taken).toBe(2);
    expect(admission.enter(from('other'))).toBe('admitted');
    now = 11_000;
    admission.leave(from('other'));
    now = 22_000;
    const fourth = admission.enter(own);
    expect(await third).toBe('admitted');
    expect(await fourth).toBe('admitted');
    expect([admission.taken, admission.waiting]).toEqual([4, 0]);
  });

  test('waits in the queue of its company if its token became known while it waited', async () => {
    const pair = new Overload({ maxConcurrentRequests: 2 }, logger);
    const { queue: admission } = pair;
    let caller = from('address');
    const seat = new Seat(pair, new RequestRecord({ requestId: 'one' }), () => caller);
    const other = from('token', 'other');
    for (const each of [own, other]) admission.enter(each);
    const entering = Promise.resolve(seat.enter());
    caller = own;
    admission.leave(other);
    await Promise.resolve();
    expect([admission.taken, admission.waiting]).toEqual([1, 1]);
    admission.leave(own);
    expect(await entering).toBeUndefined();
    expect([admission.taken, admission.waiting]).toEqual([1, 0]);
    seat.leave();
  });

  test('holds what it holds as its company as soon as its token is known, and nothing as its address', async () => {
    const four = new Overload({ maxConcurrentRequests: 4 }, logger);
    const { queue: admission } = four;
    const other = from('other token', 'other');
    admission.enter(other);
    admission.leave(other);
    let caller = from('address');
    const seats = [1, 2, 3].map((id) => new Seat(four, new RequestRecord({ requestId: String(id) }), () => caller));
    const entering = Promise.all(seats.map((seat) => seat.enter()));
    expect([admission.taken, admission.waiting]).toEqual([2, 1]);
    caller = own;
    const known = seats.slice(0, 2).map((seat) => seat.changeFlow());
    await Promise.all(known);
    // The third was admitted as the address, and has to wait as its company.
    await eventually(() => expect([admission.taken, admission.waiting]).toEqual([2, 1]));
    expect([admission.enter(other), admission.enter(other)]).toEqual(['admitted', 'admitted']);
    seats[0]?.leave();
    expect((await entering).filter(Boolean)).toEqual([]);
    for (const seat of seats) seat.leave();
    expect([admission.taken, admission.waiting]).toEqual([2, 0]);
  });

  test('is refused after a moment if no place becomes free', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const admission = new FairQueue({ seats: 1, now: () => Date.now() });
    admission.enter(own);
    const outcomes: string[] = [];
    const enter = async (name: string) => outcomes.push(`${name} ${await admission.enter(own)}`);
    enter('first');
    await vi.advanceTimersByTimeAsync(990);
    enter('second');
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(15);
    expect(outcomes).toEqual(['first overloaded']);
    await vi.advanceTimersByTimeAsync(510);
    expect(outcomes).toEqual(['first overloaded', 'second overloaded']);

    admission.leave(own);
    expect(await admission.enter(own)).toBe('admitted');
    enter('third');
    await vi.advanceTimersByTimeAsync(400);
    admission.leave(own);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.at(-1)).toBe('third admitted');
  });

  test.each<[string, number, string, number]>([
    ['alone: long, and it is its own excess', 1, 'too many of one', 15_000],
    ['with as many companies as places: as long', 2, 'too many of one', 15_000],
    ['with more companies than places: for a moment', 5, 'overloaded', 500],
  ])('waits %s', async (_who, companies, refusal, milliseconds) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const admission = new FairQueue({ seats: 2, now: () => Date.now() });
    const callers = Array.from({ length: companies }, (_, index) => from(`company ${index}`));
    const holders: ReturnType<typeof from>[] = [];
    const refused: [string, number][] = [];
    const startedAt = Date.now();
    const enter = async (caller: ReturnType<typeof from>) => {
      const since = Date.now();
      const decision = await admission.enter(caller);
      if (decision === 'admitted') holders.push(caller);
      else refused.push([decision, Date.now() - since]);
    };
    // All keep asking for more than there are, and the newest of each is served.
    while (refused.length < 10 && Date.now() - startedAt < 20_000) {
      for (const caller of callers) for (let count = 0; count < 3; count++) void enter(caller);
      for (const caller of holders.splice(0, 2)) admission.leave(caller);
      await vi.advanceTimersByTimeAsync(100);
    }
    const waited = refused.find(([decision]) => decision === refusal);
    expect(waited?.[0]).toBe(refusal);
    expect(waited?.[1]).toBeGreaterThanOrEqual(milliseconds);
    expect(waited?.[1]).toBeLessThan(milliseconds + 200);
  });

  test('is bounded in number: the oldest of whoever has most makes room', async () => {
    const admission = new FairQueue({ seats: 1 });
    admission.enter(own);
    const other = admission.enter(from('other'));
    const [oldest, ...others] = Array.from({ length: 1000 }, () => admission.enter(own));
    expect(admission.waiting).toBe(1000);
    expect(await oldest).toBe('too many of one');
    admission.leave(own);
    expect(await other).toBe('admitted');
    admission.leave(from('other'));
    for (const _ of others) admission.leave(own);
    expect(await Promise.all(others)).toEqual(others.map(() => 'admitted'));
    expect([admission.taken, admission.waiting]).toEqual([0, 0]);
  });
});

describe('what takes long', () => {
  test('runs alone, and while others ask, the next after as long a rest', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const queue = new FairQueue({ seats: 1, refuses: false });
    let isContended = true;
    const began: Record<string, number> = {};
    const enter = async (name: string) => {
      const turn = new LongRequest(queue, { id: name, flow: name }, { isContended: () => isContended });
      await turn.enter();
      began[name] = performance.now();
      return turn;
    };
    const start = performance.now();
    const first = await enter('first');
    const second = enter('second');
    await vi.advanceTimersByTimeAsync(80);
    first.end();
    await vi.advanceTimersByTimeAsync(79);
    expect(began.second).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2);
    expect(began.second).toBe(start + 160);
    const third = enter('third');
    await vi.advanceTimersByTimeAsync(1_000);
    (await second).end();
    await vi.advanceTimersByTimeAsync(251);
    expect(began.third).toBe(start + 1_161 + 250);
    isContended = false;
    const fourth = enter('fourth');
    (await third).end();
    await vi.advanceTimersByTimeAsync(1);
    expect(began.fourth).toBeDefined();
    (await fourth).end();
    await vi.advanceTimersByTimeAsync(1);
    expect(queue.taken).toBe(0);
  });

  test.each([
    ['a query', 1_000, {}],
    ['a change', 3_000, { isChange: true }],
    ['a document of ours', 3_000, { isStored: true }],
  ])('is %s of more than %i, if others ask', async (_what, complexity, kind) => {
    const placesOf = async (asked: number, isContended: boolean) => {
      const queue = new FairQueue({ seats: 1, refuses: false });
      const request = new LongRequest(queue, { id: 'a', flow: 'a' }, { ...kind, isContended: () => isContended });
      expect(await request.begin(asked)).toBe('admitted');
      return queue.taken;
    };
    expect(await placesOf(complexity, true)).toBe(0);
    expect(await placesOf(complexity + 1, true)).toBe(1);
    expect(await placesOf(complexity + 1, false)).toBe(0);
  });

  test('gives back what it gets when it has ended', async () => {
    const queue = new FairQueue({ seats: 1, refuses: false });
    const [running, waiting] = ['running', 'waiting'].map((id) => new LongRequest(queue, { id, flow: id }));
    running?.enter();
    expect(await waiting?.enterWithin(5)).toBe('overloaded');
    waiting?.end();
    running?.end();
    await eventually(() => expect([queue.taken, queue.waiting]).toEqual([0, 0]));
  });

  test('waits two seconds at most for others of its company, if another company asks', async () => {
    const shared = await createWorld({ overload: new Overload({ maxConcurrentRequests: 8 }, linesOf) });
    const [own, other] = [await shared.team(), await shared.team()];
    const goals = await Promise.all([1, 2, 3].map(() => shared.closedGoal(own.space)));
    const people = [1, 2, 3, 4].map((alias) => `a${alias}: potentialSubscribers { isSubscribed person { id } }`);
    // Its mentions are read first, and the transaction begins again.
    const message = JSON.stringify({ type: 'doc', content: [{ type: 'mention', attrs: { id: own.caller.id } }] });
    const reopenAll = async () => {
      const release = await shared.holdGoals();
      const answers = Promise.all(
        goals.map(async ({ id }) => {
          const { body } = await shared.graphql(
            own.caller.token,
            `mutation { reopenGoal(input: { id: "${id}", message: ${JSON.stringify(message)} }) { goal { ${people.join(' ')} } } }`,
          );
          return body.errors?.[0].extensions.code ?? 'OK';
        }),
      );
      await pause(2_500);
      await release();
      return (await answers).sort();
    };
    await shared.graphql(other.caller.token, '{ viewer { person { id } } }');
    expect(await reopenAll()).toEqual(['OK', 'RATE_LIMITED', 'RATE_LIMITED']);
  });
});

describe('what needs no seat takes its turn,', () => {
  const unknown = `gp_${'x'.repeat(43)}`;

  test.each<[string, string, RequestInit & { token?: string }, boolean]>([
    ['a page', '/', { headers: { accept: 'text/html' } }, true],
    ['a file', '/schema.graphql', {}, true],
    ['a health check', '/healthz', {}, true],
    ['a request without a token', '/graphql', { method: 'POST' }, true],
    ['one with a malformed token', '/graphql', { method: 'POST', token: 'nonsense' }, true],
    ['a preflight', '/graphql', { method: 'OPTIONS', token: caller.token }, true],
    ['a path that there is not', '/nothing', { token: caller.token }, true],
    ['a method that there is not', '/graphql', { method: 'PUT', token: caller.token }, true],
    ['a type that there is not', '/graphql', { token: caller.token, headers: { accept: 'image/png' } }, true],
    ['not a request with a token', '/graphql', { method: 'POST', token: caller.token }, false],
    ['nor one with a token that is to be looked up', '/graphql', { method: 'POST', token: unknown }, false],
    ['nor a query in the URL', '/graphql?query={__typename}', { token: caller.token }, false],
  ])('%s', async (_what, path, { token, headers, ...init }, takesTurn) => {
    const turns = vi.spyOn(overload, 'takeTurn');
    onTestFinished(() => turns.mockRestore());
    await world.fetch(path, { ...init, headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } });
    expect(turns.mock.calls.map(([_address, isExempt]) => isExempt)).toEqual(takesTurn ? [path === '/healthz'] : []);
  });

  test('a request that the parser does not read', async () => {
    const turns = vi.spyOn(overload, 'takeTurn');
    onTestFinished(() => turns.mockRestore());
    for (const bytes of ['nonsense\r\n\r\n', 'GET /healthz HTTP/1.1\r\n\r\n']) {
      const socket = await sending(bytes, world);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
      socket.destroy();
    }
    expect(turns.mock.calls.map(([_address, isExempt]) => isExempt)).toEqual([false, false]);
  });

  test('a request of a token that is over its limit', async () => {
    const rateLimiters = createRateLimiters({
      ...{ store: 'memory', databaseUrl: world.url, windowSeconds: 60, preparedStatements: true },
      ...{ perToken: 1, perAddress: 100 },
    });
    const limited = new World(world.db, world.url, { overload, rateLimiters });
    const ask = () => limited.post(restPaths.reopenGoal, caller.token, {});
    const statuses = [(await ask()).status, (await ask()).status];
    const turns = vi.spyOn(overload, 'takeTurn');
    onTestFinished(() => turns.mockRestore());
    expect([...statuses, (await ask()).status]).toEqual([200, 429, 429]);
    expect(turns).toHaveBeenCalledTimes(1);
  });

  test('at once if there are few, else 4 of all in 5 ms, addresses in turn, and health checks first', async () => {
    const { takeTurn } = overload;
    const turn = (address: string, isExempt = false) => takeTurn.call(overload, address, isExempt);
    await pause(20);
    const done: string[] = [];
    const note = (who: string) => () => void done.push(who);
    const start = performance.now();
    const many = Array.from({ length: 100 }, () => turn('greedy').then(note('greedy')));
    await Promise.all([turn('other').then(note('other')), turn('balancer', true).then(note('balancer'))]);
    expect(done.indexOf('balancer')).toBeLessThanOrEqual(4);
    expect(done.indexOf('other')).toBeLessThanOrEqual(12);
    await Promise.all(many);
    expect(performance.now() - start).toBeGreaterThan((100 / 4 - 2) * 5);
  });
});
