import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, createApp, DatabaseError, type Gateway, migrate } from '../../src/index.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { reopening } from '../support/rawHttp.js';
import { listening, temporaryEmptyDatabase } from '../support/temporary.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const prepared = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off' };
const { caller, space } = await world.team();
const goal = await world.closedGoal(space);

const opened: Gateway[] = [];
afterAll(() => Promise.all(opened.map((app) => app.close())));

/** The gateway in a server of the test's own. */
async function embedded(own: Record<string, string> = {}) {
  const settings = { ...prepared, ...own };
  const lines: string[] = [];
  const app = await createApp({ databaseUrl: world.url, settings, log: (line) => void lines.push(line) });
  opened.push(app);
  const base = `http://127.0.0.1:${await listening(createServer(app.listener))}`;
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
  const get = (path: string) => fetch(base + path, { headers });
  const reopen = () =>
    fetch(`${base}/api/external/v1/reopen_goal`, { method: 'POST', headers, body: JSON.stringify({ id: goal.id }) });
  return { app, base, get, reopen, lines };
}

const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'beforeExit', 'exit'];
const handlers = () => events.map((event) => process.listenerCount(event));

describe("createApp in a server of one's own", () => {
  test('serves both surfaces, with the settings that it was given, and logs to the function it was given', async () => {
    const { get, reopen, lines } = await embedded({ PAGES: 'none', RATE_LIMIT_PER_TOKEN: '3' });
    expect((await reopen()).status).toBe(200);
    expect(await (await get('/graphql?query={viewer{person{id}}}')).json()).toEqual({
      data: { viewer: { person: { id: caller.id } } },
    });
    expect((await get('/nowhere')).status).toBe(404);
    expect(
      [await get('/graphql?query={__typename}'), await get('/graphql?query={__typename}')].map(
        (answer) => answer.status,
      ),
    ).toEqual([200, 429]);
    expect(lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')).toHaveLength(5);
  });

  test('does not wait for an answer whose client was gone before it came', async () => {
    const { app } = await embedded({ DRAIN_SECONDS: '600' });
    const server = createServer();
    const port = await listening(server);
    const gone = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port}/graphql`, { signal: gone.signal }).catch(() => {});
    const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    gone.abort();
    await Promise.all([asked, once(res, 'close')]);
    app.listener(req, res);
    await app.close();
  });

  test.each([
    ['150 requests that are sent meanwhile, and then they run', 150, 152],
    ['no more than 200: then the connection is closed', 250, 0],
  ])('keeps, while a request of a connection runs, %s', async (_what, count, answered) => {
    const { base } = await embedded();
    const { id } = await world.closedGoal(space);
    const release = await world.holdGoals();
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname).on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const body = JSON.stringify({ id });
    socket.write(reopening(caller.token, body.length) + body);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await sleep(500);
    expect(received).toBe('');
    await release();
    if (!socket.closed) await new Promise((resolve) => void socket.once('close', resolve));
    expect(received.match(/HTTP\/1\.1 200/g) ?? []).toHaveLength(answered);
  });

  test.each([
    ['a value, as of express.json()', (read: string) => JSON.parse(read), 200],
    ['bytes', (read: string) => Buffer.from(read), 200],
    ['a value that is too deep', () => JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)), 400],
    ['nothing', () => undefined, 400],
  ])('takes from req.body what a middleware has read: %s', async (_what, left, status) => {
    const { app } = await embedded();
    const server = createServer(async (req, res) => {
      Object.assign(req, { body: left(await text(req)) });
      app.listener(req, res);
    });
    const base = `http://127.0.0.1:${await listening(server)}`;
    const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
    const { id } = await world.closedGoal(space);
    const post = (path: string, body: object) =>
      fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await post('/graphql', { query: '{ viewer { person { id } } }' })).status).toBe(status);
    expect((await post('/api/external/v1/reopen_goal', { id })).status).toBe(status);
  });

  test('survives a log function that fails, and writes its lines to stderr', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const log = () => {
      throw new Error('full');
    };
    const app = await createApp({ databaseUrl: world.url, log });
    const port = await listening(createServer(app.listener));
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(String(written.mock.calls)).toContain('the log function has failed (full): {');
    await app.close();
  });

  test('adds no handler to the process, several times over', async () => {
    const before = handlers();
    const apps = await Promise.all(
      [1, 2, 3].map(() => createApp({ databaseUrl: world.url, settings: prepared, log: () => {} })),
    );
    expect(handlers()).toEqual(before);
    await Promise.all(apps.flatMap((app) => [app.close(), app.close()]));
    expect(handlers()).toEqual(before);
  });

  test('waits for running requests when it is closed, and is not ready from then on', async () => {
    const { app, get } = await embedded();
    expect((await get('/readyz')).status).toBe(200);
    const { release } = await world.holding('LOCK TABLE goals IN ACCESS EXCLUSIVE MODE');
    const running = get('/graphql?query={goals{nodes{id}}}');
    await world.untilOneWaits();
    const closed = app.close();
    expect((await get('/readyz')).status).toBe(503);
    await release();
    expect((await running).status).toBe(200);
    await closed;
  });

  test.each([
    ['a setting that is none', { PROT: '1' }, 'unknown settings: PROT'],
    ['a misspelled setting', { BODY_LIMTI: '1' }, 'unknown settings: BODY_LIMTI (did you mean BODY_LIMIT?)'],
    ['a setting of serve', { PORT: '1', HOST: '::' }, 'settings of goalpost serve, not of createApp: PORT, HOST'],
    ['a value that cannot be used', { BODY_LIMIT: 'big' }, 'BODY_LIMIT=big must be a whole number'],
    ['a value that is no text', { BODY_LIMIT: 5 }, 'the setting BODY_LIMIT must be a text'],
  ])('refuses %s', async (_what, settings, message) => {
    const given = settings as unknown as Record<string, string>;
    const refused = createApp({ databaseUrl: world.url, settings: given });
    await expect(refused).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringContaining(message) });
  });

  test('and migrate refuse an option that they do not have, with those that they have', async () => {
    const given = { databaseUrl: world.url, logger: console, port: 1 } as never;
    for (const [refused, message] of [
      [createApp(given), 'unknown options of createApp: logger, port. It has databaseUrl, settings, log, plugins'],
      [migrate(given), 'unknown options of migrate: logger, port. It has databaseUrl, applicationRole'],
    ] as const)
      await expect(refused).rejects.toMatchObject({ name: 'ConfigError', message });
  });

  test('refuses a database that is not migrated or does not answer, and ends nothing', async () => {
    const { directUrl } = await temporaryEmptyDatabase();
    await expect(createApp({ databaseUrl: directUrl })).rejects.toThrow('The database is not up to date');
    await expect(createApp({ databaseUrl: directUrl })).rejects.toBeInstanceOf(DatabaseError);
    expect(await migrate({ databaseUrl: directUrl })).not.toEqual([]);
    expect(await migrate({ databaseUrl: directUrl })).toEqual([]);
    const app = await createApp({ databaseUrl: directUrl, settings: prepared, log: () => {} });
    await app.close();
    await expect(migrate({ databaseUrl: '' })).rejects.toBeInstanceOf(ConfigError);
    await expect(createApp({ databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' })).rejects.toThrow('Cannot connect');
    await expect(migrate({ databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' })).rejects.toBeInstanceOf(
      DatabaseError,
    );
    await expect(createApp({ databaseUrl: '' })).rejects.toThrow('createApp needs databaseUrl');
    await expect(createApp(undefined as never)).rejects.toThrow('createApp needs databaseUrl');
  });
});
