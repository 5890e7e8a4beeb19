import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { purgeOutcomes } from '../../src/platform/graphql/changes.js';
import { eventually } from '../support/eventually.js';
import { statementsOf } from '../support/statements.js';
import { mutation } from '../support/surfaces.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const replayed = 'idempotency-replayed';

/** A closed goal, and what exactly one reopening of it leaves behind. */
async function closedGoal() {
  const { company, caller, space } = await world.team();
  const colleague = await world.person(company);
  const goal = await world.closedGoal(space);
  const effects = async () => ({
    activities: await db.activity.count({ where: { goalId: goal.id } }),
    threads: await db.commentThread.count({ where: { activity: { goalId: goal.id } } }),
    notifications: await db.notification.count({ where: { activity: { goalId: goal.id } } }),
    open: (await db.goal.findFirstOrThrow({ where: { id: goal.id } })).closedAt === null,
  });
  const input = { id: goal.id, message: 'Again', subscriber_ids: [colleague.id] };
  return { caller, colleague, goal, input, effects };
}

const one = { activities: 1, threads: 1, notifications: 1, open: true };
const none = { activities: 0, threads: 0, notifications: 0, open: false };

const reopen = (token: string, body: Json, key: string, at: World = world) =>
  at.post(restPaths.reopenGoal, token, body, { 'idempotency-key': key });

const restored = ({ id, message, subscriber_ids, send_notifications_to_everyone }: Json) => ({
  id,
  message,
  subscriberIds: subscriber_ids,
  sendNotificationsToEveryone: send_notifications_to_everyone,
});

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
};

const keys = (key: string) => db.idempotencyKey.count({ where: { key } });

/** Makes a transaction with a key wait inside the database, after its change, until it is released. */
async function holding(work: (release: () => Promise<void>) => Promise<void>) {
  await world.sql(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION wait()`);
  const { release } = await world.holding('SELECT pg_advisory_xact_lock(4711)');
  try {
    await work(release);
  } finally {
    await release();
    await world.sql('DROP TRIGGER wait ON idempotency_keys; DROP FUNCTION wait()');
  }
}

/** The process that waits for what `holding` holds, once there is one. */
const waiting = (): Promise<number> =>
  eventually(async () => {
    const rows = await world.sql(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'",
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.pid;
  });

describe('a retry with the same key', () => {
  test('gets the first answer, marked, whatever has happened since, and nothing happens again', async () => {
    const { caller, goal, input, effects } = await closedGoal();
    const first = await reopen(caller.token, input, '"retry-1"');
    expect([first.status, first.headers.get(replayed)]).toEqual([200, null]);
    await db.goal.updateMany({ where: { id: goal.id }, data: { name: 'Renamed', archivedAt: new Date() } });
    const second = await reopen(caller.token, input, '"retry-1"');
    expect([second.status, second.headers.get(replayed)]).toEqual([200, 'true']);
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect(await effects()).toEqual(one);
  });

  test('gets a final refusal of the operation again, with its members and status', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const { id: document_id } = await world.document(hub, caller);
    const restore = (version_number: number, expected_current_version: number, headers = {}) => {
      const input = { document_id, version_number, expected_current_version };
      return world.post(restPaths.restoreDocumentVersion, caller.token, input, headers);
    };
    const headers = { 'idempotency-key': 'refused', 'x-request-id': 'same' };
    const first = await restore(1, 4, headers);
    expect(first.status).toBe(409);
    // The same request could succeed now, but its outcome is final.
    expect((await restore(2, 3)).status).toBe(200);
    const second = await restore(1, 4, headers);
    expect([second.status, second.headers.get(replayed)]).toEqual([409, 'true']);
    expect(second.body).toEqual(first.body);
  });

  test('runs again when the first try failed on the server, whose change is undone', async () => {
    const { caller, input, effects } = await closedGoal();
    await world.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE 'disk on fire'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON comment_threads FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const failed = await reopen(caller.token, input, 'fails-first');
    await world.sql('DROP TRIGGER refuse ON comment_threads; DROP FUNCTION refuse()');
    expect([failed.status, failed.body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(await keys('fails-first')).toBe(0);
    expect(await effects()).toEqual(none);
    expect((await reopen(caller.token, input, 'fails-first')).status).toBe(200);
    expect(await effects()).toEqual(one);
  });

  test('runs when bad input was refused before', async () => {
    const { caller, input, effects } = await closedGoal();
    expect((await reopen(caller.token, { ...input, message: 5 }, 'after-bad-input')).status).toBe(400);
    const answer = await reopen(caller.token, input, 'after-bad-input');
    expect([answer.status, answer.headers.get(replayed)]).toEqual([200, null]);
    expect(await effects()).toEqual(one);
  });

  test('runs anew once the outcome has expired, and not a minute before', async () => {
    const { caller, goal, input, effects } = await closedGoal();
    const age = (seconds: number) =>
      world.sql(
        `UPDATE idempotency_keys SET expires_at = expires_at - $1 * interval '1 second' WHERE key = 'expires'`,
        [seconds],
      );
    await reopen(caller.token, input, 'expires');
    await age(86_340);
    expect((await reopen(caller.token, input, 'expires')).headers.get(replayed)).toBe('true');
    await db.goal.updateMany({ where: { id: goal.id }, data: { closedAt: new Date(), success: true } });
    await age(60);
    const anew = await reopen(caller.token, input, 'expires');
    expect([anew.status, anew.headers.get(replayed)]).toEqual([200, null]);
    expect((await effects()).activities).toBe(2);
    expect((await reopen(caller.token, input, 'expires')).headers.get(replayed)).toBe('true');
  });
});

describe('a key', () => {
  test('is of one payload if a member is null or absent, also for an outcome that an older version has kept', async () => {
    const { caller, input, effects } = await closedGoal();
    const withNull = { ...input, send_notifications_to_everyone: null };
    await reopen(caller.token, withNull, 'nulls');
    for (const body of [input, withNull])
      expect((await reopen(caller.token, body, 'nulls')).headers.get(replayed)).toBe('true');
    // What the version before has made of the request with null.
    const older = sorted({ input: restored(withNull) });
    const fingerprint = createHash('sha256')
      .update(JSON.stringify(['rest', older]))
      .digest();
    await db.idempotencyKey.updateMany({
      where: { key: 'nulls' },
      data: { fingerprint: Uint8Array.from(fingerprint) },
    });
    expect((await reopen(caller.token, withNull, 'nulls')).headers.get(replayed)).toBe('true');
    expect((await reopen(caller.token, { ...withNull, message: 'Other' }, 'nulls')).status).toBe(422);
    expect(await effects()).toEqual(one);
  });

  test('used for another payload is 422 on both surfaces, and changes nothing', async () => {
    const { caller, input, effects } = await closedGoal();
    await reopen(caller.token, input, 'reused');
    const other = await reopen(caller.token, { ...input, message: 'Other' }, 'reused');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const variables = { input: { id: input.id, message: 'Again' } };
    const graphql = await world.graphql(caller.token, mutation('reopenGoal'), variables, {
      'idempotency-key': 'reused',
    });
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await effects()).toEqual(one);
  });

  test('means the same on both surfaces whatever the order of the fields, quoted or bare', async () => {
    const { caller, goal, input } = await closedGoal();
    const turned = (given: Json) => Object.fromEntries(Object.entries(given).reverse());
    await reopen(caller.token, input, '"order"');
    expect((await reopen(caller.token, turned(input), 'order')).headers.get(replayed)).toBe('true');
    const variables = { id: goal.id, message: 'Again' };
    const run = (given: Json) =>
      world.graphql(caller.token, mutation('reopenGoal'), { input: given }, { 'idempotency-key': 'graphql-order' });
    expect((await run(variables)).headers.get(replayed)).toBeNull();
    expect((await run(turned(variables))).headers.get(replayed)).toBe('true');
  });

  test('means another request if it runs another operation of the same document', async () => {
    const { caller, goal } = await closedGoal();
    const query = ['One', 'Other'].map(
      (name) => `mutation ${name} { reopenGoal(input: { id: "${goal.id}", message: "${name}" }) { goal { id } } }`,
    );
    const run = (operationName: string) =>
      world.post(
        '/graphql',
        caller.token,
        { query: query.join(' '), operationName },
        { 'idempotency-key': 'named', accept: 'application/graphql-response+json' },
      );
    expect((await run('One')).status).toBe(200);
    const other = await run('Other');
    expect([other.status, other.body.errors[0].extensions.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('belongs to one token and one operation', async () => {
    const { caller, input } = await closedGoal();
    const other = await closedGoal();
    await reopen(caller.token, input, 'shared');
    const theirs = await reopen(other.caller.token, other.input, 'shared');
    expect([theirs.status, theirs.headers.get(replayed)]).toEqual([200, null]);
    const elsewhere = await world.post(
      restPaths.deleteResourceHubFile,
      caller.token,
      { file_id: null },
      { 'idempotency-key': 'shared' },
    );
    expect([elsewhere.status, elsewhere.headers.get(replayed)]).toEqual([200, null]);
  });

  test.each([
    ['empty', '""'],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a letter that is not ASCII', 'schl\u00fcssel'],
  ])('%s is 400 and names the header', async (_what, key) => {
    const { caller, input, effects } = await closedGoal();
    const answer = await reopen(caller.token, input, key);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(answer.body.errors).toMatchObject([{ field: 'Idempotency-Key', code: 'invalid' }]);
    expect(await effects()).toEqual(none);
  });

  test('of 255 characters is fine, escapes and all', async () => {
    const { caller, input } = await closedGoal();
    expect((await reopen(caller.token, input, 'k'.repeat(255))).status).toBe(200);
    await reopen(caller.token, input, '"say \\"hi\\" \\\\"');
    expect(await keys('say "hi" \\')).toBe(1);
  });

  test('with two mutation fields is 400, also when they hide in a fragment', async () => {
    const { caller, effects } = await closedGoal();
    const two = [
      'mutation { a: reopenGoal(input: {}) { goal { id } } b: reopenGoal(input: {}) { goal { id } } }',
      'mutation { ...Two } fragment Two on Mutation { reopenGoal(input: {}) { goal { id } } ... { deleteResourceHubFile(input: {}) { file { id } } } }',
    ];
    for (const query of two) {
      const answer = await world.graphql(caller.token, query, {}, { 'idempotency-key': 'two' });
      expect([answer.status, answer.body.errors[0].extensions.errors[0].field]).toEqual([400, 'Idempotency-Key']);
    }
    expect((await world.graphql(caller.token, two[0] as string)).status).toBe(200);
    expect(await effects()).toEqual(none);
  });

  test('does not matter to a query', async () => {
    const { caller } = await closedGoal();
    const answer = await world.graphql(caller.token, '{ viewer { person { id } } }', {}, { 'idempotency-key': '' });
    expect(answer.status).toBe(200);
  });

  test('comes after bad input and before the goal is looked up', async () => {
    const { caller } = await closedGoal();
    const bad = await reopen(caller.token, { id: 5 }, 'a b');
    expect(bad.body.errors[0].field).toBe('id');
    const unknown = await reopen(caller.token, { id: 'nowhere' }, 'a b');
    expect(unknown.body.errors[0].field).toBe('Idempotency-Key');
  });
});

describe('at the same time', () => {
  test('twenty duplicates over two gateways have exactly one effect', async () => {
    const { caller, input, effects } = await closedGoal();
    const twin = world.twin();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reopen(caller.token, input, 'storm', index % 2 ? world : twin)),
    );
    const bodies = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body)));
    expect(bodies.size).toBe(1);
    expect(answers.filter(({ status, headers }) => status === 200 && !headers.get(replayed))).toHaveLength(1);
    for (const { status, body, headers } of answers) {
      if (status === 200) continue;
      expect([status, body.code, body.retry_after]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE', 1]);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await effects()).toEqual(one);
  });

  test('retries of a finished request are all replays, also over two gateways', async () => {
    const { caller, input, effects } = await closedGoal();
    const first = await reopen(caller.token, input, 'finished');
    const twin = world.twin();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => reopen(caller.token, input, 'finished', index % 2 ? world : twin)),
    );
    for (const { status, headers, body } of answers)
      expect([status, headers.get(replayed), body]).toEqual([200, 'true', first.body]);
    expect(await effects()).toEqual(one);
  });

  test('a duplicate of a request that still runs is 409, later it is the replay', async () => {
    const { caller, input, effects } = await closedGoal();
    await holding(async (release) => {
      const first = reopen(caller.token, input, 'slow');
      await waiting();
      const second = await reopen(caller.token, input, 'slow', world.twin());
      expect([second.status, second.body.code, second.headers.get('retry-after')]).toEqual([
        409,
        'IDEMPOTENCY_KEY_IN_USE',
        '1',
      ]);
      await release();
      expect((await first).status).toBe(200);
    });
    expect((await reopen(caller.token, input, 'slow')).headers.get(replayed)).toBe('true');
    expect(await effects()).toEqual(one);
  });
});

describe('a crash', () => {
  test('of the database connection between write and answer leaves neither; the retry does it once', async () => {
    const { caller, input, effects } = await closedGoal();
    await holding(async () => {
      const first = reopen(caller.token, input, 'cut');
      await world.sql('SELECT pg_terminate_backend($1)', [await waiting()]);
      expect((await first).status).toBeGreaterThanOrEqual(500);
      expect(await effects()).toEqual(none);
      expect(await keys('cut')).toBe(0);
    });
    expect((await reopen(caller.token, input, 'cut')).status).toBe(200);
    expect(await effects()).toEqual(one);
  });
});

describe('the cost', () => {
  test('with the header there are five more: begin, lock, look up, keep, commit', async () => {
    const plain = await closedGoal();
    await world.post(restPaths.reopenGoal, plain.caller.token, {});
    const { statements: without } = await statementsOf(() =>
      world.post(restPaths.reopenGoal, plain.caller.token, plain.input),
    );
    const keyed = await closedGoal();
    await world.post(restPaths.reopenGoal, keyed.caller.token, {});
    const { statements: first } = await statementsOf(() => reopen(keyed.caller.token, keyed.input, 'count'));
    const { statements: second } = await statementsOf(() => reopen(keyed.caller.token, keyed.input, 'count'));
    expect(first).toHaveLength(without.length + 5);
    expect(second).toHaveLength(5);
    expect(without.some(({ text }) => text.includes('idempotency'))).toBe(false);
  });

  test('expired outcomes are purged in batches, past one that another request holds', async () => {
    const { caller, input } = await closedGoal();
    for (const key of ['purge-1', 'purge-2', 'purge-3', 'purge-4'])
      await reopen(caller.token, { ...input, id: null }, key);
    await world.sql(
      `UPDATE idempotency_keys SET expires_at = CASE key WHEN 'purge-4' THEN '2999-01-01'::timestamptz ELSE '1970-01-01' END
       WHERE key LIKE 'purge-%'`,
    );
    const { release } = await world.holding("SELECT FROM idempotency_keys WHERE key = 'purge-2' FOR UPDATE");
    expect(await purgeOutcomes(db, 'companies', 1)).toBe(2);
    await release();
    const left = await world.sql("SELECT key FROM idempotency_keys WHERE key LIKE 'purge-%' ORDER BY key");
    expect(left).toEqual([{ key: 'purge-2' }, { key: 'purge-4' }]);
    expect(await purgeOutcomes(db, 'companies')).toBe(1);
  });
});

test('long outcomes of a token are bounded, and a request beyond that changes nothing', async () => {
  const characters = 110_000;
  const { caller, goal, input, effects } = await closedGoal();
  await db.goal.updateMany({ where: { id: goal.id }, data: { description: 'x'.repeat(characters) } });
  const fill = (bytes: number) =>
    world.sql(`
    INSERT INTO idempotency_keys (company_id, token_id, operation, key, fingerprint, result, expires_at)
    SELECT company_id, id, 'reopenGoal', 'long', '', repeat('x', ${bytes}), now() + interval '90 seconds'
    FROM api_tokens WHERE company_id = '${goal.companyId}'
    ON CONFLICT (company_id, token_id, operation, key) DO UPDATE SET result = excluded.result`);
  const narrow = new World(db, world.url, { longOutcomeBytes: 1_900_000 + characters });
  await fill(2_000_000);
  const refused = await reopen(caller.token, input, 'one-more', narrow);
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([429, 'RATE_LIMITED', 'outcomes']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
  expect(await effects()).toEqual(none);
  await fill(1_500_000);
  expect((await reopen(caller.token, input, 'one-more', narrow)).status).toBe(200);
  expect(await effects()).toEqual(one);
});
