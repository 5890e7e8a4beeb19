import { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openModels } from '../../../src/database.js';
import { readServerUrls } from '../../../src/platform/servers/primary.js';
import { readConfig } from '../../../src/settings.js';
import { eventually } from '../../support/eventually.js';
import { commandOutput } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { startReplicated } from '../../support/replicated.js';
import { startServer } from '../../support/server.js';
import { type Answer, restPaths, World } from '../../support/world.js';

describe('the URL of a database', () => {
  test.each([
    ['postgresql://u:p@one:1/db', ['postgresql://u:p@one:1/db'], false],
    ['postgres:///db?host=/run/postgresql', ['postgres:///db?host=/run/postgresql'], false],
    ['postgresql://one/db?target_session_attrs=read-write', ['postgresql://one/db'], true],
    ['postgresql://u:p@one:1,two,[::1]:3/db', ['one:1', 'two', '[::1]:3'].map((h) => `postgresql://u:p@${h}/db`), true],
    [
      'postgresql://u:p@one,two:2/db?sslmode=require&target_session_attrs=primary',
      ['postgresql://u:p@one/db?sslmode=require', 'postgresql://u:p@two:2/db?sslmode=require'],
      true,
    ],
  ])('%s names its servers', (url, urls, needsPrimary) => {
    expect(readServerUrls(url)).toEqual({ urls, needsPrimary });
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each([
    'mysql://one/db',
    'one:5432',
    'postgresql://one,/db',
    'postgresql://one,:5432/db',
    'postgresql://one:x,two/db',
    'postgresql://one:99999,two/db',
    'postgresql://one,two/db?target_session_attrs=standby',
  ])('%s is refused with one clear message', (url) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      / must be postgresql:\/\/.* for several servers; in a password, write %40 for @.*\.\n/,
    );
  });
});

test('while none of the servers answers, a connection that fails leaves no socket', async () => {
  const url = 'postgresql://nobody@127.0.0.1:1,127.0.0.1:2/none';
  const db = openModels({ url, poolSize: 2, preparedStatements: true });
  const sockets = () => queryObjects(Socket, { format: 'count' });
  const before = sockets();
  for (let failures = 0; failures < 50; failures += 1) {
    // Not `rejects`, which keeps the errors: their stacks keep the sockets.
    expect(await db.$queryRaw`SELECT 1`.catch(({ code }: Error & { code: string }) => code)).toBe('57P03');
  }
  await vi.waitFor(() => expect(sockets()).toBeLessThan(before + 10), { timeout: 5_000, interval: 100 });
  await db.$disconnect();
});

describe('of several servers', () => {
  let servers: Awaited<ReturnType<typeof startReplicated>>;
  let world: World;
  let gateway: Awaited<ReturnType<typeof startServer>>;
  let caller: Awaited<ReturnType<World['person']>>;
  let space: Awaited<ReturnType<World['space']>>;

  beforeAll(async () => {
    servers = await startReplicated();
    const settings = { DATABASE_URL: servers.url, DATABASE_POOL_SIZE: '2', MAX_CONCURRENT_REQUESTS: '10' };
    gateway = await startServer({ ...settings, RATE_LIMIT_PER_TOKEN: '1000000' }, { quiet: true });
    const options = { poolSize: 2, preparedStatements: true };
    world = new World(openModels({ url: servers.primaryUrl, ...options }), servers.primaryUrl);
    const company = await world.company();
    caller = await world.person(company);
    space = await world.space(company, [caller]);
  });

  afterAll(async () => {
    await Promise.all([gateway?.stop(), world?.close()]);
    await servers?.stop();
  });

  const reopen = (id: string) => gateway.client.post(restPaths.reopenGoal, caller.token, { id });
  const isClosed = async (id: string) =>
    (await gateway.client.graphql(caller.token, 'query ($id: ID!) { goal(id: $id) { isClosed } }', { id })).body;
  const open = { data: { goal: { isClosed: false } } };
  const statusOf = ({ status }: Answer) => status;

  /** Repeats a change until it succeeds. Returns the statuses it got, each once. */
  async function reopenAtLast(id: string): Promise<number[]> {
    const statuses = new Set<number>();
    await eventually(async () => {
      const { status } = await reopen(id);
      statuses.add(status);
      expect(status).toBe(200);
    });
    return [...statuses];
  }

  test('the one that takes writes is used, wherever it is named', async () => {
    expect(await query(servers.standbyUrl, 'SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: true }]);
    const goals = await Promise.all([1, 2, 3, 4].map(() => world.closedGoal(space)));
    const answers = await Promise.all(goals.map(({ id }) => reopen(id)));
    expect(answers.map(statusOf)).toEqual([200, 200, 200, 200]);
    expect(await Promise.all(goals.map(({ id }) => isClosed(id)))).toEqual(goals.map(() => open));
    expect(await commandOutput(['migrate'], { DATABASE_URL: servers.url })).toBe('The database is up to date.');
  });

  test('one that begins to refuse writes is left with 503, and used again when it takes them', async () => {
    const readOnly = async (value: string) => {
      await query(servers.primaryUrl, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await query(servers.primaryUrl, 'SELECT pg_reload_conf()');
    };
    const goal = await world.closedGoal(space);
    await readOnly('on');
    await eventually(async () => expect(statusOf(await reopen(goal.id))).toBe(503));
    const answers = await Promise.all([1, 2, 3, 4].map(() => reopen(goal.id)));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, 'SERVICE_UNAVAILABLE']),
    );
    const writable = `${servers.primaryUrl}?options=-c%20default_transaction_read_only=off`;
    await query(writable, 'ALTER SYSTEM RESET default_transaction_read_only');
    await query(writable, 'SELECT pg_reload_conf()');
    expect((await reopenAtLast(goal.id)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  test('the standby is found when it is promoted; until then a change is 503, and none is lost', async () => {
    const [before, after] = await Promise.all([world.closedGoal(space), world.closedGoal(space)]);
    expect(statusOf(await reopen(before.id))).toBe(200);
    await servers.killPrimary();
    const refused = await Promise.all([1, 2, 3].map(() => reopen(after.id)));
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [503, 'SERVICE_UNAVAILABLE']),
    );
    await servers.promote();
    expect((await reopenAtLast(after.id)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const ids = [before.id, after.id];
    expect(await Promise.all(ids.map(isClosed))).toEqual([open, open]);
    const kept = await query(servers.standbyUrl, 'SELECT id FROM goals WHERE closed_at IS NULL AND id = ANY($1)', [
      ids,
    ]);
    expect(kept).toHaveLength(2);
  });
});
