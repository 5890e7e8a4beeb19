import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModels, openReady } from '../../../src/database.js';
import { hasReached, inspectReplicas, Replicas, readPosition } from '../../../src/platform/postgres/replicas.js';
import { eventually } from '../../support/eventually.js';
import { commandOutput } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { startReplicated } from '../../support/replicated.js';
import { samplesIn, sumOf } from '../../support/scrape.js';
import { startServer } from '../../support/server.js';
import { type Answer, type Json, restPaths, World } from '../../support/world.js';

const pooled = { poolSize: 4, preparedStatements: true };
const timeouts = { connect: 3_000, response: 20_000, statement: 0, lock: 0, idleTransaction: 0 };

type Gateway = Awaited<ReturnType<typeof startServer>>;

/** Settings that give a slow machine time, and let readers ask without end. */
const unhurried = {
  DATABASE_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '0',
  DATABASE_LOCK_TIMEOUT_MS: '0',
  RATE_LIMIT_PER_TOKEN: '1000000',
};

describe('a position', () => {
  test('has the timeline and the byte of a log', () => {
    expect(readPosition('0000000A000000160000003B 16/B374D848')).toEqual({ timeline: 10, lsn: 0x16b374d848n });
    expect(readPosition(null)).toBeUndefined();
  });

  test('is reached on its own timeline only', () => {
    const position = { timeline: 2, lsn: 100n };
    expect(hasReached({ timeline: 2, lsn: 100n }, position)).toBe(true);
    expect(hasReached({ timeline: 2, lsn: 99n }, position)).toBe(false);
    expect(hasReached({ timeline: 1, lsn: 200n }, position)).toBe(false);
    expect(hasReached({ timeline: 3, lsn: 200n }, position)).toBe(false);
    expect(hasReached(undefined, position)).toBe(false);
  });
});

describe('a replica', () => {
  let servers: Awaited<ReturnType<typeof startReplicated>>;
  let world: World;
  let gateways: Gateway[];
  let caller: Awaited<ReturnType<World['person']>>;
  let space: Awaited<ReturnType<World['space']>>;
  const opened: Replicas[] = [];
  const left: string[] = [];

  async function openReplicas(url: string): Promise<Replicas> {
    const onLeft = (_: string, reason: string) => void left.push(reason);
    const replicas = await Replicas.open({
      ...pooled,
      urls: [url],
      db: world.db,
      open: openReady,
      timeouts,
      onUsed: () => {},
      onLeft,
    });
    opened.push(replicas);
    return replicas;
  }

  beforeAll(async () => {
    const settings = ['max_standby_streaming_delay=0', 'autovacuum=off', 'timezone=Europe/Berlin'];
    servers = await startReplicated({ isAsynchronous: true, settings });
    const urls = { DATABASE_URL: servers.primaryUrl, DATABASE_REPLICA_URL: servers.standbyUrl };
    const start = () => startServer({ ...urls, ...unhurried, METRICS_PORT: '0', LOG_LEVEL: 'info' }, { quiet: true });
    gateways = [await start(), await start()];
    world = new World(openModels({ url: servers.primaryUrl, ...pooled }), servers.primaryUrl);
    const company = await world.company();
    caller = await world.person(company);
    space = await world.space(company, [caller]);
    await eventually(async () => expect(await Promise.all(gateways.map(usesReplica))).toEqual([true, true]));
    // The last use of the token is written after an answer, and would be the last statement of its connection.
    await first().client.graphql(caller.token, '{ viewer { person { id } } }');
    await eventually(async () => {
      const [used] = await world.sql('SELECT 1 FROM api_tokens WHERE last_used_at IS NOT NULL');
      expect(used).toBeDefined();
    });
  });

  afterAll(async () => {
    await Promise.all([...(gateways ?? []).map(({ stop }) => stop()), world?.close()]);
    await Promise.all(opened.map((replicas) => replicas.close()));
    await servers?.stop();
  });

  const reopen = ({ client }: Gateway, id: string): Promise<Answer> =>
    client.post(restPaths.reopenGoal, caller.token, { id });
  const isClosed = ({ client }: Gateway, id: string): Promise<Answer> =>
    client.graphql(caller.token, 'query ($id: ID!) { goal(id: $id) { isClosed } }', { id });
  const [first, second] = [() => gateways[0] as Gateway, () => gateways[1] as Gateway];
  const samplesOf = async ({ announced }: Gateway) => samplesIn(await (await fetch(announced.metrics ?? '')).text());
  const usesReplica = async (gateway: Gateway) => sumOf(await samplesOf(gateway), 'goalpost_replica_used') === 1;

  /** On which servers a gateway has run a statement on goals since then, as they say themselves. */
  async function ranOn(since: unknown): Promise<string[]> {
    const ran = `SELECT 1 FROM pg_stat_activity
      WHERE application_name = 'goalpost' AND query ~ 'goals' AND query_start > $1`;
    const [onPrimary, onReplica] = await Promise.all(
      [servers.primaryUrl, servers.standbyUrl].map((url) => query(url, ran, [since])),
    );
    return [onPrimary?.length ? 'primary' : '', onReplica?.length ? 'replica' : ''].filter((name) => name !== '');
  }
  const now = async () => (await query(servers.primaryUrl, 'SELECT clock_timestamp()::text AS now'))[0]?.now;
  /** The status, and the codes of errors: a field that may be null fails with 200. */
  const outcomeOf = ({ status, body }: Answer) =>
    [status, ...(body.errors ?? []).map(({ extensions }: Json) => extensions.code)].join(' ');
  /** The line of the log that is about this answer. */
  const lineOf = (gateway: Gateway, { headers }: Answer): Promise<Json> =>
    eventually(() => {
      const line = gateway
        .lines()
        .find(({ msg, requestId }) => msg === 'request' && requestId === headers.get('x-request-id'));
      expect(line).toBeDefined();
      return line;
    });

  /** Asks until the replica answers, which it does once it has replayed everything. */
  const untilReplicaAnswers = (gateway: Gateway, id: string) =>
    eventually(async () => {
      const since = await now();
      const answer = await isClosed(gateway, id);
      expect(answer.status).toBe(200);
      expect(await ranOn(since)).toEqual(['replica']);
      return answer;
    });

  const pause = async () => {
    await query(servers.standbyUrl, 'SELECT pg_wal_replay_pause()');
    await eventually(async () =>
      expect(await query(servers.standbyUrl, 'SELECT pg_get_wal_replay_pause_state() AS s')).toEqual([{ s: 'paused' }]),
    );
  };
  const resume = () => query(servers.standbyUrl, 'SELECT pg_wal_replay_resume()');

  test('answers queries; changes and their answers are the primary’s', async () => {
    const goal = await world.closedGoal(space);
    const read = await untilReplicaAnswers(first(), goal.id);
    expect(await lineOf(first(), read)).toMatchObject({ replica: new URL(servers.standbyUrl).host });
    const since = await now();
    const reopened = await reopen(first(), goal.id);
    expect(reopened).toMatchObject({ status: 200, body: { goal: { is_closed: false } } });
    expect(await ranOn(since)).not.toContain('replica');
    expect((await lineOf(first(), reopened)).replica).toBeUndefined();
  });

  test('that is behind answers nothing that a change came before, on whichever gateway it was made', async () => {
    const goal = await world.closedGoal(space);
    await untilReplicaAnswers(second(), goal.id);
    await pause();
    expect((await reopen(first(), goal.id)).status).toBe(200);
    for (const gateway of gateways) {
      const since = await now();
      expect((await isClosed(gateway, goal.id)).body).toEqual({ data: { goal: { isClosed: false } } });
      expect(await ranOn(since)).toEqual(['primary']);
    }
    expect(await query(servers.standbyUrl, 'SELECT closed_at FROM goals WHERE id = $1', [goal.id])).not.toEqual([
      { closed_at: null },
    ]);
    await resume();
    await untilReplicaAnswers(second(), goal.id);
    expect((await isClosed(second(), goal.id)).body).toEqual({ data: { goal: { isClosed: false } } });
  });

  test('that keeps up is never read too early, in a hundred changes and reads across gateways', async () => {
    const goals = await Promise.all(Array.from({ length: 100 }, () => world.closedGoal(space)));
    const before = sumOf(await samplesOf(second()), 'goalpost_queries_total', { server: 'replica' });
    const read = async ({ id }: { id: string }) => {
      expect((await reopen(first(), id)).status).toBe(200);
      return (await isClosed(second(), id)).body.data.goal.isClosed;
    };
    for (let from = 0; from < goals.length; from += 4) {
      expect(await Promise.all(goals.slice(from, from + 4).map(read))).toEqual([false, false, false, false]);
    }
    const samples = await samplesOf(second());
    expect(sumOf(samples, 'goalpost_queries_total', { server: 'replica' })).toBeGreaterThan(before);
    expect(sumOf(samples, 'goalpost_replica_used')).toBe(1);
  });

  test('does not keep a revoked token alive', async () => {
    const person = await world.person({ companyId: caller.companyId });
    const ask = () => first().client.graphql(person.token, '{ viewer { person { id } } }');
    expect((await ask()).status).toBe(200);
    await pause();
    await world.sql('UPDATE api_tokens SET revoked_at = now() WHERE person_id = $1', [person.id]);
    expect((await ask()).status).toBe(401);
    await resume();
  });

  test('that cancels a statement to replay the log costs no request an error', async () => {
    const goal = await world.closedGoal(space);
    await untilReplicaAnswers(first(), goal.id);
    const conflicts = async () =>
      Number((await query(servers.standbyUrl, 'SELECT sum(conflicts)::int AS n FROM pg_stat_database'))[0]?.n);
    const before = await conflicts();
    let isOver = false;
    const outcomes = new Set<string>();
    const readers = Array.from({ length: 8 }, async (_, n) => {
      while (!isOver) {
        const answer = await (gateways[n % 2] as Gateway).client.graphql(
          caller.token,
          '{ goals(first: 50) { totalCount nodes { name isClosed activities(first: 5) { nodes { id } } } } }',
        );
        outcomes.add(outcomeOf(answer));
      }
    });
    await eventually(
      async () => {
        await world.sql('BEGIN; LOCK TABLE goals IN ACCESS EXCLUSIVE MODE; COMMIT');
        expect(await conflicts()).toBeGreaterThan(before);
      },
      { interval: 5 },
    );
    isOver = true;
    await Promise.all(readers);
    expect([...outcomes]).toEqual(['200']);
  });

  test('whose connections are cut, or that is killed, costs no request an error, and is used again', async () => {
    const goal = await world.closedGoal(space);
    await untilReplicaAnswers(first(), goal.id);
    let isOver = false;
    const outcomes = new Set<string>();
    const readers = Array.from({ length: 8 }, async (_, n) => {
      while (!isOver) outcomes.add(outcomeOf(await isClosed(gateways[n % 2] as Gateway, goal.id)));
    });
    for (const _ of [1, 2, 3]) {
      await query(
        servers.standbyUrl,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'goalpost'",
      );
    }
    await servers.killStandby();
    await eventually(async () => expect(await Promise.all(gateways.map(usesReplica))).toEqual([false, false]));
    expect((await isClosed(first(), goal.id)).status).toBe(200);
    await servers.startStandby();
    await untilReplicaAnswers(first(), goal.id);
    isOver = true;
    await Promise.all(readers);
    expect([...outcomes]).toEqual(['200']);
  });

  test('is not used for a role that may not see its timeline, nor one of another database', async () => {
    await world.sql("CREATE ROLE onlooker LOGIN PASSWORD 'onlooker'");
    await world.sql('GRANT SELECT ON ALL TABLES IN SCHEMA public TO onlooker');
    const url = new URL(servers.standbyUrl);
    Object.assign(url, { username: 'onlooker', password: 'onlooker' });
    await eventually(() => query(url.href, 'SELECT 1'));
    const used = async (address: string) => (await openReplicas(address)).states[0]?.isUsed;
    expect(await used(url.href)).toBe(false);
    expect(left.at(-1)).toContain('GRANT pg_read_all_stats');
    const inspected = () => inspectReplicas([url.href], servers.primaryUrl, 10_000);
    const address = url.host;
    expect(await inspected()).toEqual([{ address, failure: expect.stringContaining('GRANT pg_read_all_stats') }]);
    await world.sql('GRANT pg_read_all_stats TO onlooker');
    await eventually(async () => expect(await used(url.href)).toBe(true));
    expect(await inspected()).toMatchObject([{ address, bytesBehind: expect.any(Number) }]);
    expect(await used(servers.standbyUrl.replace(/postgres$/, 'template1'))).toBe(false);
    expect(left.at(-1)).toContain('another cluster or database');
  });

  test('that the role may connect to and not read is not used, and no connection to it stays', async () => {
    await world.sql("CREATE ROLE watcher LOGIN PASSWORD 'w'; GRANT pg_read_all_stats TO watcher");
    const url = new URL(servers.standbyUrl);
    Object.assign(url, { username: 'watcher', password: 'w' });
    await eventually(() => query(url.href, 'SELECT 1'));
    const replicas = await openReplicas(url.href);
    expect(left.at(-1)).toContain('permission denied');
    await replicas.close();
    const sessions = "SELECT 1 FROM pg_stat_activity WHERE usename = 'watcher'";
    await eventually(async () => expect(await query(servers.standbyUrl, sessions)).toEqual([]));
  });

  test('is shown by goalpost check; a primary among the replicas is no problem', async () => {
    const both = servers.standbyUrl.replace('@', `@${new URL(servers.primaryUrl).host},`);
    const settings = { DATABASE_URL: servers.primaryUrl, DATABASE_REPLICA_URL: both };
    const said = await commandOutput(['check'], settings);
    const [primary, standby] = [servers.primaryUrl, servers.standbyUrl].map((url) => new URL(url).host);
    expect(said).toContain(`  ok       the replica ${primary} is a primary now; it answers once it is a standby\n`);
    expect(said).toMatch(
      new RegExp(`^  ok       the replica ${standby} answers queries; it is \\d+ bytes behind$`, 'm'),
    );
    expect(said).not.toContain(new URL(servers.primaryUrl).password);
  });

  test('that is promoted is left within a second, and the log says so', async () => {
    const goal = await world.closedGoal(space);
    await untilReplicaAnswers(first(), goal.id);
    await servers.promote();
    await eventually(async () => expect(await Promise.all(gateways.map(usesReplica))).toEqual([false, false]));
    await query(servers.standbyUrl, 'DELETE FROM goals WHERE id = $1', [goal.id]);
    for (const gateway of gateways) {
      expect((await isClosed(gateway, goal.id)).body).toEqual({ data: { goal: { isClosed: true } } });
    }
    const left = first()
      .lines()
      .filter(({ reason }) => reason === 'it is not a standby');
    expect(left).not.toEqual([]);
    for (const line of left) expect(line).not.toHaveProperty('requestId');
  });
});
